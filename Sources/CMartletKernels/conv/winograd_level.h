/// Winograd's convolution of one level, as template text after `gemm/tile.h`.

/// Products of a tile's places, at most: 6 x 6.
#define MAX_SIDE 6

/// One line of the input's transformation: `m` + 2 elements.
MK_INLINE void winograd_input_line(const int m, const vec *d, vec *v) {
  if (m == 4) {
    vec even = d[4] - 2.25f * d[2], odd = 0.75f * (d[3] - 2.25f * d[1]);
    vec even_far = d[4] - 0.5625f * d[2], odd_far = 1.5f * (d[3] - 0.5625f * d[1]);
    v[0] = (1.265625f * d[0] + d[4]) - 2.8125f * d[2];
    v[1] = even + odd;
    v[2] = even - odd;
    v[3] = even_far + odd_far;
    v[4] = even_far - odd_far;
    v[5] = (1.265625f * d[1] + d[5]) - 2.8125f * d[3];
  } else {
    v[0] = d[2] - d[0];
    v[1] = d[2] + d[1];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
  }
}

/// One line of the results' transformation: `m` elements from `m` + 2.
MK_INLINE void winograd_output_line(const int m, const vec *p, vec *y) {
  if (m == 4) {
    vec sum = p[1] + p[2], difference = p[1] - p[2], sum_far = p[3] + p[4], difference_far = p[3] - p[4];
    y[0] = p[0] + (sum + sum_far);
    y[1] = 1.5f * difference_far + 0.75f * difference;
    y[2] = 2.25f * sum_far + 0.5625f * sum;
    y[3] = (3.375f * difference_far + p[5]) + 0.421875f * difference;
  } else {
    y[0] = p[0] + (p[1] + p[2]);
    y[1] = p[3] + (p[1] - p[2]);
  }
}

/// One line of the weights' transformation: `m` + 2 elements from 3.
MK_INLINE void winograd_weight_line(const int m, double a, double b, double c, double *u) {
  if (m == 4) {
    u[0] = a * (64.0 / 81);
    // The divisors are products of differences of the points: 2 p^2 (p^2 - q^2).
    double near = 1 / (2 * 0.5625 * (0.5625 - 2.25)), far = 1 / (2 * 2.25 * (2.25 - 0.5625));
    u[1] = (a + 0.5625 * c + 0.75 * b) * near;
    u[2] = (a + 0.5625 * c - 0.75 * b) * near;
    u[3] = (a + 2.25 * c + 1.5 * b) * far;
    u[4] = (a + 2.25 * c - 1.5 * b) * far;
    u[5] = c;
  } else {
    u[0] = -a;
    u[1] = (a + c + b) * 0.5;
    u[2] = (a + c - b) * 0.5;
    u[3] = c;
  }
}

MK_INLINE void winograd_weights(const int m, const float *restrict taps, ptrdiff_t count, float *restrict packed) {
  const int side = m + 2;
#pragma clang loop vectorize(assume_safety)
  for (ptrdiff_t i = 0; i < count; i++) {
    double lines[3][MAX_SIDE], u[MAX_SIDE];
    UNROLL for (int y = 0; y < 3; y++)
      winograd_weight_line(m, taps[3 * y * count + i], taps[(3 * y + 1) * count + i], taps[(3 * y + 2) * count + i], lines[y]);
    UNROLL for (int x = 0; x < side; x++) {
      winograd_weight_line(m, lines[0][x], lines[1][x], lines[2][x], u);
      UNROLL for (int y = 0; y < side; y++) packed[(y * side + x) * count + i] = (float)u[y];
    }
  }
}

/// Transforms `channels` rows of a panel; taps and results are [tap or place][channel][column].
void MK_FN(mk_winograd_weights)(const float *taps, ptrdiff_t channels, ptrdiff_t m, float *packed) {
  if (m == 4) winograd_weights(4, taps, channels * NR, packed);
  else winograd_weights(2, taps, channels * NR, packed);
}

/// Transforms up to `LANES` channels of one tile.
MK_INLINE void winograd_input_channels(const int m, const float *input, ptrdiff_t row_stride, ptrdiff_t pixel_stride, ptrdiff_t count,
                                       float *v, ptrdiff_t place_stride) {
  const int side = m + 2;
  vec lines[MAX_SIDE][MAX_SIDE];
  UNROLL for (int x = 0; x < side; x++) {
    vec d[MAX_SIDE], t[MAX_SIDE];
    UNROLL for (int y = 0; y < side; y++) {
      const float *p = input + y * row_stride + x * pixel_stride;
      d[y] = count == LANES ? vec_load(p) : vec_load_first(p, count);
    }
    winograd_input_line(m, d, t);
    UNROLL for (int y = 0; y < side; y++) lines[y][x] = t[y];
  }
  UNROLL for (int y = 0; y < side; y++) {
    vec t[MAX_SIDE];
    winograd_input_line(m, lines[y], t);
    UNROLL for (int x = 0; x < side; x++) {
      float *to = v + (y * side + x) * place_stride;
      if (count == LANES) vec_store(to, t[x]);
      else vec_store_first(to, t[x], count);
    }
  }
}

/// Where a tile lies.
typedef struct MK_FN(winograd_tile) {
  ptrdiff_t image, y, x;
} MK_FN(winograd_tile);

MK_INLINE MK_FN(winograd_tile) winograd_tile_at(const mk_conv2d *c, const int m, ptrdiff_t tile) {
  ptrdiff_t columns = mk_divide_up(c->output_width, m), rows = mk_divide_up(c->output_height, m);
  MK_FN(winograd_tile) place = {tile / (rows * columns), tile / columns % rows * m, tile % columns * m};
  return place;
}

/// Transforms the input of tiles `tile0` ..< `tile1` to [place][tile][channel]. `border` holds one tile of input.
MK_INLINE void winograd_input(const mk_conv2d *c, const int m, ptrdiff_t tile0, ptrdiff_t tile1, float *v, ptrdiff_t place_stride,
                              float *border) {
  const int side = m + 2;
  ptrdiff_t channels = c->input_channels;
  for (ptrdiff_t tile = tile0; tile < tile1; tile++, v += channels) {
    MK_FN(winograd_tile) place = winograd_tile_at(c, m, tile);
    ptrdiff_t y0 = place.y - c->pad_top, x0 = place.x - c->pad_left;
    ptrdiff_t row_stride = c->input_row_stride, pixel_stride = c->input_pixel_stride;
    const float *image = c->input + place.image * c->input_image_stride, *input = border;
    if (y0 >= 0 && x0 >= 0 && y0 + side <= c->height && x0 + side <= c->width) {
      input = image + y0 * row_stride + x0 * pixel_stride;
    } else {
      for (ptrdiff_t y = 0; y < side; y++)
        for (ptrdiff_t x = 0; x < side; x++) {
          float *to = border + (y * side + x) * channels;
          int inside = y0 + y >= 0 && y0 + y < c->height && x0 + x >= 0 && x0 + x < c->width;
          if (inside) memcpy(to, image + (y0 + y) * row_stride + (x0 + x) * pixel_stride, (size_t)channels * sizeof(float));
          else memset(to, 0, (size_t)channels * sizeof(float));
        }
      row_stride = side * channels;
      pixel_stride = channels;
    }
    ptrdiff_t channel = 0;
    for (; channel + LANES <= channels; channel += LANES)
      winograd_input_channels(m, input + channel, row_stride, pixel_stride, LANES, v + channel, place_stride);
    if (channel < channels)
      winograd_input_channels(m, input + channel, row_stride, pixel_stride, channels - channel, v + channel, place_stride);
  }
}

/// Applies the epilogue to `m` results and stores the first `pixels` of them.
MK_INLINE void winograd_finish(const mk_conv2d *c, const int m, vec y[4], vec bias, const float *residual, float *output,
                               ptrdiff_t pixels, ptrdiff_t count) {
  const mk_epilogue *e = &c->epilogue;
  vec alpha = vec_splat(e->alpha);
  float lo = e->lo, hi = e->hi;
  UNROLL for (int x = 0; x < m; x++) {
    y[x] = y[x] * alpha + bias;
    if (residual != NULL && x < pixels) {
      const float *p = residual + x * c->residual_pixel_stride;
      y[x] += count == LANES ? vec_load(p) : vec_load_first(p, count);
    }
  }
#define MK_ACTIVATE_LINE(kind)                                                                    \
  case kind:                                                                                      \
    UNROLL for (int x = 0; x < m; x++) y[x] = vec_activate_early(y[x], kind, lo, hi);             \
    break;
  switch (e->activation) {
    MK_ACTIVATE_LINE(MK_ACTIVATION_CLAMP)
    MK_ACTIVATE_LINE(MK_ACTIVATION_HARDSWISH)
    MK_ACTIVATE_LINE(MK_ACTIVATION_HARDSIGMOID)
    MK_ACTIVATE_LINE(MK_ACTIVATION_LEAKY_RELU)
    default: break;
  }
#undef MK_ACTIVATE_LINE
  UNROLL for (int x = 0; x < m; x++) {
    if (x >= pixels) break;
    float *to = output + x * c->output_pixel_stride;
    if (count == LANES) vec_store(to, y[x]);
    else vec_store_first(to, y[x], count);
  }
  if (mk_activation_is_late(e->activation)) MK_FN(mk_activate)(output, c->output_pixel_stride, pixels, count, e);
}

/// Results of tiles `tile0` ..< `tile1` and one panel from the sums of all places, [place][tile][column].
MK_INLINE void winograd_output(const mk_conv2d *c, const int m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel, const float *sums,
                               ptrdiff_t place_stride) {
  const int side = m + 2;
  ptrdiff_t columns = mk_min(NR, c->output_channels - panel * NR);
  for (ptrdiff_t tile = tile0; tile < tile1; tile++, sums += NR) {
    MK_FN(winograd_tile) place = winograd_tile_at(c, m, tile);
    ptrdiff_t rows = mk_min(m, c->output_height - place.y), pixels = mk_min(m, c->output_width - place.x);
    for (ptrdiff_t column = 0; column < columns; column += LANES) {
      ptrdiff_t count = mk_min(LANES, columns - column), channel = panel * NR + column;
      vec bias = vec_splat(0.0f), lines[4][MAX_SIDE];
      if (c->epilogue.bias != NULL) bias = vec_load_first(c->epilogue.bias + channel, count);
      UNROLL for (int x = 0; x < side; x++) {
        vec p[MAX_SIDE], t[4];
        UNROLL for (int y = 0; y < side; y++) p[y] = vec_load(sums + (y * side + x) * place_stride + column);
        winograd_output_line(m, p, t);
        UNROLL for (int y = 0; y < m; y++) lines[y][x] = t[y];
      }
      float *output = c->output + place.image * c->output_image_stride + place.y * c->output_row_stride +
                      place.x * c->output_pixel_stride + channel;
      const float *residual = NULL;
      if (c->epilogue.residual != NULL)
        residual = c->epilogue.residual + place.image * c->residual_image_stride + place.y * c->residual_row_stride +
                   place.x * c->residual_pixel_stride + channel;
#pragma clang loop unroll(disable)
      for (ptrdiff_t y = 0; y < rows; y++) {
        vec t[4];
        winograd_output_line(m, lines[y], t);
        winograd_finish(c, m, t, bias, residual, output, pixels, count);
        output += c->output_row_stride;
        if (residual != NULL) residual += c->residual_row_stride;
      }
    }
  }
}

/// The products of all places of one panel: [place][tile][channel] by [place][channel][column].
static void MK_FN(winograd_products)(ptrdiff_t places, ptrdiff_t tiles, ptrdiff_t channels, ptrdiff_t columns, const float *v,
                                     ptrdiff_t v_stride, const float *weights, int is_last, float *sums, ptrdiff_t sum_stride) {
  static const ptrdiff_t no_offset = 0;
  static const mk_epilogue none = {.alpha = 1};
  ptrdiff_t parts = mk_divide_up(tiles, MR), least = tiles / parts, longer = tiles % parts;
  mk_tile t = {
    .a_row_stride = channels,
    .a_k_stride = 1,
    .tap_offsets = &no_offset,
    .tap_count = 1,
    .k = channels,
    .b_k_stride = NR,
    .c_row_stride = NR,
    .columns = columns > LANES ? NR : LANES,
    .epilogue = &none,
  };
  for (ptrdiff_t place = 0; place < places; place++) {
    t.b = weights + place * channels * NR;
    t.a = v + place * v_stride;
    t.c = sums + place * sum_stride;
    int fetches = place + 1 < places || !is_last;
    t.prefetch_step = fetches ? NR / parts : 0;
    for (ptrdiff_t i = 0; i < parts; i++) {
      ptrdiff_t rows = least + (i < longer);
      t.prefetch = fetches ? t.b + channels * NR + i * channels * t.prefetch_step : t.b;
      MK_FN(mk_tiles).tile[rows][t.columns > LANES](&t);
      t.a += rows * channels;
      t.c += rows * NR;
    }
  }
}

MK_INLINE void winograd_run(const mk_conv2d *c, const int m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1,
                            float *scratch) {
  const ptrdiff_t places = (m + 2) * (m + 2);
  ptrdiff_t tiles = tile1 - tile0, channels = c->input_channels;
  ptrdiff_t v_stride = mk_winograd_place_stride(tiles, channels), sum_stride = mk_winograd_place_stride(tiles, NR);
  float *sums = scratch, *v = sums + places * sum_stride, *border = v + places * v_stride;
  winograd_input(c, m, tile0, tile1, v, v_stride, border);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const float *weights = c->weights + panel * places * channels * NR;
    MK_FN(winograd_products)(places, tiles, channels, mk_min(NR, c->output_channels - panel * NR), v, v_stride, weights,
                             panel + 1 == panel1, sums, sum_stride);
    winograd_output(c, m, tile0, tile1, panel, sums, sum_stride);
  }
}

void MK_FN(mk_winograd_f32)(const mk_conv2d *c, ptrdiff_t m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1,
                            float *scratch) {
  if (m == 4) winograd_run(c, 4, tile0, tile1, panel0, panel1, scratch);
  else winograd_run(c, 2, tile0, tile1, panel0, panel1, scratch);
}
