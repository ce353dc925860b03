/// The depthwise convolution with dot products, as template text after `q8_finish.h`. Four rows of one column of the window, interleaved
/// channel by channel, are one operand; several neighbouring pixels share the columns that they meet.
///
/// Weights: [16 channels][4 rows of the kernel][column of the kernel][channel][row].

/// Sums of two vectors of channels for so many pixels fit the registers beside the weights of a row of taps.
#define Q8_PIXELS 8

/// What a row of pixels of up to 32 channels needs.
typedef struct MK_FN(q8_strip) {
  const mk_q8_conv2d *c;
  /// Row i of the input at column 0, and its step from column to column; rows outside the image are a pixel of zeros, with step 0.
  const uint8_t *rows[16];
  ptrdiff_t steps[16];
  const int8_t *weights;
  const float *scale, *bias;
  void *output;
  /// Of the row below, where a pair of rows is made.
  void *next_output;
  ptrdiff_t channels, row_groups;
  __m512i terms[2];
  /// Of loads of either vector of channels.
  __mmask16 masks[2];
  __m512i zero, flip;
  MK_FN(q8_columns) columns;
  /// How results are made, by `q8_kind`.
  int kind;
} MK_FN(q8_strip);

/// Columns `column` of rows 4 * `group` and following, `count` of them.
MK_INLINE __m512i q8_column(const MK_FN(q8_strip) *s, ptrdiff_t group, const int count, ptrdiff_t column, const int vector,
                            const int whole) {
  __m512i v = _mm512_setzero_si512();
#define Q8_ROW(i)                                                                                             \
  if (count > i) {                                                                                            \
    const uint8_t *p = s->rows[4 * group + i] + column * s->steps[4 * group + i] + 16 * vector;               \
    __m128i bytes = whole ? _mm_loadu_si128((const __m128i *)p) : _mm_maskz_loadu_epi8(s->masks[vector], p);  \
    v = i == 0 ? _mm512_zextsi128_si512(bytes) : _mm512_inserti32x4(v, bytes, i);                             \
  }
  Q8_ROW(0)
  Q8_ROW(1)
  Q8_ROW(2)
  Q8_ROW(3)
#undef Q8_ROW
  // Channels 4 c ... 4 c + 3 of the four rows into lane c, then row by row within a channel.
  v = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
  v = _mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
  return _mm512_xor_si512(v, s->flip);
}

static void MK_FN(q8_strip_store_f32)(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, __m512i sums0, __m512i sums1) {
  const int32_t none[MK_Q8_PANEL] = {0};
  int32_t sums[MK_Q8_PANEL];
  _mm512_storeu_si512(sums, sums0);
  _mm512_storeu_si512(sums + 16, sums1);
  float *out = (float *)output + x * s->c->output_pixel_stride;
  q8_store_f32(sums, none, 0, 1.0f, s->scale, s->bias, &s->c->epilogue, out, s->channels);
}

/// Stores `count` neighbouring pixels of a row from `x` on.
MK_INLINE void q8_strip_store(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, __m512i sums[][2], const int count,
                              const ptrdiff_t channels) {
  const mk_q8_epilogue *e = &s->c->epilogue;
  const ptrdiff_t pixel = s->c->output_pixel_stride;
  if (e->output == MK_Q8_TO_F32) {
    UNROLL for (int i = 0; i < count; i++) MK_FN(q8_strip_store_f32)(s, output, x + i, sums[i][0], sums[i][1]);
    return;
  }
  uint8_t *out = (uint8_t *)output + x * pixel;
  const MK_FN(q8_columns) c = s->columns;
#define Q8_STORE_PIXELS(kind)                                                                              \
  UNROLL for (int i = 0; i < count; i += 2) {                                                              \
    const int second = i + 1 < count ? i + 1 : i;                                                          \
    const __m512i bytes = q8_requantize(sums[i], sums[second], &c, kind);                                  \
    q8_store_bytes(_mm512_castsi512_si256(bytes), out + i * pixel, channels);                              \
    if (second != i) q8_store_bytes(_mm512_extracti64x4_epi64(bytes, 1), out + second * pixel, channels);  \
  }
  if (s->kind == Q8_FREE) {
    Q8_STORE_PIXELS(Q8_FREE)
  } else if (s->kind == Q8_SMALL) {
    Q8_STORE_PIXELS(Q8_SMALL)
  } else if (s->kind == Q8_LARGE) {
    Q8_STORE_PIXELS(Q8_LARGE)
  } else {
    Q8_STORE_PIXELS(Q8_WITH_BIAS)
  }
#undef Q8_STORE_PIXELS
}

/// `pixels` pixels from `x` on of a kernel `width` wide with dense taps.
MK_INLINE void q8_strip_pixels(const MK_FN(q8_strip) *s, ptrdiff_t x, const int pixels, const int width, const int stride, const int rows,
                               const int vectors, const int whole, const int edge) {
  const ptrdiff_t origin = x * stride - s->c->pad_left, block = s->row_groups * width * 64;
  __m512i sums[Q8_PIXELS][2];
  UNROLL for (int i = 0; i < pixels; i++) UNROLL for (int v = 0; v < 2; v++) sums[i][v] = s->terms[v];
  for (ptrdiff_t group = 0; group < s->row_groups; group++) {
    UNROLL for (int v = 0; v < vectors; v++) {
      __m512i w[5];
      UNROLL for (int j = 0; j < width; j++) w[j] = _mm512_loadu_si512(s->weights + v * block + (group * width + j) * 64);
      UNROLL for (int column = 0; column < (pixels - 1) * stride + width; column++) {
        const int outside = edge && (origin + column < 0 || origin + column >= s->c->width);
        __m512i values = outside ? s->zero : q8_column(s, group, rows, origin + column, v, whole);
        UNROLL for (int i = 0; i < pixels; i++) {
          const int j = column - i * stride;
          if (j >= 0 && j < width) sums[i][v] = _mm512_dpbusd_epi32(sums[i][v], values, w[j]);
        }
      }
    }
  }
  q8_strip_store(s, s->output, x, sums, pixels, whole && vectors == 2 ? MK_Q8_PANEL : s->channels);
}

/// `pixels` <= 4 pixels from `x` on of two rows of the result, of a kernel of 3 x 3 with a stride of 1: the four rows of the input that
/// both meet are interleaved once, and the lower row's weights are the upper one's, a byte further on.
MK_INLINE void q8_pair_pixels(const MK_FN(q8_strip) *s, ptrdiff_t x, const int pixels, const int vectors, const int whole, const int edge) {
  const ptrdiff_t origin = x - s->c->pad_left;
  __m512i upper[4][2], lower[4][2];
  UNROLL for (int i = 0; i < pixels; i++) UNROLL for (int v = 0; v < 2; v++) upper[i][v] = lower[i][v] = s->terms[v];
  UNROLL for (int v = 0; v < vectors; v++) {
    __m512i w[3], below[3];
    UNROLL for (int j = 0; j < 3; j++) {
      w[j] = _mm512_loadu_si512(s->weights + (v * 3 + j) * 64);
      below[j] = _mm512_slli_epi32(w[j], 8);
    }
    UNROLL for (int column = 0; column < pixels + 2; column++) {
      const int outside = edge && (origin + column < 0 || origin + column >= s->c->width);
      const __m512i values = outside ? s->zero : q8_column(s, 0, 4, origin + column, v, whole);
      UNROLL for (int i = 0; i < pixels; i++) {
        const int j = column - i;
        if (j < 0 || j >= 3) continue;
        upper[i][v] = _mm512_dpbusd_epi32(upper[i][v], values, w[j]);
        lower[i][v] = _mm512_dpbusd_epi32(lower[i][v], values, below[j]);
      }
    }
  }
  const ptrdiff_t channels = whole && vectors == 2 ? MK_Q8_PANEL : s->channels;
  q8_strip_store(s, s->output, x, upper, pixels, channels);
  q8_strip_store(s, s->next_output, x, lower, pixels, channels);
}

MK_INLINE void q8_pair_run(const MK_FN(q8_strip) *s, ptrdiff_t inside0, ptrdiff_t inside1, const int vectors, const int whole) {
  const ptrdiff_t end = s->c->output_width;
#define Q8_STEP(count)                                                                          \
  {                                                                                             \
    if (x >= inside0 && x + count <= inside1) q8_pair_pixels(s, x, count, vectors, whole, 0);   \
    else q8_pair_pixels(s, x, count, vectors, whole, 1);                                        \
    x += count;                                                                                 \
  }
  ptrdiff_t x = 0;
  while (x + 4 <= end) Q8_STEP(4)
  if (x + 2 <= end) Q8_STEP(2)
  if (x < end) Q8_STEP(1)
#undef Q8_STEP
}

static void MK_FN(q8_pair_3_1)(const MK_FN(q8_strip) *s, ptrdiff_t inside0, ptrdiff_t inside1) {
  if (s->channels == 32) q8_pair_run(s, inside0, inside1, 2, 1);
  else if (s->channels == 16) q8_pair_run(s, inside0, inside1, 1, 1);
  else q8_pair_run(s, inside0, inside1, 2, 0);
}

/// A kernel of any extents, strides and dilations, pixel by pixel.
static void MK_FN(q8_strip_any)(const MK_FN(q8_strip) *s, ptrdiff_t inside0, ptrdiff_t inside1) {
  const mk_q8_conv2d *c = s->c;
  const ptrdiff_t block = s->row_groups * c->kernel_width * 64;
  (void)inside0, (void)inside1;
  for (ptrdiff_t x = 0; x < c->output_width; x++) {
    __m512i sums[1][2] = {{s->terms[0], s->terms[1]}};
    for (ptrdiff_t group = 0; group < s->row_groups; group++)
      for (ptrdiff_t j = 0; j < c->kernel_width; j++) {
        const ptrdiff_t column = x * c->stride_x - c->pad_left + j * c->dilation_x;
        const int outside = column < 0 || column >= c->width;
        for (int v = 0; v < 2; v++) {
          if (s->masks[v] == 0) continue;
          __m512i values = outside ? s->zero : q8_column(s, group, 4, column, v, 0);
          __m512i w = _mm512_loadu_si512(s->weights + v * block + (group * c->kernel_width + j) * 64);
          sums[0][v] = _mm512_dpbusd_epi32(sums[0][v], values, w);
        }
      }
    q8_strip_store(s, s->output, x, sums, 1, s->channels);
  }
}

MK_INLINE void q8_strip_run(const MK_FN(q8_strip) *s, ptrdiff_t inside0, ptrdiff_t inside1, const int width, const int stride,
                            const int rows, const int vectors, const int whole) {
  const ptrdiff_t end = s->c->output_width;
#define Q8_STEP(count)                                                                                                       \
  {                                                                                                                          \
    if (x >= inside0 && x + count <= inside1) q8_strip_pixels(s, x, count, width, stride, rows, vectors, whole, 0);          \
    else q8_strip_pixels(s, x, count, width, stride, rows, vectors, whole, 1);                                               \
    x += count;                                                                                                              \
  }
  ptrdiff_t x = 0;
  if (width == 3) while (x + 8 <= end) Q8_STEP(8)
  while (x + 4 <= end) Q8_STEP(4)
  if (x + 2 <= end) Q8_STEP(2)
  if (x < end) Q8_STEP(1)
#undef Q8_STEP
}

#define Q8_STRIP_CASE(width, stride, rows)                                                                                    \
  static void MK_FN(q8_strip_##width##_##stride)(const MK_FN(q8_strip) *s, ptrdiff_t inside0, ptrdiff_t inside1) {            \
    if (s->channels == 32) q8_strip_run(s, inside0, inside1, width, stride, rows, 2, 1);                                      \
    else if (s->channels == 16) q8_strip_run(s, inside0, inside1, width, stride, rows, 1, 1);                                 \
    else q8_strip_run(s, inside0, inside1, width, stride, rows, 2, 0);                                                        \
  }
Q8_STRIP_CASE(3, 1, 3)
Q8_STRIP_CASE(3, 2, 3)
Q8_STRIP_CASE(5, 1, 4)
Q8_STRIP_CASE(5, 2, 4)

void MK_FN(mk_q8_depthwise2d)(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  const ptrdiff_t padded = mk_round_up(c->groups, MK_Q8_DEPTHWISE_BLOCK), row_groups = mk_divide_up(c->kernel_height, 4);
  const ptrdiff_t block = row_groups * c->kernel_width * 64;
  const int32_t *channel_sums = (const int32_t *)(const void *)(c->weights + padded / 16 * block);
  const mk_q8_epilogue *e = &c->epilogue;
  void (*run)(const MK_FN(q8_strip) *, ptrdiff_t, ptrdiff_t) = MK_FN(q8_strip_any);
  if (c->dilation_x == 1) {
    if (c->kernel_height == 3 && c->kernel_width == 3 && c->stride_x == 1) run = MK_FN(q8_strip_3_1);
    if (c->kernel_height == 3 && c->kernel_width == 3 && c->stride_x == 2) run = MK_FN(q8_strip_3_2);
    if (c->kernel_width == 5 && c->stride_x == 1) run = MK_FN(q8_strip_5_1);
    if (c->kernel_width == 5 && c->stride_x == 2) run = MK_FN(q8_strip_5_2);
  }
  // Pixels whose taps all meet the image.
  const ptrdiff_t reach = (c->kernel_width - 1) * c->dilation_x, room = c->width - 1 - reach + c->pad_left;
  const ptrdiff_t inside0 = mk_min(mk_divide_up(c->pad_left, c->stride_x), c->output_width);
  const ptrdiff_t inside1 = room < 0 ? inside0 : mk_max(inside0, mk_min(c->output_width, room / c->stride_x + 1));
  const int flip = c->input_is_unsigned ? 0 : 0x80;
  uint8_t zeros[MK_Q8_DEPTHWISE_BLOCK];
  memset(zeros, c->input_zero_point & 0xff, sizeof zeros);
  MK_FN(q8_strip) s = {.c = c, .row_groups = row_groups, .flip = _mm512_set1_epi8((char)flip)};
  s.zero = _mm512_set1_epi8((char)(c->input_zero_point ^ flip));
  const __m512i excess = _mm512_set1_epi32(c->input_zero_point + flip);
  const int makes_pairs = run == MK_FN(q8_strip_3_1) && c->stride_y == 1 && c->dilation_y == 1;
  for (ptrdiff_t row = row0, rows; row < row1; row += rows) {
    const ptrdiff_t image = row / c->output_height, y = row % c->output_height, top = y * c->stride_y - c->pad_top;
    const int is_pair = makes_pairs && row + 1 < row1 && y + 1 < c->output_height;
    rows = is_pair ? 2 : 1;
    for (ptrdiff_t channel = 0; channel < c->groups; channel += MK_Q8_DEPTHWISE_BLOCK) {
      s.channels = mk_min(MK_Q8_DEPTHWISE_BLOCK, c->groups - channel);
      const uint32_t lanes = s.channels == 32 ? ~0u : (1u << s.channels) - 1;
      s.masks[0] = (__mmask16)lanes;
      s.masks[1] = (__mmask16)(lanes >> 16);
      for (ptrdiff_t i = 0; i < 4 * row_groups; i++) {
        const ptrdiff_t input_row = top + i * c->dilation_y;
        const int inside = i < c->kernel_height + is_pair && input_row >= 0 && input_row < c->height;
        s.rows[i] = zeros;
        s.steps[i] = 0;
        if (!inside) continue;
        s.rows[i] = (const uint8_t *)c->input + image * c->input_image_stride + input_row * c->input_row_stride + channel;
        s.steps[i] = c->input_pixel_stride;
      }
      s.weights = c->weights + channel / 16 * block;
      s.scale = e->scale + channel;
      s.bias = e->bias == NULL ? NULL : e->bias + channel;
      s.columns = q8_columns(s.scale, s.bias, e);
      s.kind = q8_kind(&s.columns, e);
      for (int v = 0; v < 2; v++) {
        __m512i sums = _mm512_loadu_si512(channel_sums + channel + 16 * v);
        s.terms[v] = e->sum_bias == NULL ? _mm512_setzero_si512() : _mm512_loadu_si512(e->sum_bias + channel + 16 * v);
        s.terms[v] = _mm512_sub_epi32(s.terms[v], _mm512_mullo_epi32(excess, sums));
      }
      const ptrdiff_t place = image * c->output_image_stride + y * c->output_row_stride + channel;
      const ptrdiff_t size = e->output == MK_Q8_TO_F32 ? 4 : 1;
      s.output = (char *)c->output + place * size;
      s.next_output = (char *)s.output + (is_pair ? c->output_row_stride * size : 0);
      if (is_pair) MK_FN(q8_pair_3_1)(&s, inside0, inside1);
      else run(&s, inside0, inside1);
    }
  }
}
