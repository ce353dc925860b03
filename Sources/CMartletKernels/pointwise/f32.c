// Products and sums are rounded separately unless a formula asks for a fused operation.
#pragma STDC FP_CONTRACT OFF

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../simd/loop.h"
#include "../simd/levels.h"
#include "martlet_pointwise.h"

/// Functions of one operand `v` that are vectorised completely.
#define VECTOR_UNARY(X)                                                          \
  X(abs, ABS(v))                                                                 \
  X(neg, -v)                                                                     \
  X(sign, (float)(v > 0.0f) - (float)(v < 0.0f))                                 \
  X(ceil, __builtin_ceilf(v))                                                    \
  X(floor, __builtin_floorf(v))                                                  \
  X(round, __builtin_rintf(v))                                                   \
  X(trunc, __builtin_truncf(v))                                                  \
  X(frac, v - __builtin_truncf(v))                                               \
  X(square, v *v)                                                                \
  X(cube, v *v *v)                                                               \
  X(sqrt, __builtin_elementwise_sqrt(v))                                         \
  X(rsqrt, 1.0f / __builtin_elementwise_sqrt(v))                                 \
  X(reciprocal, 1.0f / v)                                                        \
  X(exp, MK_FN(exp)(v))                                                          \
  X(expm1, MK_FN(expm1)(v))                                                      \
  X(exp2, MK_FN(exp2)(v))                                                        \
  X(log, MK_FN(log)(v))                                                          \
  X(log2, MK_FN(log2)(v))                                                        \
  X(log10, MK_FN(log10)(v))                                                      \
  X(log1p, MK_FN(log1p)(v))                                                      \
  X(asin, MK_FN(asin)(v))                                                        \
  X(acos, MK_FN(acos)(v))                                                        \
  X(atan, MK_FN(atan)(v))                                                        \
  X(sinh, MK_FN(sinh)(v))                                                        \
  X(cosh, MK_FN(cosh)(v))                                                        \
  X(tanh, MK_FN(tanh)(v))                                                        \
  X(asinh, MK_FN(asinh)(v))                                                      \
  X(acosh, MK_FN(acosh)(v))                                                      \
  X(atanh, MK_FN(atanh)(v))                                                      \
  X(erf, MK_FN(erf)(v))                                                          \
  X(sigmoid, MK_FN(sigmoid)(v))                                                  \
  X(log_sigmoid, MK_FN(log_sigmoid)(v))                                          \
  X(logit, MK_FN(logit)(v))                                                      \
  X(relu, v < 0.0f ? 0.0f : v)                                                   \
  X(relu6, v < 0.0f ? 0.0f : (v > 6.0f ? 6.0f : v))                              \
  X(hardsigmoid, (v + 3.0f < 0.0f ? 0.0f : v + 3.0f > 6.0f ? 6.0f : v + 3.0f) / 6.0f)     \
  X(hardswish, v *(v + 3.0f < 0.0f ? 0.0f : v + 3.0f > 6.0f ? 6.0f : v + 3.0f) / 6.0f)    \
  X(silu, MK_FN(silu)(v))                                                        \
  X(gelu_erf, MK_FN(gelu_erf)(v))                                                \
  X(gelu_tanh, MK_FN(gelu_tanh)(v))                                              \
  X(softplus, MK_FN(softplus)(v))                                                \
  X(mish, MK_FN(mish)(v))                                                        \
  X(softsign, v / (1.0f + ABS(v)))                                               \
  X(isnan, (float)(v != v))                                                      \
  X(isinf, (float)(ABS(v) > __FLT_MAX__))                                        \
  X(logical_not, (float)(v == 0.0f))

/// Functions of two operands `p` and `q` that are vectorised completely.
#define VECTOR_BINARY(X)                                                         \
  X(add, p + q)                                                                  \
  X(sub, p - q)                                                                  \
  X(mul, p *q)                                                                   \
  X(div, p / q)                                                                  \
  X(div_trunc, __builtin_truncf(p / q))                                          \
  X(copysign, __builtin_copysignf(p, q))                                         \
  X(ldexp, p *MK_FN(exp2)(q))                                                    \
  X(logaddexp, p == q ? p + 0x1.62e43p-1f : MK_FN(nan_max)(p, q) + MK_FN(log1p)(MK_FN(exp)(-ABS(p - q))))  \
  X(minimum, MK_FN(nan_min)(p, q))                                                      \
  X(maximum, MK_FN(nan_max)(p, q))                                                      \
  X(fmin, ((p < q) | (q != q)) ? p : q)                                               \
  X(fmax, ((p > q) | (q != q)) ? p : q)                                               \
  X(eq, (float)(p == q))                                                         \
  X(ne, (float)(p != q))                                                         \
  X(lt, (float)(p < q))                                                          \
  X(le, (float)(p <= q))                                                         \
  X(gt, (float)(p > q))                                                          \
  X(ge, (float)(p >= q))                                                         \
  X(logical_and, (float)((p != 0.0f) & (q != 0.0f)))                             \
  X(logical_or, (float)((p != 0.0f) | (q != 0.0f)))                              \
  X(logical_xor, (float)((p != 0.0f) ^ (q != 0.0f)))                             \
  X(leaky_relu, p > 0.0f ? p : p *q)                                             \
  X(hardshrink, ((p >= -q) & (p <= q)) ? 0.0f : p)                                    \
  X(softshrink, p > q ? p - q : (p < -q ? p + q : p * 0.0f))

/// Functions of three operands `p`, `q` and `r`.
#define VECTOR_TERNARY(X)                                                        \
  X(where, p != 0.0f ? q : r)                                                    \
  X(clamp, MK_FN(nan_min)(MK_FN(nan_max)(p, q), r))                                            \
  X(mul_add, p *q + r)                                                           \
  X(elu, p > 0.0f ? p * r : MK_FN(expm1)(p) * q)                                 \
  X(softplus_beta, p *q > r ? p : MK_FN(log1p)(MK_FN(exp)(p * q)) / q)           \
  X(threshold, p <= q ? r : p)

// Enumerators by lower-case name.
enum {
#define MK_X(upper, lower, has_i64) CODE_##lower = MK_UNARY_##upper,
  MK_UNARY_OPS(MK_X)
#undef MK_X
#define MK_X(upper, lower, has_float, has_i64) CODE_##lower##_2 = MK_BINARY_##upper,
  MK_BINARY_OPS(MK_X)
#undef MK_X
#define MK_X(upper, lower, has_i64) CODE_##lower##_3 = MK_TERNARY_##upper,
  MK_TERNARY_OPS(MK_X)
#undef MK_X
};

typedef void (*unary_f32)(ptrdiff_t n, const float *x, float *y);
typedef void (*binary_f32)(ptrdiff_t n, const float *a, ptrdiff_t sa, const float *b, ptrdiff_t sb, float *y);
/// The first operand has stride 1, the others have `sb`.
typedef void (*ternary_f32)(ptrdiff_t n, const float *a, const float *b, ptrdiff_t sb, const float *c, float *y);

typedef struct {
  unary_f32 unary[MK_UNARY_COUNT];
  binary_f32 binary[MK_BINARY_COUNT];
  ternary_f32 ternary[MK_TERNARY_COUNT];
} level_f32;

#if defined(__FP_FAST_FMAF)
#define MK_HAS_FMA 1
#else
#define MK_HAS_FMA 0
#endif
#define MK_FN(name) name##_portable
#include "../simd/math_f32.inc"
#include "f32.inc"
#undef MK_FN
#undef MK_HAS_FMA

#if MK_HAS_X86_LEVELS
#define MK_HAS_FMA 1
MK_BEGIN_AVX2
#define MK_FN(name) name##_avx2
#include "../simd/math_f32.inc"
#include "f32.inc"
#undef MK_FN
MK_END_AVX2
MK_BEGIN_AVX512
#define MK_FN(name) name##_avx512
#include "../simd/math_f32.inc"
#include "f32.inc"
#undef MK_FN
MK_END_AVX512
#undef MK_HAS_FMA
#endif

#if MK_HAS_NEON_LEVEL
#define MK_HAS_FMA 1
#define MK_FN(name) name##_neon
#include "../simd/math_f32.inc"
#include "f32.inc"
#undef MK_FN
#undef MK_HAS_FMA
#endif

MK_DEFINE_CHOSEN_LEVEL(level_f32)

#define BLOCK_TYPE float
#define BLOCK_FN(name) name##_f32
#include "dispatch.inc"
