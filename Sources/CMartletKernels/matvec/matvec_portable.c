#include "../gemm/vector_includes.h"
#include "matvec_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../gemm/vector.h"
#include "../gemm/vector_math.h"
#include "../gemm/activation.h"
#include "../gemm/tile.h"
#include "matvec_level.h"
