/// The making of planes at one level, as template text after its `bf16_round_run`.

/// Rounds `count` channels at `from`, `channel_stride` elements apart, into a slot's `steps` steps, zeros behind them.
MK_INLINE void bf16_fill_slot(const void *from, const int dtype, ptrdiff_t channel_stride, ptrdiff_t count, ptrdiff_t steps,
                              const int terms, uint16_t *to) {
  if (channel_stride == 1) {
    bf16_round_run(from, dtype, count, steps, terms, to, to + steps);
    return;
  }
  for (ptrdiff_t i = 0; i < steps; i += MK_BF16_STEPS) {
    float lanes[MK_BF16_STEPS] = {0};
    ptrdiff_t some = mk_max(0, mk_min(MK_BF16_STEPS, count - i));
    for (ptrdiff_t j = 0; j < some; j++) lanes[j] = scalar_load_as(from, (i + j) * channel_stride, dtype);
    bf16_round_run(lanes, MK_F32, MK_BF16_STEPS, MK_BF16_STEPS, terms, to + i, to + steps + i);
  }
}

/// One row of one phase of the plane.
MK_INLINE void bf16_plane_row(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const char *group_input, ptrdiff_t input_row,
                              ptrdiff_t phase_x, const int dtype, const int terms, uint16_t *to) {
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t slot_bytes = l->slot * 2, size = dtype == MK_F32 ? 4 : 2;
  if (input_row < 0 || input_row >= c->height) {
    memset(to, 0, (size_t)(l->width * slot_bytes));
    return;
  }
  // Columns whose pixels exist: 0 <= column * stride + start < width.
  const ptrdiff_t start = phase_x - c->pad_left;
  const ptrdiff_t first = mk_min(l->width, start < 0 ? mk_divide_up(-start, c->stride_x) : 0);
  const ptrdiff_t end = mk_max(first, mk_min(l->width, mk_divide_up(mk_max(0, c->width - start), c->stride_x)));
  if (first > 0) memset(to, 0, (size_t)(first * slot_bytes));
  const char *from = group_input + (input_row * c->input_row_stride + (first * c->stride_x + start) * c->input_pixel_stride) * size;
  const ptrdiff_t step = c->stride_x * c->input_pixel_stride * size;
  for (ptrdiff_t x = first; x < end; x++, from += step)
    bf16_fill_slot(from, dtype, d->input_channel_stride, c->input_channels, l->steps, terms, to + x * l->slot);
  if (end < l->width) memset(to + end * l->slot, 0, (size_t)((l->width - end) * slot_bytes));
}

/// Bfloat16 numbers of the rounded input that a plane which gathers is copied from.
#define GATHERED_COUNT 8192

/// Rounds `pixels` pixels of an input row from column `column` on, zeros for those that do not exist.
MK_INLINE void bf16_gather_source(const mk_conv2d *c, const char *group_input, ptrdiff_t row, ptrdiff_t column, ptrdiff_t pixels,
                                  const int dtype, const int terms, uint16_t *hi, uint16_t *lo) {
  const ptrdiff_t channels = c->input_channels, size = dtype == MK_F32 ? 4 : 2;
  const int exists = row >= 0 && row < c->height;
  const ptrdiff_t first = exists ? mk_min(pixels, column < 0 ? -column : 0) : pixels;
  const ptrdiff_t end = mk_max(first, mk_min(pixels, c->width - column));
  if (first > 0) {
    memset(hi, 0, (size_t)(first * channels) * 2);
    if (terms == MK_BF16_SPLIT) memset(lo, 0, (size_t)(first * channels) * 2);
  }
  const char *from = group_input + (row * c->input_row_stride + (column + first) * c->input_pixel_stride) * size;
  if (end > first && c->input_pixel_stride == channels) {
    const ptrdiff_t count = (end - first) * channels;
    bf16_round_run(from, dtype, count, count, terms, hi + first * channels, lo + first * channels);
  } else {
    for (ptrdiff_t x = first; x < end; x++, from += c->input_pixel_stride * size)
      bf16_round_run(from, dtype, channels, channels, terms, hi + x * channels, lo + x * channels);
  }
  if (end < pixels) {
    memset(hi + end * channels, 0, (size_t)((pixels - end) * channels) * 2);
    if (terms == MK_BF16_SPLIT) memset(lo + end * channels, 0, (size_t)((pixels - end) * channels) * 2);
  }
}

/// One output row of a plane that gathers: each slot holds all inputs of its pixel. They are rounded once for some pixels at a time, then
/// copied.
MK_INLINE void bf16_gather_row(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const char *group_input, ptrdiff_t y, const int dtype,
                               const int terms, uint16_t *to) {
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t channels = c->input_channels, taps_y = c->kernel_height, taps_x = c->kernel_width;
  const ptrdiff_t top = y * c->stride_y - c->pad_top, total = taps_y * taps_x * channels, parts = mk_bf16_parts(terms);
  const ptrdiff_t reach = (taps_x - 1) * c->dilation_x + 1;
  const ptrdiff_t run = c->dilation_x == 1 ? taps_x * channels : channels, runs = c->dilation_x == 1 ? 1 : taps_x;
  uint16_t source[GATHERED_COUNT];
  // Numbers of one row in one part, with as many pixels as fit.
  const ptrdiff_t row_count = GATHERED_COUNT / (taps_y * parts);
  if (row_count / channels < reach) {
    // Taps too far apart: each one by itself.
    for (ptrdiff_t x = 0; x < c->output_width; x++, to += l->slot) {
      uint16_t *out = to;
      for (ptrdiff_t i = 0; i < taps_y; i++)
        for (ptrdiff_t j = 0; j < taps_x; j++, out += channels)
          bf16_gather_source(c, group_input, top + i * c->dilation_y, x * c->stride_x - c->pad_left + j * c->dilation_x, 1, dtype, terms,
                             out, out + l->steps);
      for (ptrdiff_t part = 0; part < parts; part++) memset(to + part * l->steps + total, 0, (size_t)(l->steps - total) * 2);
    }
    return;
  }
  const ptrdiff_t fitting = (row_count / channels - reach) / c->stride_x + 1;
  for (ptrdiff_t x0 = 0; x0 < c->output_width; x0 += fitting) {
    const ptrdiff_t count = mk_min(fitting, c->output_width - x0), left = x0 * c->stride_x - c->pad_left;
    const ptrdiff_t pixels = (count - 1) * c->stride_x + reach;
    for (ptrdiff_t i = 0; i < taps_y; i++) {
      uint16_t *hi = source + i * parts * row_count;
      bf16_gather_source(c, group_input, top + i * c->dilation_y, left, pixels, dtype, terms, hi, hi + row_count);
    }
    for (ptrdiff_t x = 0; x < count; x++, to += l->slot)
      for (ptrdiff_t part = 0; part < parts; part++) {
        uint16_t *out = to + part * l->steps;
        const uint16_t *from = source + part * row_count + x * c->stride_x * channels;
        for (ptrdiff_t i = 0; i < taps_y; i++, from += parts * row_count)
          for (ptrdiff_t j = 0; j < runs; j++, out += run) bf16_copy(out, from + j * c->dilation_x * channels, run);
        memset(out, 0, (size_t)(l->steps - total) * 2);
      }
  }
}

/// Where the input of tap `tap` lies in a plane that does not gather, from an output pixel's slot on, in elements.
MK_INLINE ptrdiff_t bf16_tap_offset(const mk_conv2d *c, const mk_bf16_layout *l, ptrdiff_t tap) {
  const ptrdiff_t y = tap / c->kernel_width * c->dilation_y, x = tap % c->kernel_width * c->dilation_x;
  const ptrdiff_t phase = y % c->stride_y * l->phases_x + x % c->stride_x;
  return ((phase * l->rows + y / c->stride_y) * l->width + x / c->stride_x) * l->slot;
}

MK_INLINE void bf16_prepare(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
                            const int dtype, const int terms, uint16_t *plane) {
  const mk_conv2d *c = &d->conv;
  const mk_bf16_layout l = mk_bf16_layout_of(d, y1 - y0);
  const ptrdiff_t size = dtype == MK_F32 ? 4 : 2;
  const char *input = (const char *)c->input + image * c->input_image_stride * size;
  for (ptrdiff_t unit = unit0; unit < unit1; unit++) {
    const ptrdiff_t row = unit % l.rows, phase_y = unit / l.rows % l.phases_y, group = unit / l.rows / l.phases_y;
    const char *group_input = input + group * c->input_channels * d->input_channel_stride * size;
    uint16_t *group_plane = plane + group * l.slots_per_group * l.slot;
    if (l.gathers) {
      bf16_gather_row(d, &l, group_input, y0 + row, dtype, terms, group_plane + row * l.width * l.slot);
      continue;
    }
    const ptrdiff_t input_row = (y0 + row) * c->stride_y + phase_y - c->pad_top;
    for (ptrdiff_t phase_x = 0; phase_x < l.phases_x; phase_x++) {
      uint16_t *to = group_plane + ((phase_y * l.phases_x + phase_x) * l.rows + row) * l.width * l.slot;
      bf16_plane_row(d, &l, group_input, input_row, phase_x, dtype, terms, to);
    }
  }
}

void MK_FN(mk_bf16_prepare)(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
                            uint16_t *plane) {
  switch (d->input_dtype * 4 + d->terms) {
    case MK_F32 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F32, MK_BF16_PLAIN, plane); break;
    case MK_F32 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F32, MK_BF16_SPLIT, plane); break;
    case MK_F16 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F16, MK_BF16_PLAIN, plane); break;
    case MK_F16 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F16, MK_BF16_SPLIT, plane); break;
    case MK_BF16 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_BF16, MK_BF16_PLAIN, plane); break;
    case MK_BF16 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_BF16, MK_BF16_SPLIT, plane); break;
    default: assert(0 && "element types that planes are not made of"); break;
  }
}
