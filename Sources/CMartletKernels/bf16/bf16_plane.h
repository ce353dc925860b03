/// The making of planes at one level, as template text after its `bf16_round_run`.

/// Rounds `count` channels at `from`, `channel_stride` elements apart, into a slot's `steps` steps, zeros behind them.
MK_INLINE void bf16_fill_slot(const void *from, const int dtype, ptrdiff_t channel_stride, ptrdiff_t count, ptrdiff_t steps,
                              const int terms, uint16_t *to) {
  if (channel_stride == 1) {
    bf16_round_run(from, dtype, NULL, count, steps, terms, to, to + steps);
    return;
  }
  for (ptrdiff_t i = 0; i < steps; i += MK_BF16_STEPS) {
    float lanes[MK_BF16_STEPS] = {0};
    ptrdiff_t some = mk_max(0, mk_min(MK_BF16_STEPS, count - i));
    for (ptrdiff_t j = 0; j < some; j++) lanes[j] = scalar_load_as(from, (i + j) * channel_stride, dtype);
    bf16_round_run(lanes, MK_F32, NULL, MK_BF16_STEPS, MK_BF16_STEPS, terms, to + i, to + steps + i);
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

/// The same with runs: pixels of a row of the padded image, or if taps are apart the runs of output pixels.
MK_INLINE void bf16_run_row(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const char *group_input, ptrdiff_t input_row,
                            const int dtype, const int terms, uint16_t *to) {
  const mk_conv2d *c = &d->conv;
  const ptrdiff_t size = dtype == MK_F32 ? 4 : 2, channels = c->input_channels, total = l->width * l->slot;
  const ptrdiff_t parts = mk_bf16_parts(terms);
  const char *from = group_input + input_row * c->input_row_stride * size;
  const int exists = input_row >= 0 && input_row < c->height;
  if (!exists || c->dilation_x != 1) {
    for (ptrdiff_t part = 0; part < parts; part++) memset(to + part * l->lo, 0, (size_t)total * 2);
    if (!exists) return;
  }
  if (c->dilation_x != 1) {
    for (ptrdiff_t x = 0; x < c->output_width; x++, to += l->slot)
      for (ptrdiff_t tap = 0; tap < c->kernel_width; tap++) {
        const ptrdiff_t pixel = x * c->stride_x + tap * c->dilation_x - c->pad_left;
        if (pixel < 0 || pixel >= c->width) continue;
        uint16_t *place = to + tap * channels;
        bf16_round_run(from + pixel * c->input_pixel_stride * size, dtype, NULL, channels, channels, terms, place, place + l->lo);
      }
    return;
  }
  // Pixels of the row that exist: `first` ..< `end` of `pixels`.
  const ptrdiff_t pixels = total / channels, first = mk_min(pixels, c->pad_left);
  const ptrdiff_t end = mk_max(first, mk_min(pixels, c->width + c->pad_left));
  for (ptrdiff_t part = 0; part < parts; part++) {
    memset(to + part * l->lo, 0, (size_t)(first * channels) * 2);
    memset(to + part * l->lo + end * channels, 0, (size_t)((pixels - end) * channels) * 2);
  }
  from += (first - c->pad_left) * c->input_pixel_stride * size;
  to += first * channels;
  if (c->input_pixel_stride == channels) {
    bf16_round_run(from, dtype, NULL, (end - first) * channels, (end - first) * channels, terms, to, to + l->lo);
    return;
  }
  for (ptrdiff_t x = first; x < end; x++, from += c->input_pixel_stride * size, to += channels)
    bf16_round_run(from, dtype, NULL, channels, channels, terms, to, to + l->lo);
}

/// Where the input of tap or run `tap` lies, from an output pixel's slot on, in elements.
MK_INLINE ptrdiff_t bf16_tap_offset(const mk_conv2d *c, const mk_bf16_layout *l, ptrdiff_t tap) {
  if (l->has_runs) {
    const ptrdiff_t y = tap * c->dilation_y;
    return (y % c->stride_y * l->rows + y / c->stride_y) * l->width * l->slot;
  }
  const ptrdiff_t y = tap / c->kernel_width * c->dilation_y, x = tap % c->kernel_width * c->dilation_x;
  const ptrdiff_t phase = y % c->stride_y * l->phases_x + x % c->stride_x;
  return ((phase * l->rows + y / c->stride_y) * l->width + x / c->stride_x) * l->slot;
}

/// Rows of a matrix.
MK_INLINE void bf16_round_rows(const mk_bf16_conv2d *d, const mk_bf16_layout *l, const char *input, ptrdiff_t row0, ptrdiff_t row1,
                               const int dtype, const int terms, const float *factors, uint16_t *plane) {
  const ptrdiff_t step = d->conv.input_row_stride * (dtype == MK_F32 ? 4 : 2), slot = l->slot, steps = l->steps;
  const ptrdiff_t count = d->conv.input_channels;
  for (ptrdiff_t row = row0; row < row1; row++) {
    uint16_t *to = plane + row * slot;
    bf16_round_run(input + row * step, dtype, factors, count, steps, terms, to, to + steps);
  }
}

MK_INLINE void bf16_prepare(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
                            const int dtype, const int terms, uint16_t *plane) {
  const mk_conv2d *c = &d->conv;
  const mk_bf16_layout l = mk_bf16_layout_of(d, y1 - y0);
  const ptrdiff_t size = dtype == MK_F32 ? 4 : 2;
  const char *input = (const char *)c->input + image * c->input_image_stride * size;
  if (mk_bf16_is_matrix(d)) {
    input += y0 * c->input_row_stride * size;
    if (d->input_factors == NULL) bf16_round_rows(d, &l, input, unit0, unit1, dtype, terms, NULL, plane);
    else bf16_round_rows(d, &l, input, unit0, unit1, dtype, terms, d->input_factors, plane);
    return;
  }
  for (ptrdiff_t unit = unit0; unit < unit1; unit++) {
    const ptrdiff_t row = unit % l.rows, phase_y = unit / l.rows % l.phases_y, group = unit / l.rows / l.phases_y;
    const char *group_input = input + group * c->input_channels * d->input_channel_stride * size;
    uint16_t *group_plane = plane + group * l.group;
    const ptrdiff_t input_row = (y0 + row) * c->stride_y + phase_y - c->pad_top;
    if (l.has_runs) {
      uint16_t *to = group_plane + (phase_y * l.rows + row) * l.width * l.slot;
      bf16_run_row(d, &l, group_input, input_row, dtype, terms, to);
      for (ptrdiff_t part = 0; part < mk_bf16_parts(terms) && phase_y == l.phases_y - 1 && row == l.rows - 1; part++)
        memset(to + part * l.lo + l.width * l.slot, 0, MK_BF16_RUN_TAIL * 2);
      continue;
    }
    for (ptrdiff_t phase_x = 0; phase_x < l.phases_x; phase_x++) {
      uint16_t *to = group_plane + ((phase_y * l.phases_x + phase_x) * l.rows + row) * l.width * l.slot;
      bf16_plane_row(d, &l, group_input, input_row, phase_x, dtype, terms, to);
    }
  }
}

void MK_FN(mk_bf16_prepare)(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
                            uint16_t *plane) {
  switch (d->input_dtype * 4 + (d->terms == MK_BF16_PLAIN ? MK_BF16_PLAIN : MK_BF16_SPLIT)) {
    case MK_F32 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F32, MK_BF16_PLAIN, plane); break;
    case MK_F32 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F32, MK_BF16_SPLIT, plane); break;
    case MK_F16 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F16, MK_BF16_PLAIN, plane); break;
    case MK_F16 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_F16, MK_BF16_SPLIT, plane); break;
    case MK_BF16 * 4 + MK_BF16_PLAIN: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_BF16, MK_BF16_PLAIN, plane); break;
    case MK_BF16 * 4 + MK_BF16_SPLIT: bf16_prepare(d, image, y0, y1, unit0, unit1, MK_BF16, MK_BF16_SPLIT, plane); break;
    default: assert(0 && "element types that planes are not made of"); break;
  }
}
