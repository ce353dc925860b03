#include "../gemm/vector_includes.h"
#include "pooling_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../gemm/vector.h"
#include "pooling_level.h"
#endif
