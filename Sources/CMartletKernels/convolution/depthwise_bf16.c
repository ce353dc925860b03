#include "../simd/vector_includes.h"
#include "conv_types.h"

#if MK_HAS_X86_LEVELS
/// Depthwise convolution of bfloat16 images with the processor's conversion instructions.
MK_BEGIN_AVX512_BF16
#define MK_LEVEL 2
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_avx512bf16
#define mk_activate_avx512bf16 mk_activate_avx512
#define UNROLL _Pragma("clang loop unroll(full)")
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#define MK_ELEMENT uint16_t
#define MK_ELEMENT_DTYPE MK_BF16
#define MK_OF(name) MK_FN(name##_bf16)
#include "depthwise.inc"
MK_END_AVX512
#endif
