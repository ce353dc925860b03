#include "../gemm/vector_includes.h"
#include "matvec_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"
#include "../gemm/tile.h"
#include "matvec_level.h"
MK_END_AVX512
#endif
