#include "../simd/vector_includes.h"
#include "attention_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "../linear_algebra/tile.inc"
#include "attention.inc"
#include "attention_rows.inc"
#include "rotary.inc"
#endif
