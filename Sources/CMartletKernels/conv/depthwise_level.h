/// The depthwise convolution of one level and element type, as template text after `gemm/activation.h`: a vector of channels at a time,
/// several neighbouring pixels in registers, so that weights and input columns are shared between them. Input, output and residual are
/// `MK_ELEMENT`s of type `MK_ELEMENT_DTYPE`; `MK_OF(name)` gives each copy its own names.

MK_INLINE vec MK_OF(depthwise_load)(const MK_ELEMENT *p, const int whole, ptrdiff_t lanes) {
  return whole ? vec_load_as(p, 0, MK_ELEMENT_DTYPE) : vec_load_first_as(p, 0, lanes, MK_ELEMENT_DTYPE);
}

MK_INLINE vec MK_OF(depthwise_weight)(const float *p, const int whole, ptrdiff_t lanes) {
  return whole ? vec_load(p) : vec_load_first(p, lanes);
}

/// One row of `LANES` (or the last `lanes`) channels from `channel` on.
typedef struct MK_OF(depthwise_line) {
  const mk_conv2d *c;
  /// Row `first` of the taps, at input column 0.
  const MK_ELEMENT *input;
  const float *weights;
  MK_ELEMENT *output;
  const MK_ELEMENT *residual;
  ptrdiff_t first, end, lanes;
  vec bias;
} MK_OF(depthwise_line);

/// Neighbouring pixels in registers: with the weights of one row of taps they must fit them.
#define PIXELS (MK_LEVEL == 2 ? 8 : 4)

/// Bias, residual and activation of `count` neighbouring pixels from `x` on, and their way to memory.
MK_INLINE void MK_OF(depthwise_finish)(const MK_OF(depthwise_line) *r, ptrdiff_t x, vec *sums, const int count, const int whole) {
  const mk_conv2d *c = r->c;
  const mk_epilogue *e = &c->epilogue;
  ptrdiff_t pixel = c->output_pixel_stride;
  MK_ELEMENT *output = r->output + x * pixel;
  vec alpha = vec_splat(e->alpha);
  UNROLL for (int i = 0; i < count; i++) sums[i] = sums[i] * alpha + r->bias;
  if (r->residual != NULL) {
    UNROLL for (int i = 0; i < count; i++)
      sums[i] += MK_OF(depthwise_load)(r->residual + (x + i) * c->residual_pixel_stride, whole, r->lanes);
  }
  float lo = e->lo, hi = e->hi;
#define MK_ACTIVATE_EARLY(kind)                                                                  \
  case kind:                                                                                     \
    UNROLL for (int i = 0; i < count; i++) sums[i] = vec_activate_early(sums[i], kind, lo, hi); \
    break;
  switch (e->activation) {
    MK_ACTIVATE_EARLY(MK_ACTIVATION_CLAMP)
    MK_ACTIVATE_EARLY(MK_ACTIVATION_HARDSWISH)
    MK_ACTIVATE_EARLY(MK_ACTIVATION_HARDSIGMOID)
    MK_ACTIVATE_EARLY(MK_ACTIVATION_LEAKY_RELU)
    default: break;
  }
#undef MK_ACTIVATE_EARLY
  if (mk_activation_is_late(e->activation)) {
    float lanes[PIXELS * LANES];
    UNROLL for (int i = 0; i < count; i++) vec_store(lanes + i * LANES, sums[i]);
    MK_FN(mk_activate)(lanes, LANES, count, r->lanes, e);
    UNROLL for (int i = 0; i < count; i++) sums[i] = vec_load(lanes + i * LANES);
  }
  UNROLL for (int i = 0; i < count; i++) {
    if (whole) vec_store_as(output + i * pixel, 0, sums[i], MK_ELEMENT_DTYPE);
    else vec_store_first_as(output + i * pixel, 0, sums[i], r->lanes, MK_ELEMENT_DTYPE);
  }
}

/// The pixel at `x` of a kernel of any extents, strides and dilations.
MK_INLINE void MK_OF(depthwise_pixel)(const MK_OF(depthwise_line) *r, ptrdiff_t x, const int whole) {
  const mk_conv2d *c = r->c;
  ptrdiff_t first, end, origin = x * c->stride_x - c->pad_left;
  mk_tap_range(x, c->stride_x, c->pad_left, c->dilation_x, c->kernel_width, c->width, &first, &end);
  vec sum = vec_splat(0.0f);
  for (ptrdiff_t i = r->first; i < r->end; i++) {
    const MK_ELEMENT *row = r->input + (i - r->first) * c->dilation_y * c->input_row_stride;
    const float *weights = r->weights + i * c->kernel_width * c->groups;
    for (ptrdiff_t j = first; j < end; j++) {
      vec value = MK_OF(depthwise_load)(row + (origin + j * c->dilation_x) * c->input_pixel_stride, whole, r->lanes);
      sum = value * MK_OF(depthwise_weight)(weights + j * c->groups, whole, r->lanes) + sum;
    }
  }
  MK_OF(depthwise_finish)(r, x, &sum, 1, whole);
}

/// Adds what one row of input gives to `count` <= `PIXELS` pixels from `x` on, in each of `sums` that is not NULL with its own row of
/// taps. Every column of input is loaded once and used for all pixels that it meets. `edge`: some columns lie outside the image.
MK_INLINE void MK_OF(depthwise_taps)(const mk_conv2d *c, const MK_ELEMENT *row, ptrdiff_t origin, vec *upper,
                                     const float *upper_weights, vec *lower, const float *lower_weights, const int count,
                                     const int width, const int stride, const int whole, ptrdiff_t lanes, const int edge) {
  vec u[5], l[5];
  UNROLL for (int j = 0; j < width; j++) {
    if (upper != NULL) u[j] = MK_OF(depthwise_weight)(upper_weights + j * c->groups, whole, lanes);
    if (lower != NULL) l[j] = MK_OF(depthwise_weight)(lower_weights + j * c->groups, whole, lanes);
  }
  UNROLL for (int column = 0; column < (count - 1) * stride + width; column++) {
    if (edge && (origin + column < 0 || origin + column >= c->width)) continue;
    vec value = MK_OF(depthwise_load)(row + column * c->input_pixel_stride, whole, lanes);
    // The next vector of channels.
    if (whole && column < count * stride) __builtin_prefetch(row + column * c->input_pixel_stride + LANES, 0, 3);
    UNROLL for (int i = 0; i < count; i++) {
      int j = column - i * stride;
      if (j < 0 || j >= width) continue;
      if (upper != NULL) upper[i] = value * u[j] + upper[i];
      if (lower != NULL) lower[i] = value * l[j] + lower[i];
    }
  }
}

/// `count` <= `PIXELS` pixels from `x` on with a kernel `width` wide.
MK_INLINE void MK_OF(depthwise_pixels)(const MK_OF(depthwise_line) *r, ptrdiff_t x, const int count, const int width, const int stride,
                                const int whole, const int edge) {
  const mk_conv2d *c = r->c;
  ptrdiff_t origin = x * stride - c->pad_left;
  const MK_ELEMENT *row = r->input + origin * c->input_pixel_stride;
  const float *weights = r->weights + r->first * width * c->groups;
  vec sums[PIXELS];
  UNROLL for (int i = 0; i < count; i++) sums[i] = vec_splat(0.0f);
  for (ptrdiff_t tap_row = r->first; tap_row < r->end; tap_row++) {
    MK_OF(depthwise_taps)(c, row, origin, sums, weights, NULL, NULL, count, width, stride, whole, r->lanes, edge);
    weights += width * c->groups;
    row += c->input_row_stride;
  }
  MK_OF(depthwise_finish)(r, x, sums, count, whole);
}

/// The same in two rows of output whose taps, a square of `width` each, all meet the image's rows; `stride` is that of rows, too. Rows
/// of input that both read are loaded once.
MK_INLINE void MK_OF(depthwise_pixel_pairs)(const MK_OF(depthwise_line) *r, ptrdiff_t x, const int count, const int width, const int stride,
                                     const int whole, const int edge) {
  const mk_conv2d *c = r->c;
  ptrdiff_t origin = x * stride - c->pad_left, taps = width * c->groups;
  const MK_ELEMENT *row = r->input + origin * c->input_pixel_stride;
  const float *weights = r->weights;
  vec upper[PIXELS], lower[PIXELS];
  UNROLL for (int i = 0; i < count; i++) upper[i] = lower[i] = vec_splat(0.0f);
  for (int i = 0; i < stride; i++, row += c->input_row_stride, weights += taps)
    MK_OF(depthwise_taps)(c, row, origin, upper, weights, NULL, NULL, count, width, stride, whole, r->lanes, edge);
  for (int i = stride; i < width; i++, row += c->input_row_stride, weights += taps)
    MK_OF(depthwise_taps)(c, row, origin, upper, weights, lower, weights - stride * taps, count, width, stride, whole, r->lanes, edge);
  for (int i = 0; i < stride; i++, row += c->input_row_stride, weights += taps)
    MK_OF(depthwise_taps)(c, row, origin, NULL, NULL, lower, weights - stride * taps, count, width, stride, whole, r->lanes, edge);
  MK_OF(depthwise_finish)(r, x, upper, count, whole);
  MK_OF(depthwise_line) next = *r;
  next.output += c->output_row_stride;
  if (next.residual != NULL) next.residual += c->residual_row_stride;
  MK_OF(depthwise_finish)(&next, x, lower, count, whole);
}

/// All pixels of a row, or with `pair` of it and the next one; `inside0` ..< `inside1` are those whose taps all meet the image.
MK_INLINE void MK_OF(depthwise_row)(const MK_OF(depthwise_line) *r, ptrdiff_t inside0, ptrdiff_t inside1, const int width,
                                    const int stride,
                             const int whole, const int pair) {
  ptrdiff_t end = r->c->output_width;
#define MK_STEP(count)                                                                                            \
  {                                                                                                               \
    const int edge = !(x >= inside0 && x + count <= inside1);                                                     \
    if (pair && edge) MK_OF(depthwise_pixel_pairs)(r, x, count, width, stride, whole, 1);                                \
    else if (pair) MK_OF(depthwise_pixel_pairs)(r, x, count, width, stride, whole, 0);                                   \
    else if (edge) MK_OF(depthwise_pixels)(r, x, count, width, stride, whole, 1);                                        \
    else MK_OF(depthwise_pixels)(r, x, count, width, stride, whole, 0);                                                  \
    x += count;                                                                                                   \
  }
  ptrdiff_t x = 0;
  while (x + PIXELS <= end) MK_STEP(PIXELS)
  if (PIXELS > 4 && x + 4 <= end) MK_STEP(4)
  if (x + 2 <= end) MK_STEP(2)
  if (x < end) MK_STEP(1)
#undef MK_STEP
}

#define MK_DEPTHWISE_CASE(name, width, stride, pair)                                                                   \
  static void MK_OF(depthwise_##name)(const MK_OF(depthwise_line) *r, ptrdiff_t inside0, ptrdiff_t inside1) {           \
    if (r->lanes == LANES) MK_OF(depthwise_row)(r, inside0, inside1, width, stride, 1, pair);                                 \
    else MK_OF(depthwise_row)(r, inside0, inside1, width, stride, 0, pair);                                                   \
  }
MK_DEPTHWISE_CASE(3_1, 3, 1, 0)
MK_DEPTHWISE_CASE(3_2, 3, 2, 0)
MK_DEPTHWISE_CASE(5_1, 5, 1, 0)
MK_DEPTHWISE_CASE(5_2, 5, 2, 0)
MK_DEPTHWISE_CASE(pair_3_1, 3, 1, 1)
MK_DEPTHWISE_CASE(pair_3_2, 3, 2, 1)
#if MK_LEVEL == 2
// Only these registers hold two rows of weights.
MK_DEPTHWISE_CASE(pair_5_1, 5, 1, 1)
MK_DEPTHWISE_CASE(pair_5_2, 5, 2, 1)
#endif

static void MK_OF(depthwise_any)(const MK_OF(depthwise_line) *r, ptrdiff_t inside0, ptrdiff_t inside1) {
  (void)inside0, (void)inside1;
  if (r->lanes == LANES) for (ptrdiff_t x = 0; x < r->c->output_width; x++) MK_OF(depthwise_pixel)(r, x, 1);
  else for (ptrdiff_t x = 0; x < r->c->output_width; x++) MK_OF(depthwise_pixel)(r, x, 0);
}

void MK_OF(mk_depthwise2d)(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  // Pixels whose taps all meet the image.
  ptrdiff_t reach = (c->kernel_width - 1) * c->dilation_x;
  ptrdiff_t inside0 = mk_min(mk_divide_up(c->pad_left, c->stride_x), c->output_width);
  ptrdiff_t room = c->width - 1 - reach + c->pad_left;
  ptrdiff_t inside1 = room < 0 ? inside0 : mk_max(inside0, mk_min(c->output_width, room / c->stride_x + 1));
  void (*run)(const MK_OF(depthwise_line) *, ptrdiff_t, ptrdiff_t) = MK_OF(depthwise_any);
  if (c->dilation_x == 1 && c->dilation_y == 1) {
    if (c->kernel_width == 3 && c->stride_x == 1) run = MK_OF(depthwise_3_1);
    if (c->kernel_width == 3 && c->stride_x == 2) run = MK_OF(depthwise_3_2);
    if (c->kernel_width == 5 && c->stride_x == 1) run = MK_OF(depthwise_5_1);
    if (c->kernel_width == 5 && c->stride_x == 2) run = MK_OF(depthwise_5_2);
  }
  void (*run_pair)(const MK_OF(depthwise_line) *, ptrdiff_t, ptrdiff_t) = NULL;
  if (run != MK_OF(depthwise_any) && c->kernel_height == c->kernel_width && c->stride_y == c->stride_x) {
    if (run == MK_OF(depthwise_3_1)) run_pair = MK_OF(depthwise_pair_3_1);
    if (run == MK_OF(depthwise_3_2)) run_pair = MK_OF(depthwise_pair_3_2);
#if MK_LEVEL == 2
    if (run == MK_OF(depthwise_5_1)) run_pair = MK_OF(depthwise_pair_5_1);
    if (run == MK_OF(depthwise_5_2)) run_pair = MK_OF(depthwise_pair_5_2);
#endif
  }
  for (ptrdiff_t row = row0; row < row1; row++) {
    ptrdiff_t image = row / c->output_height, y = row % c->output_height;
    MK_OF(depthwise_line) r = {.c = c};
    mk_tap_range(y, c->stride_y, c->pad_top, c->dilation_y, c->kernel_height, c->height, &r.first, &r.end);
    ptrdiff_t top = y * c->stride_y - c->pad_top + r.first * c->dilation_y;
    // With no tap in the image there is no row to point at.
    int pair = run_pair != NULL && row + 1 < row1 && y + 1 < c->output_height && top >= 0 && r.end - r.first == c->kernel_height &&
               top + c->stride_y + c->kernel_height <= c->height;
    const MK_ELEMENT *input = (const MK_ELEMENT *)(const void *)c->input + image * c->input_image_stride +
                              (r.first < r.end ? top * c->input_row_stride : 0);
    for (ptrdiff_t channel = channel0; channel < channel1; channel += LANES) {
      r.lanes = mk_min(LANES, channel1 - channel);
      r.input = input + channel;
      r.weights = c->weights + channel;
      r.output = (MK_ELEMENT *)(void *)c->output + image * c->output_image_stride + y * c->output_row_stride + channel;
      r.residual = c->epilogue.residual == NULL
                     ? NULL
                     : (const MK_ELEMENT *)(const void *)c->epilogue.residual + image * c->residual_image_stride +
                         y * c->residual_row_stride + channel;
      r.bias = c->epilogue.bias == NULL ? vec_splat(0.0f) : vec_load_first(c->epilogue.bias + channel, r.lanes);
      (pair ? run_pair : run)(&r, inside0, inside1);
    }
    row += pair;
  }
}
#undef PIXELS
#undef MK_DEPTHWISE_CASE
#undef MK_ELEMENT
#undef MK_ELEMENT_DTYPE
#undef MK_OF
