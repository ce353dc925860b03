#include "tile_types.h"
#include "vector_includes.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "vector.h"
#include "vector_math.h"
#include "activation.h"
#include "tile.h"
#include "tile_tables.h"
#include "pack.h"
#include "few_rows.h"
#include "gemm_level.h"
#include "matvec_level.h"
