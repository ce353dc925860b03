#include "../gemm/vector_includes.h"
#include "matvec_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"
#include "../gemm/tile.h"
#include "matvec_level.h"
#endif
