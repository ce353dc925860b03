/// Pooling of channels-last images.
#ifndef MARTLET_POOLING_H
#define MARTLET_POOLING_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

/// The windows of a pooling along one axis: tables of one entry per result position, so that sliding and adaptive windows are alike.
typedef struct mk_pool_axis {
  /// First position of the window that lies inside the input, and how many follow at distance `step`. A count may be 0.
  const ptrdiff_t *_Nonnull starts;
  const ptrdiff_t *_Nonnull counts;
  ptrdiff_t step;
  /// What an average divides by: the product of both axes' entries. Not read for a maximum.
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
  /// Of a maximum: where it was found, y * `input_width` + x, with strides of its own; NULL if not wanted. The first of equal
  /// values counts, but the last NaN (as in PyTorch).
  int64_t *_Nullable indices;
  ptrdiff_t indices_image_stride, indices_row_stride, indices_pixel_stride;
  ptrdiff_t input_width;
  /// What `input` and `output` point at: `MK_F32`, or without indices `MK_F16` or `MK_BF16`. Sums are in single precision.
  int dtype;
} mk_pool2d;

/// The largest value of each window, NaN if there is one, -infinity if the window is empty. Computes output rows
/// `row0` ..< `row1`, counted over all images. Calls on disjoint rows may run at the same time.
void mk_max_pool2d(const mk_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// The sum of each window, divided by the product of the axes' `divisors`. An element's error is that of a running sum in single
/// precision.
void mk_average_pool2d(const mk_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// `mean[c]` = the mean of column `c` of `rows` > 0 rows of `columns` contiguous elements of `dtype` (`MK_F32`, `MK_F16`, `MK_BF16`),
/// `row_stride` apart: global average pooling of an image whose pixels are the rows. Sums of 64 rows are joined one after another. Calls
/// on disjoint columns may run at the same time.
void mk_mean_rows(
  const void *_Nonnull x, int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *_Nonnull mean);

#endif
