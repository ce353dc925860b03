#include "../simd/vector_includes.h"
#include "pooling_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "../simd/vector.inc"
#include "pooling.inc"
#include "pooling_gradient.inc"
MK_END_AVX512
#endif
