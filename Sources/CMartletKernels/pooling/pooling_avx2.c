#include "../simd/vector_includes.h"
#include "pooling_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "../simd/vector.inc"
#include "pooling.inc"
#include "pooling_gradient.inc"
MK_END_AVX2
#endif
