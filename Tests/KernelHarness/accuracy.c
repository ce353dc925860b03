/// `harness accuracy`: functions of one float32 number compared with the C library's double precision, over a sample of all floats and
/// over special values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"
#include "harness.h"

/// Distance between the bits of two sampled numbers: prime, so that all fractions occur.
#define STEP 2903
#define COUNT 8192

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double silu(double x) { return x / (1 + exp(-x)); }
static double elu(double x) { return x > 0 ? x : expm1(x); }
static double gelu_erf(double x) { return 0.5 * x * erfc(-x / sqrt(2)); }
static double gelu_tanh(double x) { return x * sigmoid(2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)); }

/// A function and what it promises for `low` <= x <= `high`: an error of at most `units` units in the last place if the result is normal,
/// or of `absolute`.
typedef struct {
  const char *name;
  double (*exact)(double);
  /// An `mk_activation`, or -1.
  int activation;
  /// An `mk_unary_op`, or -1.
  int unary;
  double low, high, units, absolute;
} promise;

static const promise promises[] = {
  {"sigmoid", sigmoid, MK_ACTIVATION_SIGMOID, -1, -HUGE_VAL, HUGE_VAL, 4, 0},
  {"silu", silu, MK_ACTIVATION_SILU, -1, -87, HUGE_VAL, 4, 0},
  // Factors below the smallest normal number have fewer digits.
  {"silu", silu, MK_ACTIVATION_SILU, -1, -HUGE_VAL, -87, 0, 2e-43},
  {"tanh", tanh, MK_ACTIVATION_TANH, -1, -HUGE_VAL, HUGE_VAL, 2, 0},
  {"gelu_erf", gelu_erf, MK_ACTIVATION_GELU_ERF, -1, -HUGE_VAL, HUGE_VAL, 2, 1e-7},
  {"gelu_tanh", gelu_tanh, MK_ACTIVATION_GELU_TANH, -1, -1, HUGE_VAL, 5, 0},
  {"gelu_tanh", gelu_tanh, MK_ACTIVATION_GELU_TANH, -1, -9, -1, 168, 0},
  {"elu", elu, MK_ACTIVATION_ELU, -1, -HUGE_VAL, HUGE_VAL, 3, 0},
  {"exp", exp, -1, MK_UNARY_EXP, -HUGE_VAL, HUGE_VAL, 2, 0},
  {"sigmoid", sigmoid, -1, MK_UNARY_SIGMOID, -HUGE_VAL, HUGE_VAL, 4, 0},
  {"silu", silu, -1, MK_UNARY_SILU, -87, HUGE_VAL, 4, 0},
  {"tanh", tanh, -1, MK_UNARY_TANH, -HUGE_VAL, HUGE_VAL, 2, 0},
  {"erf", erf, -1, MK_UNARY_ERF, -HUGE_VAL, HUGE_VAL, 3, 0},
  {"gelu_erf", gelu_erf, -1, MK_UNARY_GELU_ERF, 0, HUGE_VAL, 3, 0},
  {"gelu_erf", gelu_erf, -1, MK_UNARY_GELU_ERF, -HUGE_VAL, 0, 0, 1e-7},
  {"gelu_tanh", gelu_tanh, -1, MK_UNARY_GELU_TANH, -1, HUGE_VAL, 5, 0},
  {"gelu_tanh", gelu_tanh, -1, MK_UNARY_GELU_TANH, -9, -1, 168, 0},
};

/// Replaces `COUNT` numbers by their functions. An activation is that of a product of several rows, each number times 1.
static void apply(const promise *p, float *x) {
  if (p->unary >= 0) {
    if (mk_unary_f32(p->unary, COUNT, x, x) != MK_STATUS_OK) abort();
    return;
  }
  enum { ROWS = 32, COLUMNS = COUNT / ROWS };
  const float one = 1;
  float ones[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) ones[i] = one;
  float *packed = memory(mk_gemm_packed_count(1, COLUMNS) * 4);
  mk_gemm_pack_b(ones, MK_F32, COLUMNS, 1, 1, COLUMNS, 0, mk_gemm_panel_count(COLUMNS), NULL, packed);
  // Row r has COLUMNS numbers: the sum is 0, the residual is the number.
  const float zeros[ROWS] = {0};
  mk_gemm g = {.a = zeros, .a_row_stride = 1, .a_k_stride = 1, .b = packed, .c = x, .c_row_stride = COLUMNS, .k = 1, .n = COLUMNS};
  g.epilogue = (mk_epilogue){.residual = x, .residual_row_stride = COLUMNS, .activation = p->activation, .lo = 1, .alpha = 1};
  mk_gemm_f32(&g, 0, ROWS, 0, mk_gemm_panel_count(COLUMNS));
  free(packed);
}

/// Returns 0 if `y` is not what is promised for `x`.
static int is_kept(const promise *p, float x, float y, double *worst) {
  double exact = p->exact(x);
  if (isnan(x)) return isnan(y);
  if (!(x >= p->low && x <= p->high)) return 1;
  // The gates' factors of an infinity are 0.
  if (isnan(exact) || isnan(y)) return isinf(x);
  if (fabs(exact) > 0x1.ffffffp127) return isinf(y) && (y > 0) == (exact > 0);
  int exponent;
  frexp(exact, &exponent);
  double unit = ldexp(1, (exponent < -125 ? -125 : exponent) - 24), error = fabs(y - exact);
  // Results below the smallest normal number may also be 0.
  if (fabs(exact) < 0x1p-126 && error <= fabs(exact) + unit) return 1;
  if (p->absolute > 0 && error <= p->absolute * fmax(1, fabs(x))) return 1;
  if (error / unit > *worst) *worst = error / unit;
  return error <= p->units * unit;
}

int test_accuracy(void) {
  static const uint32_t special[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff,
                                     0x7fc12345, 0x00000001, 0x80000001, 0x00800000, 0x7f7fffff, 0xff7fffff};
  int failures = 0;
  float *x = memory(COUNT * 4), *y = memory(COUNT * 4);
  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    const promise *p = &promises[i];
    double worst = 0;
    int broken = 0;
    uint64_t bits = 0;
    for (int is_first = 1; bits <= UINT32_MAX; is_first = 0) {
      for (int n = 0; n < COUNT; n++) {
        uint32_t word = (uint32_t)bits;
        if (is_first && n < (int)(sizeof special / sizeof *special)) word = special[n];
        else bits += STEP;
        memcpy(&x[n], &word, 4);
      }
      memcpy(y, x, COUNT * 4);
      apply(p, y);
      for (int n = 0; n < COUNT; n++) {
        if (is_kept(p, x[n], y[n], &worst)) continue;
        if (broken++ == 0) fprintf(stderr, "%s %s of %a is %a, not %a\n", p->unary < 0 ? "activation" : "function", p->name, x[n], y[n], p->exact(x[n]));
      }
    }
    failures += broken > 0;
    printf("%s %s: %.2f units in the last place\n", p->unary < 0 ? "activation" : "function", p->name, worst);
  }
  free(x), free(y);
  return failures > 0;
}
