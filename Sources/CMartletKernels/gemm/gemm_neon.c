#include "tile_types.h"
#include "vector_includes.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "vector.h"
#include "vector_math.h"
#include "activation.h"
#include "tile.h"
#include "tile_tables.h"
#include "pack.h"
#include "few_rows.h"
#include "gemm_level.h"
#include "matvec_level.h"
#endif
