/// The depthwise convolution of one level, as template text after `gemm/activation.h`: a vector of channels at a time, several
/// neighbouring pixels in registers, so that weights and input columns are shared between them.

MK_INLINE vec depthwise_load(const float *p, const int whole, ptrdiff_t lanes) { return whole ? vec_load(p) : vec_load_first(p, lanes); }

/// One row of `LANES` (or the last `lanes`) channels from `channel` on.
typedef struct MK_FN(depthwise_row) {
  const mk_conv2d *c;
  /// Row `first` of the taps, at input column 0.
  const float *input;
  const float *weights;
  float *output;
  const float *residual;
  ptrdiff_t first, end, lanes;
  vec bias;
} MK_FN(depthwise_row);

/// Bias, residual and activation of `count` neighbouring pixels from `x` on, and their way to memory.
MK_INLINE void depthwise_finish(const MK_FN(depthwise_row) *r, ptrdiff_t x, vec *sums, const int count, const int whole) {
  const mk_conv2d *c = r->c;
  const mk_epilogue *e = &c->epilogue;
  ptrdiff_t pixel = c->output_pixel_stride;
  float *output = r->output + x * pixel;
  vec alpha = vec_splat(e->alpha);
  UNROLL for (int i = 0; i < count; i++) sums[i] = sums[i] * alpha + r->bias;
  if (r->residual != NULL) {
    UNROLL for (int i = 0; i < count; i++) sums[i] += depthwise_load(r->residual + (x + i) * c->residual_pixel_stride, whole, r->lanes);
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
  UNROLL for (int i = 0; i < count; i++) {
    if (whole) vec_store(output + i * pixel, sums[i]);
    else vec_store_first(output + i * pixel, sums[i], r->lanes);
  }
  if (mk_activation_is_late(e->activation)) MK_FN(mk_activate)(output, pixel, count, r->lanes, e);
}

/// The pixel at `x` of a kernel of any extents, strides and dilations.
MK_INLINE void depthwise_pixel(const MK_FN(depthwise_row) *r, ptrdiff_t x, const int whole) {
  const mk_conv2d *c = r->c;
  ptrdiff_t first, end, origin = x * c->stride_x - c->pad_left;
  mk_tap_range(x, c->stride_x, c->pad_left, c->dilation_x, c->kernel_width, c->width, &first, &end);
  vec sum = vec_splat(0.0f);
  for (ptrdiff_t i = r->first; i < r->end; i++) {
    const float *row = r->input + (i - r->first) * c->dilation_y * c->input_row_stride;
    const float *weights = r->weights + i * c->kernel_width * c->groups;
    for (ptrdiff_t j = first; j < end; j++) {
      vec value = depthwise_load(row + (origin + j * c->dilation_x) * c->input_pixel_stride, whole, r->lanes);
      sum = value * depthwise_load(weights + j * c->groups, whole, r->lanes) + sum;
    }
  }
  depthwise_finish(r, x, &sum, 1, whole);
}

/// Neighbouring pixels in registers: with the weights of one row of taps they must fit them.
#define PIXELS (MK_LEVEL == 2 ? 8 : 4)

/// `count` <= `PIXELS` pixels from `x` on with a kernel `width` wide. Every column of input is loaded once a row of taps and used
/// for all pixels that it meets. `edge`: some columns lie outside the image.
MK_INLINE void depthwise_pixels(const MK_FN(depthwise_row) *r, ptrdiff_t x, const int count, const int width, const int stride,
                                const int whole, const int edge) {
  const mk_conv2d *c = r->c;
  ptrdiff_t origin = x * stride - c->pad_left, pixel = c->input_pixel_stride;
  const float *row = r->input + origin * pixel;
  const float *weights = r->weights + r->first * width * c->groups;
  vec sums[PIXELS];
  UNROLL for (int i = 0; i < count; i++) sums[i] = vec_splat(0.0f);
  for (ptrdiff_t tap_row = r->first; tap_row < r->end; tap_row++) {
    vec w[5];
    UNROLL for (int j = 0; j < width; j++) w[j] = depthwise_load(weights + j * c->groups, whole, r->lanes);
    UNROLL for (int column = 0; column < (count - 1) * stride + width; column++) {
      if (edge && (origin + column < 0 || origin + column >= c->width)) continue;
      vec value = depthwise_load(row + column * pixel, whole, r->lanes);
      UNROLL for (int i = 0; i < count; i++) {
        int j = column - i * stride;
        if (j >= 0 && j < width) sums[i] = value * w[j] + sums[i];
      }
    }
    weights += width * c->groups;
    row += c->input_row_stride;
  }
  depthwise_finish(r, x, sums, count, whole);
}

/// All pixels of a row; `inside0` ..< `inside1` are those whose taps all meet the image.
MK_INLINE void depthwise_row(const MK_FN(depthwise_row) *r, ptrdiff_t inside0, ptrdiff_t inside1, const int width, const int stride,
                             const int whole) {
  ptrdiff_t end = r->c->output_width;
#define MK_STEP(count)                                                                                     \
  {                                                                                                        \
    if (x >= inside0 && x + count <= inside1) depthwise_pixels(r, x, count, width, stride, whole, 0);      \
    else depthwise_pixels(r, x, count, width, stride, whole, 1);                                           \
    x += count;                                                                                            \
  }
  ptrdiff_t x = 0;
  while (x + PIXELS <= end) MK_STEP(PIXELS)
  if (PIXELS > 4 && x + 4 <= end) MK_STEP(4)
  if (x + 2 <= end) MK_STEP(2)
  if (x < end) MK_STEP(1)
#undef MK_STEP
}

#define MK_DEPTHWISE_CASE(width, stride)                                                                                      \
  static void MK_FN(depthwise_##width##_##stride)(const MK_FN(depthwise_row) *r, ptrdiff_t inside0, ptrdiff_t inside1) { \
    if (r->lanes == LANES) depthwise_row(r, inside0, inside1, width, stride, 1);                                              \
    else depthwise_row(r, inside0, inside1, width, stride, 0);                                                                \
  }
MK_DEPTHWISE_CASE(3, 1)
MK_DEPTHWISE_CASE(3, 2)
MK_DEPTHWISE_CASE(5, 1)
MK_DEPTHWISE_CASE(5, 2)

static void MK_FN(depthwise_any)(const MK_FN(depthwise_row) *r, ptrdiff_t inside0, ptrdiff_t inside1) {
  (void)inside0, (void)inside1;
  if (r->lanes == LANES) for (ptrdiff_t x = 0; x < r->c->output_width; x++) depthwise_pixel(r, x, 1);
  else for (ptrdiff_t x = 0; x < r->c->output_width; x++) depthwise_pixel(r, x, 0);
}

void MK_FN(mk_depthwise2d_f32)(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  // Pixels whose taps all meet the image.
  ptrdiff_t reach = (c->kernel_width - 1) * c->dilation_x;
  ptrdiff_t inside0 = mk_min(mk_divide_up(c->pad_left, c->stride_x), c->output_width);
  ptrdiff_t room = c->width - 1 - reach + c->pad_left;
  ptrdiff_t inside1 = room < 0 ? inside0 : mk_max(inside0, mk_min(c->output_width, room / c->stride_x + 1));
  void (*run)(const MK_FN(depthwise_row) *, ptrdiff_t, ptrdiff_t) = MK_FN(depthwise_any);
  if (c->dilation_x == 1 && c->dilation_y == 1) {
    if (c->kernel_width == 3 && c->stride_x == 1) run = MK_FN(depthwise_3_1);
    if (c->kernel_width == 3 && c->stride_x == 2) run = MK_FN(depthwise_3_2);
    if (c->kernel_width == 5 && c->stride_x == 1) run = MK_FN(depthwise_5_1);
    if (c->kernel_width == 5 && c->stride_x == 2) run = MK_FN(depthwise_5_2);
  }
  for (ptrdiff_t row = row0; row < row1; row++) {
    ptrdiff_t image = row / c->output_height, y = row % c->output_height;
    MK_FN(depthwise_row) r = {.c = c};
    mk_tap_range(y, c->stride_y, c->pad_top, c->dilation_y, c->kernel_height, c->height, &r.first, &r.end);
    ptrdiff_t top = y * c->stride_y - c->pad_top + r.first * c->dilation_y;
    // With no tap in the image there is no row to point at.
    const float *input = c->input + image * c->input_image_stride + (r.first < r.end ? top * c->input_row_stride : 0);
    for (ptrdiff_t channel = 0; channel < c->groups; channel += LANES) {
      r.lanes = mk_min(LANES, c->groups - channel);
      r.input = input + channel;
      r.weights = c->weights + channel;
      r.output = c->output + image * c->output_image_stride + y * c->output_row_stride + channel;
      r.residual = c->epilogue.residual == NULL
                     ? NULL
                     : c->epilogue.residual + image * c->residual_image_stride + y * c->residual_row_stride + channel;
      r.bias = c->epilogue.bias == NULL ? vec_splat(0.0f) : vec_load_first(c->epilogue.bias + channel, r.lanes);
      run(&r, inside0, inside1);
    }
  }
}
