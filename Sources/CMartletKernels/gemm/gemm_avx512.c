#include "tile_types.h"
#include "vector_includes.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "vector.h"
#include "vector_math.h"
#include "activation.h"
#include "tile.h"
#include "tile_tables.h"
#include "pack.h"
#include "few_rows.h"
#include "gemm_level.h"
#include "matvec_level.h"
MK_END_AVX512
#endif
