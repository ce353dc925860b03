#include "../simd/vector_includes.h"
#include "attention_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "../linear_algebra/tile.inc"
#include "attention.inc"
#include "attention_rows.inc"
#include "rotary.inc"
