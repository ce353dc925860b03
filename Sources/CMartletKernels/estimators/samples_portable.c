#include "../simd/targets.h"
#include "samples_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "samples.inc"
