#include <assert.h>

#include "../simd/loop.h"
#include "../simd/levels.h"
#include "martlet_pointwise.h"

// Arithmetic that wraps around.
#define ADD(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define SUB(a, b) ((int64_t)((uint64_t)(a) - (uint64_t)(b)))
#define MUL(a, b) ((int64_t)((uint64_t)(a) * (uint64_t)(b)))

/// Functions of one operand `v`.
#define VECTOR_UNARY(X)                                                                 \
  X(abs, v < 0 ? SUB(0, v) : v)                                                         \
  X(neg, SUB(0, v))                                                                     \
  X(sign, (v > 0) - (v < 0))                                                            \
  X(ceil, v)                                                                            \
  X(floor, v)                                                                           \
  X(round, v)                                                                           \
  X(trunc, v)                                                                           \
  X(square, MUL(v, v))                                                                  \
  X(cube, MUL(MUL(v, v), v))                                                            \
  X(relu, v < 0 ? 0 : v)                                                                \
  X(relu6, v < 0 ? 0 : v > 6 ? 6 : v)                                                   \
  X(isnan, (int64_t)(v != v))                                                           \
  X(isinf, (int64_t)(v != v))                                                           \
  X(logical_not, v == 0)                                                                \
  X(bitwise_not, ~v)

/// Functions of two operands `p` and `q` that are vectorised and report no status.
#define VECTOR_BINARY(X)                                                                \
  X(add, ADD(p, q))                                                                     \
  X(sub, SUB(p, q))                                                                     \
  X(mul, MUL(p, q))                                                                     \
  X(minimum, p < q ? p : q)                                                             \
  X(maximum, p > q ? p : q)                                                             \
  X(eq, p == q)                                                                         \
  X(ne, p != q)                                                                         \
  X(lt, p < q)                                                                          \
  X(le, p <= q)                                                                         \
  X(gt, p > q)                                                                          \
  X(ge, p >= q)                                                                         \
  X(logical_and, (p != 0) & (q != 0))                                                   \
  X(logical_or, (p != 0) | (q != 0))                                                    \
  X(logical_xor, (p != 0) ^ (q != 0))                                                   \
  X(bitwise_and, p &q)                                                                  \
  X(bitwise_or, p | q)                                                                  \
  X(bitwise_xor, p ^ q)

/// Functions among these that depend on the sign, for unsigned operands.
#define VECTOR_UNSIGNED(X)                                                              \
  X(minimum, p < q ? p : q)                                                             \
  X(maximum, p > q ? p : q)                                                             \
  X(lt, p < q)                                                                          \
  X(le, p <= q)                                                                         \
  X(gt, p > q)                                                                          \
  X(ge, p >= q)

/// Functions of three operands `p`, `q` and `r`.
#define VECTOR_TERNARY(X)                                                               \
  X(where, p != 0 ? q : r)                                                              \
  X(clamp, (p > q ? p : q) < r ? (p > q ? p : q) : r)                                   \
  X(mul_add, ADD(MUL(p, q), r))                                                         \
  X(threshold, p <= q ? r : p)

#define WRAPS(X) X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t)

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

typedef void (*unary_i64)(ptrdiff_t n, const int64_t *x, int64_t *y);
typedef void (*binary_i64)(ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, int64_t *y);
typedef void (*binary_u64)(ptrdiff_t n, const uint64_t *a, ptrdiff_t sa, const uint64_t *b, ptrdiff_t sb, uint64_t *y);
/// The first operand has stride 1, the others have `sb`.
typedef void (*ternary_i64)(ptrdiff_t n, const int64_t *a, const int64_t *b, ptrdiff_t sb, const int64_t *c, int64_t *y);

typedef struct {
  unary_i64 unary[MK_UNARY_COUNT];
  binary_i64 binary[MK_BINARY_COUNT];
  binary_u64 binary_unsigned[MK_BINARY_COUNT];
  ternary_i64 ternary[MK_TERNARY_COUNT];
  /// Indexed by signed 8, 16 and 32 bits, then unsigned.
  unary_i64 wrap[6];
} level_i64;

#define MK_FN(name) name##_portable
#include "i64.inc"
#undef MK_FN

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_FN(name) name##_avx2
#include "i64.inc"
#undef MK_FN
MK_END_AVX2
MK_BEGIN_AVX512
#define MK_FN(name) name##_avx512
#include "i64.inc"
#undef MK_FN
MK_END_AVX512
#endif

#if MK_HAS_NEON_LEVEL
#define MK_FN(name) name##_neon
#include "i64.inc"
#undef MK_FN
#endif

MK_DEFINE_CHOSEN_LEVEL(level_i64)

// Scalar functions. Division by 0 and its remainder give 0; the loop reports the error.

MK_INLINE int64_t quotient_i64(int64_t p, int64_t q) { return q == 0 ? 0 : q == -1 ? SUB(0, p) : p / q; }
MK_INLINE int64_t rest_i64(int64_t p, int64_t q) { return q == 0 || q == -1 ? 0 : p % q; }

MK_INLINE int64_t floor_quotient_i64(int64_t p, int64_t q) {
  int64_t rest = rest_i64(p, q);
  return quotient_i64(p, q) - (rest != 0 && (rest < 0) != (q < 0));
}

MK_INLINE int64_t floor_rest_i64(int64_t p, int64_t q) {
  int64_t rest = rest_i64(p, q);
  return rest != 0 && (rest < 0) != (q < 0) ? rest + q : rest;
}

MK_INLINE uint64_t quotient_u64(uint64_t p, uint64_t q) { return q == 0 ? 0 : p / q; }
MK_INLINE uint64_t rest_u64(uint64_t p, uint64_t q) { return q == 0 ? 0 : p % q; }

static uint64_t power_u64(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

static int64_t power_i64(int64_t base, int64_t exponent) {
  if (exponent >= 0) return (int64_t)power_u64((uint64_t)base, (uint64_t)exponent);
  if (base == 1) return 1;
  if (base == -1) return exponent & 1 ? -1 : 1;
  return 0;
}

MK_INLINE int64_t shift_left_i64(int64_t p, int64_t q, int bits) {
  return q < 0 || q >= bits ? 0 : (int64_t)((uint64_t)p << q);
}

/// Arithmetic shift. Values of unsigned types are not negative here.
MK_INLINE int64_t shift_right_i64(int64_t p, int64_t q, int bits) {
  return q < 0 || q >= bits ? (p < 0 ? -1 : 0) : p >> q;
}

#define LOOP(expression)                        \
  for (ptrdiff_t i = 0; i < n; i++) {           \
    const BLOCK p = a[i * sa], q = b[i * sb];   \
    y[i] = expression;                          \
  }                                             \
  return MK_STATUS_OK

#define DIVISION_LOOP(expression)               \
  {                                             \
    int has_zero = 0;                           \
    for (ptrdiff_t i = 0; i < n; i++) {         \
      const BLOCK p = a[i * sa], q = b[i * sb]; \
      has_zero |= q == 0;                       \
      y[i] = expression;                        \
    }                                           \
    return has_zero ? MK_STATUS_DIV_ZERO : MK_STATUS_OK; \
  }

#define BLOCK int64_t
static int run_binary_i64(int op, ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, int64_t *y) {
  switch (op) {
    case MK_BINARY_DIV_TRUNC: DIVISION_LOOP(quotient_i64(p, q))
    case MK_BINARY_DIV_FLOOR: DIVISION_LOOP(floor_quotient_i64(p, q))
    case MK_BINARY_FMOD: DIVISION_LOOP(rest_i64(p, q))
    case MK_BINARY_REMAINDER: DIVISION_LOOP(floor_rest_i64(p, q))
    case MK_BINARY_POW: LOOP(power_i64(p, q));
    case MK_BINARY_SHIFT_LEFT: LOOP(shift_left_i64(p, q, 64));
    case MK_BINARY_SHIFT_RIGHT: LOOP(shift_right_i64(p, q, 64));
    default: break;
  }
  binary_i64 function = chosen_level()->binary[op];
  if (function == NULL) return MK_STATUS_UNSUPPORTED;
  function(n, a, sa, b, sb, y);
  return MK_STATUS_OK;
}
#undef BLOCK

#define BLOCK uint64_t
static int run_binary_u64(
    int op, ptrdiff_t n, const uint64_t *a, ptrdiff_t sa, const uint64_t *b, ptrdiff_t sb, uint64_t *y) {
  switch (op) {
    case MK_BINARY_DIV_TRUNC:
    case MK_BINARY_DIV_FLOOR: DIVISION_LOOP(quotient_u64(p, q))
    case MK_BINARY_FMOD:
    case MK_BINARY_REMAINDER: DIVISION_LOOP(rest_u64(p, q))
    case MK_BINARY_POW: LOOP(power_u64(p, q));
    case MK_BINARY_SHIFT_LEFT: LOOP(q >= 64 ? 0 : p << q);
    case MK_BINARY_SHIFT_RIGHT: LOOP(q >= 64 ? 0 : p >> q);
    default: break;
  }
  binary_u64 function = chosen_level()->binary_unsigned[op];
  if (function == NULL) return run_binary_i64(op, n, (const int64_t *)a, sa, (const int64_t *)b, sb, (int64_t *)y);
  function(n, a, sa, b, sb, y);
  return MK_STATUS_OK;
}
#undef BLOCK

int mk_binary_u64(int op, ptrdiff_t n, const uint64_t *a, ptrdiff_t sa, const uint64_t *b, ptrdiff_t sb, uint64_t *y) {
  assert(op >= 0 && op < MK_BINARY_COUNT && n >= 0);
  assert((sa == 0 || sa == 1) && (sb == 0 || sb == 1));
  if (!mk_binary_supported(op, MK_U64)) return MK_STATUS_UNSUPPORTED;
  if (n == 0) return MK_STATUS_OK;
  // A scalar operand may be the first element of `y`.
  uint64_t a_first = *a, b_first = *b;
  if (sa == 0) a = &a_first;
  if (sb == 0) b = &b_first;
  if (sa != 0 || sb != 0) return run_binary_u64(op, n, a, sa, b, sb, y);
  int status = run_binary_u64(op, 1, a, 1, b, 1, y);
  for (ptrdiff_t i = 1; i < n; i++) y[i] = y[0];
  return status;
}

int mk_shift_i64(
    int op, int bits, int is_signed, ptrdiff_t n, const int64_t *a, ptrdiff_t sa, const int64_t *b, ptrdiff_t sb, int64_t *y) {
  assert(op == MK_BINARY_SHIFT_LEFT || op == MK_BINARY_SHIFT_RIGHT);
  assert((bits == 8 || bits == 16 || bits == 32 || bits == 64) && n >= 0);
  assert((sa == 0 || sa == 1) && (sb == 0 || sb == 1));
  if (n == 0) return MK_STATUS_OK;
  int64_t a_first = *a, b_first = *b;
  if (sa == 0) a = &a_first;
  if (sb == 0) b = &b_first;
  int is_left = op == MK_BINARY_SHIFT_LEFT, is_u64 = !is_signed && bits == 64;
  for (ptrdiff_t i = 0; i < n; i++) {
    int64_t p = a[i * sa], q = b[i * sb];
    if (is_left)
      y[i] = shift_left_i64(p, q, bits);
    else if (is_u64)
      y[i] = q < 0 || q >= 64 ? 0 : (int64_t)((uint64_t)p >> q);
    else
      y[i] = shift_right_i64(p, q, bits);
  }
  return MK_STATUS_OK;
}

void mk_wrap_i64(int bits, int is_signed, ptrdiff_t n, const int64_t *x, int64_t *y) {
  assert((bits == 8 || bits == 16 || bits == 32 || bits == 64) && n >= 0);
  if (bits == 64) {
    mk_block_convert(MK_I64, x, MK_I64, y, n);
    return;
  }
  chosen_level()->wrap[(is_signed ? 0 : 3) + (bits == 8 ? 0 : bits == 16 ? 1 : 2)](n, x, y);
}

#define BLOCK_TYPE int64_t
#define BLOCK_FN(name) name##_i64
#define BLOCK_BINARY run_binary_i64
#include "dispatch.inc"
