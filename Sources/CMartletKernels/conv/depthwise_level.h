/// The depthwise convolution of one level, as template text after `gemm/activation.h`: a vector of channels at a time, several
/// neighbouring pixels in registers, so that weights and input columns are shared between them.

/// Sums with bias, residual and activation, stored to `output`.
MK_INLINE void depthwise_store(const mk_conv2d *c, float *output, const float *residual, vec sum, vec bias, ptrdiff_t lanes) {
  const mk_epilogue *e = &c->epilogue;
  sum = sum * vec_splat(e->alpha) + bias;
  if (residual != NULL) sum += lanes == LANES ? vec_load(residual) : vec_load_first(residual, lanes);
  switch (e->activation) {
    case MK_ACTIVATION_NONE: break;
    case MK_ACTIVATION_CLAMP: sum = vec_activate_early(sum, MK_ACTIVATION_CLAMP, e->lo, e->hi); break;
    case MK_ACTIVATION_HARDSWISH: sum = vec_activate_early(sum, MK_ACTIVATION_HARDSWISH, e->lo, e->hi); break;
    case MK_ACTIVATION_HARDSIGMOID: sum = vec_activate_early(sum, MK_ACTIVATION_HARDSIGMOID, e->lo, e->hi); break;
    case MK_ACTIVATION_LEAKY_RELU: sum = vec_activate_early(sum, MK_ACTIVATION_LEAKY_RELU, e->lo, e->hi); break;
    case MK_ACTIVATION_SILU: sum = vec_activate_late(sum, MK_ACTIVATION_SILU, e->lo); break;
    case MK_ACTIVATION_SIGMOID: sum = vec_activate_late(sum, MK_ACTIVATION_SIGMOID, e->lo); break;
    case MK_ACTIVATION_TANH: sum = vec_activate_late(sum, MK_ACTIVATION_TANH, e->lo); break;
    case MK_ACTIVATION_GELU_ERF: sum = vec_activate_late(sum, MK_ACTIVATION_GELU_ERF, e->lo); break;
    case MK_ACTIVATION_GELU_TANH: sum = vec_activate_late(sum, MK_ACTIVATION_GELU_TANH, e->lo); break;
    default: sum = vec_activate_late(sum, MK_ACTIVATION_ELU, e->lo); break;
  }
  if (lanes == LANES) vec_store(output, sum);
  else vec_store_first(output, sum, lanes);
}

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

/// The pixel at `x` with the taps that meet the image.
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
  depthwise_store(c, r->output + x * c->output_pixel_stride, r->residual == NULL ? NULL : r->residual + x * c->residual_pixel_stride, sum,
                  r->bias, r->lanes);
}

/// `count` pixels from `x` on whose taps all meet the image.
MK_INLINE void depthwise_pixels(const MK_FN(depthwise_row) *r, ptrdiff_t x, const int count, const int width, const int stride,
                                const int whole) {
  const mk_conv2d *c = r->c;
  const float *row = r->input + (x * stride - c->pad_left) * c->input_pixel_stride;
  const float *weights = r->weights + r->first * width * c->groups;
  vec sums[4];
  _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++) sums[i] = vec_splat(0.0f);
  for (ptrdiff_t tap_row = r->first; tap_row < r->end; tap_row++) {
    vec w[5];
    _Pragma("clang loop unroll(full)") for (int j = 0; j < width; j++) w[j] = depthwise_load(weights + j * c->groups, whole, r->lanes);
    _Pragma("clang loop unroll(full)") for (int column = 0; column < (count - 1) * stride + width; column++) {
      vec value = depthwise_load(row + column * c->input_pixel_stride, whole, r->lanes);
      _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++) {
        int j = column - i * stride;
        if (j >= 0 && j < width) sums[i] = value * w[j] + sums[i];
      }
    }
    weights += width * c->groups;
    row += c->input_row_stride;
  }
  _Pragma("clang loop unroll(full)") for (int i = 0; i < count; i++)
    depthwise_store(c, r->output + (x + i) * c->output_pixel_stride,
                    r->residual == NULL ? NULL : r->residual + (x + i) * c->residual_pixel_stride, sums[i], r->bias, r->lanes);
}

/// The pixels `x0` ..< `x1`, whose taps all meet the image.
MK_INLINE void depthwise_inside(const MK_FN(depthwise_row) *r, ptrdiff_t x0, ptrdiff_t x1, const int width, const int stride, const int whole) {
  ptrdiff_t x = x0;
  for (; x + 4 <= x1; x += 4) depthwise_pixels(r, x, 4, width, stride, whole);
  for (; x < x1; x++) depthwise_pixels(r, x, 1, width, stride, whole);
}

#define MK_DEPTHWISE_CASE(width, stride)                                                             \
  static void MK_FN(depthwise_##width##_##stride)(const MK_FN(depthwise_row) *r, ptrdiff_t x0, ptrdiff_t x1) { \
    if (r->lanes == LANES) depthwise_inside(r, x0, x1, width, stride, 1);                            \
    else depthwise_inside(r, x0, x1, width, stride, 0);                                              \
  }
MK_DEPTHWISE_CASE(3, 1)
MK_DEPTHWISE_CASE(3, 2)
MK_DEPTHWISE_CASE(5, 1)
MK_DEPTHWISE_CASE(5, 2)

static void MK_FN(depthwise_any)(const MK_FN(depthwise_row) *r, ptrdiff_t x0, ptrdiff_t x1) {
  if (r->lanes == LANES) for (ptrdiff_t x = x0; x < x1; x++) depthwise_pixel(r, x, 1);
  else for (ptrdiff_t x = x0; x < x1; x++) depthwise_pixel(r, x, 0);
}

void MK_FN(mk_depthwise2d_f32)(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  // Pixels whose taps all meet the image.
  ptrdiff_t reach = (c->kernel_width - 1) * c->dilation_x;
  ptrdiff_t inside0 = mk_min(mk_divide_up(c->pad_left, c->stride_x), c->output_width);
  ptrdiff_t room = c->width - 1 - reach + c->pad_left;
  ptrdiff_t inside1 = room < 0 ? inside0 : mk_max(inside0, mk_min(c->output_width, room / c->stride_x + 1));
  void (*inside)(const MK_FN(depthwise_row) *, ptrdiff_t, ptrdiff_t) = MK_FN(depthwise_any);
  if (c->dilation_x == 1 && c->dilation_y == 1) {
    if (c->kernel_width == 3 && c->stride_x == 1) inside = MK_FN(depthwise_3_1);
    if (c->kernel_width == 3 && c->stride_x == 2) inside = MK_FN(depthwise_3_2);
    if (c->kernel_width == 5 && c->stride_x == 1) inside = MK_FN(depthwise_5_1);
    if (c->kernel_width == 5 && c->stride_x == 2) inside = MK_FN(depthwise_5_2);
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
      MK_FN(depthwise_any)(&r, 0, inside0);
      inside(&r, inside0, inside1);
      MK_FN(depthwise_any)(&r, inside1, c->output_width);
    }
  }
}
