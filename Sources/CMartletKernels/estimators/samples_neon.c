#include "../simd/targets.h"
#include "samples_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "samples.inc"
#endif
