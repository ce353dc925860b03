#include "../gemm/vector_includes.h"
#include "pooling_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../gemm/vector.h"
#include "pooling_level.h"
