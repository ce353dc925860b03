#include "../simd/vector_includes.h"
#include "attention_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#include "../linear_algebra/tile.inc"
#include "attention.inc"
#include "attention_rows.inc"
#include "rotary.inc"
MK_END_AVX512
#endif
