/// Element-wise operations on contiguous blocks: the instructions of the fused element-wise evaluator.
///
/// Blocks hold one of four compute types: `float`, `double`, `int64_t`, and `uint64_t` where it differs from `int64_t`. Narrow types are
/// converted on load and store (`mk_convert`). Between operations that must round or wrap like the narrow type, `mk_round_f32` and
/// `mk_wrap_i64` are used. Truth values are 0 and 1 of the block's type; `mk_convert` converts them between types.
///
/// `n` is unbounded. The result may be the same block as an operand; otherwise it must not overlap one. The stride of an operand is 1, or
/// 0 for a single value used for all `n` elements.
#ifndef MARTLET_POINTWISE_H
#define MARTLET_POINTWISE_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// Status bits of a function; they may be combined. All results are written whatever the status, except for `UNSUPPORTED`.
enum mk_status {
  MK_STATUS_OK = 0,
  /// An integer was divided by zero; that element's result is 0.
  MK_STATUS_DIV_ZERO = 1,
  /// The operation does not exist for the type; nothing was written.
  MK_STATUS_UNSUPPORTED = 2,
};

/// Operations of one operand; semantics are those of the ATen operators. Columns: enumerator, name, exists for int64.
///
/// `SIGN` of NaN is 0 and of -0 is 0, as in ATen; `ROUND` is half to even; `RELU` keeps NaN and -0; `SOFTPLUS` has beta 1 and
/// threshold 20; `LOGIT` has no epsilon; `ISNAN`, `ISINF`, `LOGICAL_NOT` give 0 or 1.
///
/// Accuracy for float: at most 4 ulp over the whole range with the special values of C Annex F; for `GELU_ERF` and `GELU_TANH` of
/// negative operands 1e-7 absolute instead. Double precision is the C library's.
#define MK_UNARY_OPS(X)                                                                                                         \
  X(ABS, abs, 1)                                                                                                                \
  X(NEG, neg, 1)                                                                                                                \
  X(SIGN, sign, 1)                                                                                                              \
  X(CEIL, ceil, 1)                                                                                                              \
  X(FLOOR, floor, 1)                                                                                                            \
  X(ROUND, round, 1)                                                                                                            \
  X(TRUNC, trunc, 1)                                                                                                            \
  X(FRAC, frac, 0)                                                                                                              \
  X(SQUARE, square, 1)                                                                                                          \
  X(CUBE, cube, 1)                                                                                                              \
  X(SQRT, sqrt, 0)                                                                                                              \
  X(RSQRT, rsqrt, 0)                                                                                                            \
  X(RECIPROCAL, reciprocal, 0)                                                                                                  \
  X(EXP, exp, 0)                                                                                                                \
  X(EXPM1, expm1, 0)                                                                                                            \
  X(EXP2, exp2, 0)                                                                                                              \
  X(LOG, log, 0)                                                                                                                \
  X(LOG2, log2, 0)                                                                                                              \
  X(LOG10, log10, 0)                                                                                                            \
  X(LOG1P, log1p, 0)                                                                                                            \
  X(SIN, sin, 0)                                                                                                                \
  X(COS, cos, 0)                                                                                                                \
  X(TAN, tan, 0)                                                                                                                \
  X(ASIN, asin, 0)                                                                                                              \
  X(ACOS, acos, 0)                                                                                                              \
  X(ATAN, atan, 0)                                                                                                              \
  X(SINH, sinh, 0)                                                                                                              \
  X(COSH, cosh, 0)                                                                                                              \
  X(TANH, tanh, 0)                                                                                                              \
  X(ASINH, asinh, 0)                                                                                                            \
  X(ACOSH, acosh, 0)                                                                                                            \
  X(ATANH, atanh, 0)                                                                                                            \
  X(ERF, erf, 0)                                                                                                                \
  X(ERFC, erfc, 0)                                                                                                              \
  X(SIGMOID, sigmoid, 0)                                                                                                        \
  X(LOG_SIGMOID, log_sigmoid, 0)                                                                                                \
  X(LOGIT, logit, 0)                                                                                                            \
  X(RELU, relu, 1)                                                                                                              \
  X(RELU6, relu6, 1)                                                                                                            \
  X(HARDSIGMOID, hardsigmoid, 0)                                                                                                \
  X(HARDSWISH, hardswish, 0)                                                                                                    \
  X(SILU, silu, 0)                                                                                                              \
  X(GELU_ERF, gelu_erf, 0)                                                                                                      \
  X(GELU_TANH, gelu_tanh, 0)                                                                                                    \
  X(SOFTPLUS, softplus, 0)                                                                                                      \
  X(MISH, mish, 0)                                                                                                              \
  X(SOFTSIGN, softsign, 0)                                                                                                      \
  X(ISNAN, isnan, 1)                                                                                                            \
  X(ISINF, isinf, 1)                                                                                                            \
  X(LOGICAL_NOT, logical_not, 1)                                                                                                \
  X(BITWISE_NOT, bitwise_not, 1)

/// Operations of two operands. Columns: enumerator, name, exists for float and double, exists for int64.
///
/// `DIV` is true division (floats only). `DIV_TRUNC`, `DIV_FLOOR` are ATen's rounding modes, `REMAINDER` has the sign of the
/// divisor, `FMOD` of the dividend. `POW` of integers wraps around; a negative exponent gives 1 or -1 for those bases and otherwise
/// 0. `MAXIMUM`, `MINIMUM` propagate NaN, `FMAX`, `FMIN` ignore it. Comparisons and logic give 0 or 1. Shifts are those of 64
/// bits; see `mk_shift_i64` for others. `LEAKY_RELU` and `PRELU` are `a > 0 ? a : a * b`. `HARDSHRINK` and `SOFTSHRINK` take
/// lambda as `b`. `LDEXP` is `a * 2^b`, with any real `b`.
///
/// The most negative integer divided by -1 wraps around, with remainder 0.
#define MK_BINARY_OPS(X)                                                                                                        \
  X(ADD, add, 1, 1)                                                                                                             \
  X(SUB, sub, 1, 1)                                                                                                             \
  X(MUL, mul, 1, 1)                                                                                                             \
  X(DIV, div, 1, 0)                                                                                                             \
  X(DIV_TRUNC, div_trunc, 1, 1)                                                                                                 \
  X(DIV_FLOOR, div_floor, 1, 1)                                                                                                 \
  X(FMOD, fmod, 1, 1)                                                                                                           \
  X(REMAINDER, remainder, 1, 1)                                                                                                 \
  X(POW, pow, 1, 1)                                                                                                             \
  X(ATAN2, atan2, 1, 0)                                                                                                         \
  X(HYPOT, hypot, 1, 0)                                                                                                         \
  X(COPYSIGN, copysign, 1, 0)                                                                                                   \
  X(LDEXP, ldexp, 1, 0)                                                                                                         \
  X(LOGADDEXP, logaddexp, 1, 0)                                                                                                 \
  X(MINIMUM, minimum, 1, 1)                                                                                                     \
  X(MAXIMUM, maximum, 1, 1)                                                                                                     \
  X(FMIN, fmin, 1, 1)                                                                                                           \
  X(FMAX, fmax, 1, 1)                                                                                                           \
  X(EQ, eq, 1, 1)                                                                                                               \
  X(NE, ne, 1, 1)                                                                                                               \
  X(LT, lt, 1, 1)                                                                                                               \
  X(LE, le, 1, 1)                                                                                                               \
  X(GT, gt, 1, 1)                                                                                                               \
  X(GE, ge, 1, 1)                                                                                                               \
  X(LOGICAL_AND, logical_and, 1, 1)                                                                                             \
  X(LOGICAL_OR, logical_or, 1, 1)                                                                                               \
  X(LOGICAL_XOR, logical_xor, 1, 1)                                                                                             \
  X(BITWISE_AND, bitwise_and, 0, 1)                                                                                             \
  X(BITWISE_OR, bitwise_or, 0, 1)                                                                                               \
  X(BITWISE_XOR, bitwise_xor, 0, 1)                                                                                             \
  X(SHIFT_LEFT, shift_left, 0, 1)                                                                                               \
  X(SHIFT_RIGHT, shift_right, 0, 1)                                                                                             \
  X(LEAKY_RELU, leaky_relu, 1, 0)                                                                                               \
  X(PRELU, prelu, 1, 0)                                                                                                         \
  X(HARDSHRINK, hardshrink, 1, 0)                                                                                               \
  X(SOFTSHRINK, softshrink, 1, 0)

/// Operations of three operands. Columns: enumerator, name, exists for int64.
///
/// `WHERE`: `a != 0 ? b : c`. `CLAMP`: `min(max(a, b), c)`, NaN in any operand gives NaN. `MUL_ADD`: `a * b + c`, rounded twice.
/// `ELU`: `a > 0 ? a * c : expm1(a) * b` (b = alpha * scale, c = scale). `SOFTPLUS_BETA`: `a * b > c ? a : log1p(exp(a * b)) / b`.
/// `THRESHOLD`: `a <= b ? c : a`.
#define MK_TERNARY_OPS(X)                                                                                                       \
  X(WHERE, where, 1)                                                                                                            \
  X(CLAMP, clamp, 1)                                                                                                            \
  X(MUL_ADD, mul_add, 1)                                                                                                        \
  X(ELU, elu, 0)                                                                                                                \
  X(SOFTPLUS_BETA, softplus_beta, 0)                                                                                            \
  X(THRESHOLD, threshold, 1)

enum mk_unary_op {
#define MK_X(upper, lower, has_i64) MK_UNARY_##upper,
  MK_UNARY_OPS(MK_X)
#undef MK_X
      MK_UNARY_COUNT
};

enum mk_binary_op {
#define MK_X(upper, lower, has_float, has_i64) MK_BINARY_##upper,
  MK_BINARY_OPS(MK_X)
#undef MK_X
      MK_BINARY_COUNT
};

enum mk_ternary_op {
#define MK_X(upper, lower, has_i64) MK_TERNARY_##upper,
  MK_TERNARY_OPS(MK_X)
#undef MK_X
      MK_TERNARY_COUNT
};

/// The lower-case name of an operation; NULL if `op` is invalid.
const char *_Nullable mk_unary_name(int op);
const char *_Nullable mk_binary_name(int op);
const char *_Nullable mk_ternary_name(int op);

/// Returns 1 if the operation exists for blocks of `dtype` (`MK_F32`, `MK_F64`, `MK_I64` or `MK_U64`), else 0.
int mk_unary_supported(int op, int dtype);
int mk_binary_supported(int op, int dtype);
int mk_ternary_supported(int op, int dtype);

/// `y[i] = op(x[i])`. Returns `mk_status` bits.
int mk_unary_f32(int op, ptrdiff_t n, const float *x, float *y);
int mk_unary_f64(int op, ptrdiff_t n, const double *x, double *y);
int mk_unary_i64(int op, ptrdiff_t n, const int64_t *x, int64_t *y);

/// `y[i] = op(a[i * sa], b[i * sb])`. Returns `mk_status` bits.
int mk_binary_f32(int op, ptrdiff_t n, const float *a, ptrdiff_t sa, const float *b, ptrdiff_t sb, float *y);
int mk_binary_f64(int op, ptrdiff_t n, const double *a, ptrdiff_t sa, const double *b, ptrdiff_t sb, double *y);
int mk_binary_i64(int op, ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, int64_t *y);

/// `mk_binary_i64` for `uint64_t`. Operations that do not depend on the sign share one function.
int mk_binary_u64(int op, ptrdiff_t n, const uint64_t *a, ptrdiff_t sa, const uint64_t *b, ptrdiff_t sb, uint64_t *y);

/// `y[i] = op(a[i * sa], b[i * sb], c[i * sc])`. Returns `mk_status` bits.
int mk_ternary_f32(
    int op, ptrdiff_t n, const float *a, ptrdiff_t sa, const float *b, ptrdiff_t sb, const float *c, ptrdiff_t sc, float *y);
int mk_ternary_f64(
    int op, ptrdiff_t n, const double *a, ptrdiff_t sa, const double *b, ptrdiff_t sb, const double *c, ptrdiff_t sc, double *y);
int mk_ternary_i64(
    int op, ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, const int64_t *c, ptrdiff_t sc, int64_t *y);

/// `MK_BINARY_SHIFT_LEFT` or `MK_BINARY_SHIFT_RIGHT` with ATen's semantics for a signed or unsigned integer type of `bits` bits (8, 16,
/// 32 or 64), whose values are held in int64 blocks. A left shift by a negative count or by at least `bits` gives 0; a right shift by
/// such a count gives 0, or -1 for a negative signed value. A left shift may set bits beyond `bits`, which `mk_wrap_i64` or the store
/// removes.
int mk_shift_i64(
    int op, int bits, int is_signed, ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, int64_t *y);

/// `y[i]` = the low `bits` bits (8, 16, 32 or 64) of `x[i]`, sign-extended if `is_signed`, else zero-extended.
void mk_wrap_i64(int bits, int is_signed, ptrdiff_t n, const int64_t *x, int64_t *y);

/// `y[i]` = `x[i]` rounded to the precision and range of `dtype` (`MK_F16` or `MK_BF16`), nearest, ties to even.
void mk_round_f32(int dtype, ptrdiff_t n, const float *x, float *y);

/// Converts a block between compute types; both are of `MK_F32`, `MK_F64`, `MK_I64`, `MK_U64`. As `mk_convert` with stride 1.
void mk_block_convert(int src_dtype, const void *src, int dst_dtype, void *dst, ptrdiff_t n);

#pragma clang assume_nonnull end

#endif
