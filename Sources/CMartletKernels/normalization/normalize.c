// Products and sums are rounded separately.
#pragma STDC FP_CONTRACT OFF

#include "martlet_normalization.h"

#include <assert.h>
#include <math.h>

#include "../simd/loop.h"
#include "../simd/levels.h"

typedef struct {
  void (*softmax_rows)(
      ptrdiff_t rows, ptrdiff_t cols, const float *x, ptrdiff_t x_stride, float *y, ptrdiff_t y_stride, int log_of_it);
  float (*softmax_maximum)(ptrdiff_t n, const float *x);
  double (*softmax_powers)(ptrdiff_t n, const float *x, float largest, float *y, int log_of_it);
  void (*softmax_finish)(ptrdiff_t n, const float *x, float largest, double sum, float *y, int log_of_it);
  void (*softmax_cols)(ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner, const float *x, float *y, int log_of_it);
  void (*layer_norm)(
      ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *gamma, const float *beta, double eps, float *y, float *means,
      float *rstds);
  void (*rms_norm)(ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *gamma, double eps, float *y);
  void (*scale_shift_rows)(
      ptrdiff_t rows, ptrdiff_t channels, const float *x, const float *scale, const float *shift, float *y);
  void (*scale_shift_planes)(
      ptrdiff_t planes, ptrdiff_t plane_size, const float *x, const float *scale, const float *shift, float *y);
} normalizations;

#define ELEMENT float

#if defined(__FP_FAST_FMAF)
#define MK_HAS_FMA 1
#else
#define MK_HAS_FMA 0
#endif
#define LANES 4
#define MK_FN(name) name##_portable
#include "../simd/math_f32.inc"
#include "../simd/lanes.inc"
#include "../reduction/sums.inc"
#include "normalize.inc"
#undef MK_FN
#undef LANES
#undef MK_HAS_FMA

#if MK_HAS_X86_LEVELS
#define MK_HAS_FMA 1
MK_BEGIN_AVX2
#define LANES 8
#define MK_FN(name) name##_avx2
#include "../simd/math_f32.inc"
#include "../simd/lanes.inc"
#include "../reduction/sums.inc"
#include "normalize.inc"
#undef MK_FN
#undef LANES
MK_END_AVX2
MK_BEGIN_AVX512
#define LANES 16
#define MK_FN(name) name##_avx512
#include "../simd/math_f32.inc"
#include "../simd/lanes.inc"
#include "../reduction/sums.inc"
#include "normalize.inc"
#undef MK_FN
#undef LANES
MK_END_AVX512
#undef MK_HAS_FMA
#endif

#if MK_HAS_NEON_LEVEL
#define MK_HAS_FMA 1
#define LANES 4
#define MK_FN(name) name##_neon
#include "../simd/math_f32.inc"
#include "../simd/lanes.inc"
#include "../reduction/sums.inc"
#include "normalize.inc"
#undef MK_FN
#undef LANES
#undef MK_HAS_FMA
#endif

MK_DEFINE_CHOSEN_LEVEL(normalizations)

void mk_softmax_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, const float *x, ptrdiff_t x_row_stride, float *y, ptrdiff_t y_row_stride, int log) {
  assert(rows >= 0 && cols >= 0);
  chosen_level()->softmax_rows(rows, cols, x, x_row_stride, y, y_row_stride, log);
}

float mk_softmax_maximum_f32(ptrdiff_t n, const float *x) {
  assert(n >= 0);
  return chosen_level()->softmax_maximum(n, x);
}

double mk_softmax_powers_f32(ptrdiff_t n, const float *x, float largest, float *y, int log) {
  assert(n >= 0);
  return chosen_level()->softmax_powers(n, x, largest, y, log);
}

void mk_softmax_finish_f32(ptrdiff_t n, const float *x, float largest, double sum, float *y, int log) {
  assert(n >= 0);
  chosen_level()->softmax_finish(n, x, largest, sum, y, log);
}

void mk_softmax_cols_f32(ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner, const float *x, float *y, int log) {
  assert(outer >= 0 && axis >= 0 && inner >= 0);
  if (inner == 1)
    chosen_level()->softmax_rows(outer, axis, x, axis, y, axis, log);
  else
    chosen_level()->softmax_cols(outer, axis, inner, x, y, log);
}

/// Softmax of `n` elements, `stride` apart in both arrays.
static void softmax_line_f64(ptrdiff_t n, ptrdiff_t stride, const double *x, double *y, int log_of_it) {
  double largest = -HUGE_VAL, sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    double v = x[i * stride];
    largest = largest < v || v != v ? v : largest;
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    double power = exp(x[i * stride] - largest);
    sum += power;
    if (!log_of_it) y[i * stride] = power;
  }
  double log_sum = log_of_it ? log(sum) : 0;
  for (ptrdiff_t i = 0; i < n; i++) y[i * stride] = log_of_it ? x[i * stride] - largest - log_sum : y[i * stride] / sum;
}

void mk_softmax_rows_f64(
    ptrdiff_t rows, ptrdiff_t cols, const double *x, ptrdiff_t x_row_stride, double *y, ptrdiff_t y_row_stride, int log) {
  assert(rows >= 0 && cols >= 0);
  for (ptrdiff_t r = 0; r < rows; r++) softmax_line_f64(cols, 1, x + r * x_row_stride, y + r * y_row_stride, log);
}

void mk_softmax_cols_f64(ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner, const double *x, double *y, int log) {
  assert(outer >= 0 && axis >= 0 && inner >= 0);
  for (ptrdiff_t o = 0; o < outer; o++)
    for (ptrdiff_t i = 0; i < inner; i++)
      softmax_line_f64(axis, inner, x + o * axis * inner + i, y + o * axis * inner + i, log);
}

void mk_layer_norm_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *gamma, const float *beta, double eps, float *y, float *mean_out,
    float *rstd_out) {
  assert(rows >= 0 && cols >= 0);
  chosen_level()->layer_norm(rows, cols, x, gamma, beta, eps, y, mean_out, rstd_out);
}

void mk_rms_norm_rows_f32(ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *gamma, double eps, float *y) {
  assert(rows >= 0 && cols >= 0);
  chosen_level()->rms_norm(rows, cols, x, gamma, eps, y);
}

void mk_scale_shift_rows_f32(
    ptrdiff_t rows, ptrdiff_t channels, const float *x, const float *scale, const float *shift, float *y) {
  assert(rows >= 0 && channels >= 0);
  chosen_level()->scale_shift_rows(rows, channels, x, scale, shift, y);
}

void mk_scale_shift_planes_f32(
    ptrdiff_t planes, ptrdiff_t plane_size, const float *x, const float *scale, const float *shift, float *y) {
  assert(planes >= 0 && plane_size >= 0);
  chosen_level()->scale_shift_planes(planes, plane_size, x, scale, shift, y);
}
