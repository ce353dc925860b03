#include "../gemm/vector_includes.h"
#include "conv_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"
#include "../gemm/tile.h"
#include "conv_level.h"
#include "depthwise_types.h"
MK_END_AVX512
#endif
