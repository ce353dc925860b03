#include "tile_types.h"
#include "../simd/vector_includes.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "tile.inc"
#include "tile_tables.inc"
#include "pack.inc"
#include "few_rows.inc"
#include "one_column.inc"
#include "gemm.inc"
#include "stored.inc"
MK_END_AVX2
#endif
