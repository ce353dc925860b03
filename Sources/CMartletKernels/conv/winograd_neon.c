#include "../gemm/vector_includes.h"
#include "winograd_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"
#include "../gemm/tile.h"
#include "winograd_level.h"
#endif
