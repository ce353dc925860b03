#include <string.h>

#include "../simd/targets.h"
#include "trees_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "trees.inc"
#endif
