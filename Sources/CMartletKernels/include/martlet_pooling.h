/// Pooling of channels-last images.
#ifndef MARTLET_POOLING_H
#define MARTLET_POOLING_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

/// The pooling windows along one axis, as tables with one entry per output position. The tables describe sliding and adaptive windows
/// alike.
typedef struct mk_pool_axis {
  /// First position of the window inside the input, and the number of positions, which are `step` apart. A count may be 0.
  const ptrdiff_t *_Nonnull starts;
  const ptrdiff_t *_Nonnull counts;
  ptrdiff_t step;
  /// Divisors of averages. An average is divided by the product of both axes' entries. Not used for maxima.
  const ptrdiff_t *_Nullable divisors;
} mk_pool_axis;

/// Images, rows and pixels; channels of a pixel are contiguous; strides count elements. Input and output must not overlap.
typedef struct mk_pool2d {
  const void *_Nonnull input;
  ptrdiff_t input_image_stride, input_row_stride, input_pixel_stride;
  void *_Nonnull output;
  ptrdiff_t output_image_stride, output_row_stride, output_pixel_stride;
  ptrdiff_t output_height, output_width, channels;
  mk_pool_axis rows, columns;
  /// Positions of the maxima, y * `input_width` + x, with strides of their own; NULL if not requested. Ties give the first position; with
  /// several NaN, the last one (as in PyTorch).
  int64_t *_Nullable indices;
  ptrdiff_t indices_image_stride, indices_row_stride, indices_pixel_stride;
  ptrdiff_t input_width;
  /// Element type of `input` and `output`: `MK_F32`, or without indices also `MK_F16` or `MK_BF16`. Sums are in single precision.
  int dtype;
} mk_pool2d;

/// The maximum of each window: NaN if the window contains one, -infinity if it is empty. Computes output rows `row0` ..< `row1`, counted
/// over all images. Calls on disjoint rows may run concurrently.
void mk_max_pool2d(const mk_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// The sum of each window, divided by the product of the axes' `divisors`. An element's error is that of a running sum in single
/// precision.
void mk_average_pool2d(const mk_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// The gradient of a pooling of float32 images.
typedef struct mk_pool_gradient2d {
  /// The pooling. Its `output` is the gradient of its result, which is read. Maxima are those of its `input`, which averages do not read.
  const mk_pool2d *_Nonnull pool;
  /// The gradient of `input`, which has `input_height` rows of `input_width` pixels. Overlaps none of the others.
  float *_Nonnull result;
  ptrdiff_t result_image_stride, result_row_stride, result_pixel_stride;
  ptrdiff_t input_height;
} mk_pool_gradient2d;

/// Writes channels `channel0` ..< `channel1` of an image: the sum of the gradients of all windows whose first maximum, or last NaN, is
/// there. Calls on disjoint channels or images may run concurrently.
void mk_max_pool_gradient2d(const mk_pool_gradient2d *_Nonnull g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1);

/// As `mk_max_pool_gradient2d`, with the windows' gradients divided by the product of the axes' `divisors`.
void mk_average_pool_gradient2d(const mk_pool_gradient2d *_Nonnull g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1);

/// `mean[c]` = the mean of column `c` of `rows` > 0 rows of `columns` contiguous elements of `dtype` (`MK_F32`, `MK_F16`, `MK_BF16`),
/// `row_stride` apart: global average pooling of an image whose pixels are the rows. Partial sums cover 64 rows each. Calls on disjoint
/// columns may run concurrently.
void mk_mean_rows(
  const void *_Nonnull x, int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *_Nonnull mean);

#endif
