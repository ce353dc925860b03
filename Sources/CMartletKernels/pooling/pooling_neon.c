#include "../simd/vector_includes.h"
#include "pooling_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../simd/vector.inc"
#include "pooling.inc"
#include "pooling_gradient.inc"
#endif
