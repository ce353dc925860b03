#include "tile_types.h"
#include "../simd/vector_includes.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
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
#endif
