/// Pooling of one level, as template text after `gemm/vector.h`: a few vectors of channels at a time through the whole window.

#define UNROLL _Pragma("clang loop unroll(full)")

/// One window: `input` is its first element.
typedef struct MK_FN(pool_window) {
  const char *input;
  char *output;
  ptrdiff_t row_count, column_count;
  /// In bytes.
  ptrdiff_t row_stride, column_stride;
  float divisor;
} MK_FN(pool_window);

/// `vectors` vectors of channels from `channel` on, or, with `vectors` 0, the `lanes` < `LANES` channels that are left.
MK_INLINE void pool_channels(const MK_FN(pool_window) *w, ptrdiff_t channel, const int vectors, ptrdiff_t lanes, const int is_max,
                             const int dtype) {
  const int count = vectors > 0 ? vectors : 1;
  vec values[4];
  UNROLL for (int i = 0; i < count; i++) values[i] = vec_splat(is_max ? -__builtin_inff() : 0.0f);
  for (ptrdiff_t y = 0; y < w->row_count; y++) {
    const char *p = w->input + y * w->row_stride;
    for (ptrdiff_t x = 0; x < w->column_count; x++) {
      UNROLL for (int i = 0; i < count; i++) {
        vec v = vectors > 0 ? vec_load_as(p, channel + i * LANES, dtype) : vec_load_first_as(p, channel, lanes, dtype);
        // A NaN among the values stays: nothing compares greater than it.
        if (is_max) values[i] = ((v > values[i]) | (v != v)) ? v : values[i];
        else values[i] += v;
      }
      p += w->column_stride;
    }
  }
  UNROLL for (int i = 0; i < count; i++) {
    if (!is_max) values[i] /= w->divisor;
    if (vectors > 0) vec_store_as(w->output, channel + i * LANES, values[i], dtype);
    else vec_store_first_as(w->output, channel, values[i], lanes, dtype);
  }
}

/// The window of output row `y` (of `image`) and column `x`.
MK_INLINE MK_FN(pool_window) pool_window(const mk_pool2d *p, ptrdiff_t image, ptrdiff_t y, ptrdiff_t x, const int is_max,
                                           const int dtype) {
  const ptrdiff_t rows = p->rows.counts[y], columns = p->columns.counts[x], size = dtype == MK_F32 ? 4 : 2;
  // An empty window has no first element to point at.
  ptrdiff_t start = rows > 0 && columns > 0 ? p->rows.starts[y] * p->input_row_stride + p->columns.starts[x] * p->input_pixel_stride : 0;
  return (MK_FN(pool_window)){
    .input = (const char *)p->input + (image * p->input_image_stride + start) * size,
    .output = (char *)p->output + (image * p->output_image_stride + y * p->output_row_stride + x * p->output_pixel_stride) * size,
    .row_count = columns > 0 ? rows : 0,
    .column_count = columns,
    .row_stride = p->rows.step * p->input_row_stride * size,
    .column_stride = p->columns.step * p->input_pixel_stride * size,
    .divisor = is_max ? 1.0f : (float)(p->rows.divisors[y] * p->columns.divisors[x]),
  };
}

MK_INLINE void pool_rows(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1, const int is_max, const int dtype) {
  for (ptrdiff_t row = row0; row < row1; row++) {
    ptrdiff_t image = row / p->output_height, y = row % p->output_height;
    for (ptrdiff_t x = 0; x < p->output_width; x++) {
      MK_FN(pool_window) w = pool_window(p, image, y, x, is_max, dtype);
      ptrdiff_t channel = 0;
      for (; channel + 4 * LANES <= p->channels; channel += 4 * LANES) pool_channels(&w, channel, 4, 0, is_max, dtype);
      for (; channel + LANES <= p->channels; channel += LANES) pool_channels(&w, channel, 1, 0, is_max, dtype);
      if (channel < p->channels) pool_channels(&w, channel, 0, p->channels - channel, is_max, dtype);
    }
  }
}

/// Maxima and where they are.
static void MK_FN(max_with_indices)(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1) {
  for (ptrdiff_t row = row0; row < row1; row++) {
    ptrdiff_t image = row / p->output_height, y = row % p->output_height;
    for (ptrdiff_t x = 0; x < p->output_width; x++) {
      MK_FN(pool_window) w = pool_window(p, image, y, x, 1, MK_F32);
      float *output = (float *)(void *)w.output;
      int64_t *places =
        p->indices + image * p->indices_image_stride + y * p->indices_row_stride + x * p->indices_pixel_stride;
      int64_t first = p->rows.starts[y] * p->input_width + p->columns.starts[x];
      for (ptrdiff_t c = 0; c < p->channels; c++) {
        output[c] = -__builtin_inff();
        places[c] = first;
      }
      for (ptrdiff_t i = 0; i < w.row_count; i++)
        for (ptrdiff_t j = 0; j < w.column_count; j++) {
          const float *from = (const float *)(const void *)(w.input + i * w.row_stride + j * w.column_stride);
          int64_t place = first + i * p->rows.step * p->input_width + j * p->columns.step;
          for (ptrdiff_t c = 0; c < p->channels; c++) {
            float v = from[c];
            int wins = (v > output[c]) | (v != v);
            output[c] = wins ? v : output[c];
            places[c] = wins ? place : places[c];
          }
        }
    }
  }
}

void MK_FN(mk_max_pool2d)(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1) {
  assert(p->indices == NULL || p->dtype == MK_F32);
  if (p->indices != NULL) MK_FN(max_with_indices)(p, row0, row1);
  else if (p->dtype == MK_F16) pool_rows(p, row0, row1, 1, MK_F16);
  else if (p->dtype == MK_BF16) pool_rows(p, row0, row1, 1, MK_BF16);
  else pool_rows(p, row0, row1, 1, MK_F32);
}

void MK_FN(mk_average_pool2d)(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1) {
  if (p->dtype == MK_F16) pool_rows(p, row0, row1, 0, MK_F16);
  else if (p->dtype == MK_BF16) pool_rows(p, row0, row1, 0, MK_BF16);
  else pool_rows(p, row0, row1, 0, MK_F32);
}

/// Rows that are summed before the sum is joined to the others.
#define MEAN_BLOCK 64

/// `vectors` vectors of columns, or, with `vectors` 0, the last `lanes`, from `column` on.
MK_INLINE void mean_columns(const void *x, ptrdiff_t column, ptrdiff_t row_stride, ptrdiff_t rows, const int vectors, ptrdiff_t lanes,
                            const int dtype, float *mean) {
  const int count = vectors > 0 ? vectors : 1;
  vec totals[4];
  UNROLL for (int i = 0; i < count; i++) totals[i] = vec_splat(0.0f);
  for (ptrdiff_t row0 = 0; row0 < rows; row0 += MEAN_BLOCK) {
    ptrdiff_t row1 = mk_min(row0 + MEAN_BLOCK, rows);
    vec sums[4];
    UNROLL for (int i = 0; i < count; i++) sums[i] = vec_splat(0.0f);
    for (ptrdiff_t row = row0; row < row1; row++) {
      const ptrdiff_t at = row * row_stride + column;
      UNROLL for (int i = 0; i < count; i++)
        sums[i] += vectors > 0 ? vec_load_as(x, at + i * LANES, dtype) : vec_load_first_as(x, at, lanes, dtype);
    }
    UNROLL for (int i = 0; i < count; i++) totals[i] += sums[i];
  }
  UNROLL for (int i = 0; i < count; i++) {
    vec v = totals[i] / (float)rows;
    if (vectors > 0) vec_store(mean + column + i * LANES, v);
    else vec_store_first(mean + column, v, lanes);
  }
}

MK_INLINE void mean_rows(const void *x, const int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *mean) {
  ptrdiff_t c = 0;
  for (; c + 4 * LANES <= columns; c += 4 * LANES) mean_columns(x, c, row_stride, rows, 4, 0, dtype, mean);
  for (; c + LANES <= columns; c += LANES) mean_columns(x, c, row_stride, rows, 1, 0, dtype, mean);
  if (c < columns) mean_columns(x, c, row_stride, rows, 0, columns - c, dtype, mean);
}

void MK_FN(mk_mean_rows)(const void *x, int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *mean) {
  if (dtype == MK_F16) mean_rows(x, MK_F16, row_stride, rows, columns, mean);
  else if (dtype == MK_BF16) mean_rows(x, MK_BF16, row_stride, rows, columns, mean);
  else mean_rows(x, MK_F32, row_stride, rows, columns, mean);
}
