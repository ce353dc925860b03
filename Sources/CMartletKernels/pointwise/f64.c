// Products and sums are rounded separately.
#pragma STDC FP_CONTRACT OFF

#include <assert.h>
#include <math.h>

#include "../simd/loop.h"
#include "../simd/levels.h"
#include "martlet_pointwise.h"

/// Functions of one operand `v` that are vectorised.
#define VECTOR_UNARY(X)                                                                 \
  X(abs, ABS(v))                                                                        \
  X(neg, -v)                                                                            \
  X(sign, (double)(v > 0.0) - (double)(v < 0.0))                                        \
  X(ceil, __builtin_ceil(v))                                                            \
  X(floor, __builtin_floor(v))                                                          \
  X(round, __builtin_rint(v))                                                           \
  X(trunc, __builtin_trunc(v))                                                          \
  X(frac, v - __builtin_trunc(v))                                                       \
  X(square, v *v)                                                                       \
  X(cube, v *v *v)                                                                      \
  X(sqrt, __builtin_elementwise_sqrt(v))                                                \
  X(rsqrt, 1.0 / __builtin_elementwise_sqrt(v))                                         \
  X(reciprocal, 1.0 / v)                                                                \
  X(relu, v < 0.0 ? 0.0 : v)                                                            \
  X(relu6, v < 0.0 ? 0.0 : (v > 6.0 ? 6.0 : v))                                         \
  X(hardsigmoid, (v + 3.0 < 0.0 ? 0.0 : v + 3.0 > 6.0 ? 6.0 : v + 3.0) / 6.0)           \
  X(hardswish, v *(v + 3.0 < 0.0 ? 0.0 : v + 3.0 > 6.0 ? 6.0 : v + 3.0) / 6.0)          \
  X(softsign, v / (1.0 + ABS(v)))                                                       \
  X(isnan, (double)(v != v))                                                            \
  X(isinf, (double)(ABS(v) > __DBL_MAX__))                                              \
  X(logical_not, (double)(v == 0.0))

static double sigmoid_of(double v) {
  double e = exp(-fabs(v));
  return (v < 0.0 ? e : 1.0) / (1.0 + e);
}

static double mish_of(double v) {
  double e = exp(v > 40.0 ? 40.0 : v), n = e * (e + 2.0);
  return v * (n / (n + 2.0));
}

static double logit_of(double v) { return v < 0.25 ? log(v / (1.0 - v)) : log1p((2.0 * v - 1.0) / (1.0 - v)); }

/// Functions of one operand that call the C library.
#define LIBRARY_UNARY(X)                                                                \
  X(exp, exp(v))                                                                        \
  X(expm1, expm1(v))                                                                    \
  X(exp2, exp2(v))                                                                      \
  X(log, log(v))                                                                        \
  X(log2, log2(v))                                                                      \
  X(log10, log10(v))                                                                    \
  X(log1p, log1p(v))                                                                    \
  X(sin, sin(v))                                                                        \
  X(cos, cos(v))                                                                        \
  X(tan, tan(v))                                                                        \
  X(asin, asin(v))                                                                      \
  X(acos, acos(v))                                                                      \
  X(atan, atan(v))                                                                      \
  X(sinh, sinh(v))                                                                      \
  X(cosh, cosh(v))                                                                      \
  X(tanh, tanh(v))                                                                      \
  X(asinh, asinh(v))                                                                    \
  X(acosh, acosh(v))                                                                    \
  X(atanh, atanh(v))                                                                    \
  X(erf, erf(v))                                                                        \
  X(erfc, erfc(v))                                                                      \
  X(sigmoid, sigmoid_of(v))                                                             \
  X(log_sigmoid, (v < 0.0 ? v : 0.0) - log1p(exp(-fabs(v))))                            \
  X(logit, logit_of(v))                                                                 \
  X(silu, v *sigmoid_of(v))                                                             \
  X(gelu_erf, 0.5 * v * erfc(-v * 0x1.6a09e667f3bcdp-1))                                \
  X(gelu_tanh, v *sigmoid_of(0x1.9884533d43651p0 * (v + 0.044715 * v * v * v)))         \
  X(softplus, v > 20.0 ? v : log1p(exp(v)))                                             \
  X(mish, mish_of(v))

/// Functions of two operands `p` and `q` that are vectorised.
#define VECTOR_BINARY(X)                                                                \
  X(add, p + q)                                                                         \
  X(sub, p - q)                                                                         \
  X(mul, p *q)                                                                          \
  X(div, p / q)                                                                         \
  X(div_trunc, __builtin_trunc(p / q))                                                  \
  X(copysign, __builtin_copysign(p, q))                                                 \
  X(minimum, MK_FN(nan_min)(p, q))                                                             \
  X(maximum, MK_FN(nan_max)(p, q))                                                             \
  X(fmin, ((p < q) | (q != q)) ? p : q)                                                      \
  X(fmax, ((p > q) | (q != q)) ? p : q)                                                      \
  X(eq, (double)(p == q))                                                               \
  X(ne, (double)(p != q))                                                               \
  X(lt, (double)(p < q))                                                                \
  X(le, (double)(p <= q))                                                               \
  X(gt, (double)(p > q))                                                                \
  X(ge, (double)(p >= q))                                                               \
  X(logical_and, (double)((p != 0.0) & (q != 0.0)))                                     \
  X(logical_or, (double)((p != 0.0) | (q != 0.0)))                                      \
  X(logical_xor, (double)((p != 0.0) ^ (q != 0.0)))                                     \
  X(leaky_relu, p > 0.0 ? p : p *q)                                                     \
  X(hardshrink, ((p >= -q) & (p <= q)) ? 0.0 : p)                                            \
  X(softshrink, p > q ? p - q : (p < -q ? p + q : p * 0.0))

static double remainder_of(double p, double q) {
  double rest = fmod(p, q);
  return rest != 0.0 && (q < 0.0) != (rest < 0.0) ? rest + q : rest;
}

/// Floor of the quotient by means of the exact remainder, as in ATen's `div_floor`.
static double floor_quotient(double p, double q) {
  if (q == 0.0) return p / q;
  double rest = fmod(p, q);
  double quotient = (p - rest) / q;
  if (rest != 0.0 && (q < 0.0) != (rest < 0.0)) quotient -= 1.0;
  if (quotient == 0.0) return copysign(0.0, p / q);
  double floored = floor(quotient);
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

static double logaddexp_of(double p, double q) {
  if (p == q) return p + 0x1.62e42fefa39efp-1;
  return (p > q || p != p ? p : q) + log1p(exp(-fabs(p - q)));
}

/// Functions of two operands that call the C library.
#define LIBRARY_BINARY(X)                                                               \
  X(div_floor, floor_quotient(p, q))                                                    \
  X(fmod, fmod(p, q))                                                                   \
  X(remainder, remainder_of(p, q))                                                      \
  X(pow, q == 2.0 ? p * p : pow(p, q))                                                  \
  X(atan2, atan2(p, q))                                                                 \
  X(hypot, hypot(p, q))                                                                 \
  X(ldexp, p *exp2(q))                                                                  \
  X(logaddexp, logaddexp_of(p, q))

/// Functions of three operands `p`, `q` and `r` that are vectorised.
#define VECTOR_TERNARY(X)                                                               \
  X(where, p != 0.0 ? q : r)                                                            \
  X(clamp, MK_FN(nan_min)(MK_FN(nan_max)(p, q), r))                                                   \
  X(mul_add, p *q + r)                                                                  \
  X(threshold, p <= q ? r : p)

#define LIBRARY_TERNARY(X)                                                              \
  X(elu, p > 0.0 ? p * r : expm1(p) * q)                                                \
  X(softplus_beta, p *q > r ? p : log1p(exp(p * q)) / q)

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

typedef void (*unary_f64)(ptrdiff_t n, const double *x, double *y);
typedef void (*binary_f64)(ptrdiff_t n, const double *a, ptrdiff_t sa, const double *b, ptrdiff_t sb, double *y);
/// The first operand has stride 1, the others have `sb`.
typedef void (*ternary_f64)(ptrdiff_t n, const double *a, const double *b, ptrdiff_t sb, const double *c, double *y);

typedef struct {
  unary_f64 unary[MK_UNARY_COUNT];
  binary_f64 binary[MK_BINARY_COUNT];
  ternary_f64 ternary[MK_TERNARY_COUNT];
} level_f64;

#define DEFINE(name, expression)                                       \
  static void unary_##name(ptrdiff_t n, const double *x, double *y) {  \
    for (ptrdiff_t i = 0; i < n; i++) {                                \
      double v = x[i];                                                 \
      y[i] = expression;                                               \
    }                                                                  \
  }
LIBRARY_UNARY(DEFINE)
#undef DEFINE

#define DEFINE(name, expression)                                                                                         \
  static void binary_##name(ptrdiff_t n, const double *a, ptrdiff_t sa, const double *b, ptrdiff_t sb, double *y) {      \
    for (ptrdiff_t i = 0; i < n; i++) {                                                                                  \
      double p = a[i * sa], q = b[i * sb];                                                                               \
      y[i] = expression;                                                                                                 \
    }                                                                                                                    \
  }
LIBRARY_BINARY(DEFINE)
#undef DEFINE

#define DEFINE(name, expression)                                                                                         \
  static void ternary_##name(ptrdiff_t n, const double *a, const double *b, ptrdiff_t sb, const double *c, double *y) {  \
    for (ptrdiff_t i = 0; i < n; i++) {                                                                                  \
      double p = a[i], q = b[i * sb], r = c[i * sb];                                                                     \
      y[i] = expression;                                                                                                 \
    }                                                                                                                    \
  }
LIBRARY_TERNARY(DEFINE)
#undef DEFINE

#define MK_FN(name) name##_portable
#include "f64.inc"
#undef MK_FN

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_FN(name) name##_avx2
#include "f64.inc"
#undef MK_FN
MK_END_AVX2
MK_BEGIN_AVX512
#define MK_FN(name) name##_avx512
#include "f64.inc"
#undef MK_FN
MK_END_AVX512
#endif

#if MK_HAS_NEON_LEVEL
#define MK_FN(name) name##_neon
#include "f64.inc"
#undef MK_FN
#endif

MK_DEFINE_CHOSEN_LEVEL(level_f64)

#define BLOCK_TYPE double
#define BLOCK_FN(name) name##_f64
#include "dispatch.inc"
