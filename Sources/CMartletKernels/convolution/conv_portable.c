#include "../simd/vector_includes.h"
#include "conv_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "../linear_algebra/tile.inc"
#include "conv.inc"
#include "depthwise_dtypes.inc"
