/// Softmax and normalisations.
#ifndef MARTLET_NORMALIZE_H
#define MARTLET_NORMALIZE_H

#include <stddef.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// Softmax (`log` = 0) or log-softmax (`log` != 0) of each of `rows` rows of `cols` contiguous elements, at distances of `x_row_stride`
/// and `y_row_stride`. `y == x` with equal strides is allowed. The maximum is subtracted first, so that finite input never overflows. A
/// row that contains NaN or +inf, or only -inf, gives NaN throughout, as in PyTorch (also for log-softmax).
void mk_softmax_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, const float *x, ptrdiff_t x_row_stride, float *y, ptrdiff_t y_row_stride, int log);
void mk_softmax_rows_f64(
    ptrdiff_t rows, ptrdiff_t cols, const double *x, ptrdiff_t x_row_stride, double *y, ptrdiff_t y_row_stride, int log);

/// The steps of a softmax of one row in parts of `n` elements: the greatest element of a part (NaN if it contains NaN); the sum of
/// `exp(x - largest)`, which `y` takes unless `log` is set; the result from the greatest element and the sum of the whole row.
float mk_softmax_maximum_f32(ptrdiff_t n, const float *x);
double mk_softmax_powers_f32(ptrdiff_t n, const float *x, float largest, float *y, int log);
void mk_softmax_finish_f32(ptrdiff_t n, const float *x, float largest, double sum, float *y, int log);

/// The same over the middle axis of a contiguous array of shape (`outer`, `axis`, `inner`). `y == x` is allowed.
void mk_softmax_cols_f32(ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner, const float *x, float *y, int log);
void mk_softmax_cols_f64(ptrdiff_t outer, ptrdiff_t axis, ptrdiff_t inner, const double *x, double *y, int log);

/// `y = (x - mean) * rstd * gamma + beta` for each of `rows` contiguous rows of `cols` elements, `rstd = 1 / sqrt(var + eps)`, `var`
/// the mean of squared deviations. NULL `gamma` means 1, NULL `beta` 0. `mean_out` and `rstd_out` take one value per row unless
/// NULL. `y == x` is allowed.
void mk_layer_norm_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *_Nullable gamma, const float *_Nullable beta, double eps, float *y,
    float *_Nullable mean_out, float *_Nullable rstd_out);

/// `y = x * gamma / sqrt(mean(x^2) + eps)` for each of `rows` contiguous rows of `cols` elements. NULL `gamma` means 1. `y == x` is
/// allowed.
void mk_rms_norm_rows_f32(ptrdiff_t rows, ptrdiff_t cols, const float *x, const float *_Nullable gamma, double eps, float *y);

/// `y[r, c] = x[r, c] * scale[c] + shift[c]` for contiguous (`rows`, `channels`): channels-last batch or group norm. NULL `shift`
/// means 0. Product and sum are rounded separately. `y == x` is allowed.
void mk_scale_shift_rows_f32(
    ptrdiff_t rows, ptrdiff_t channels, const float *x, const float *scale, const float *_Nullable shift, float *y);

/// `y[p, i] = x[p, i] * scale[p] + shift[p]` for contiguous (`planes`, `plane_size`): channels-first batch or group norm.
void mk_scale_shift_planes_f32(
    ptrdiff_t planes, ptrdiff_t plane_size, const float *x, const float *scale, const float *_Nullable shift, float *y);

#pragma clang assume_nonnull end

#endif
