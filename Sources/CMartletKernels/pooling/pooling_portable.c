#include "../simd/vector_includes.h"
#include "pooling_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../simd/vector.inc"
#include "pooling.inc"
#include "pooling_gradient.inc"
