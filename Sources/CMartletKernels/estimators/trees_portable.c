#include <string.h>

#include "../simd/targets.h"
#include "trees_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "trees.inc"
