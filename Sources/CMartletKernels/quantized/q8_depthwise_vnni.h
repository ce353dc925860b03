/// The depthwise convolution with dot products, as template text after `q8_finish.h`. Four rows of one column of the window, interleaved
/// channel by channel, are one operand.
///
/// A block of 64 channels makes four vectors: vector q holds channels 16 l + 4 q ... 16 l + 4 q + 3 in lane l, which is how bytes unpack to
/// vectors, and how sums pack to bytes again. Where 32 channels or fewer are left, the upper half of each vector does the right half of
/// the row meanwhile.
///
/// Weights: [64 channels][4 rows of the kernel][column of the kernel][vector][channel][row].

/// Bytes of the weights of one column of four rows, a block of channels.
#define Q8_COLUMN 256
/// Most columns of a kernel that slides by.
#define Q8_SLIDING 3

/// One column of four rows, or the sums of a pixel.
typedef struct MK_FN(q8_quad) {
  __m512i v[4];
} MK_FN(q8_quad);

/// What a row of pixels of a block of channels needs.
typedef struct MK_FN(q8_strip) {
  const mk_q8_conv2d *c;
  /// Row i of the input at column 0, and its step from column to column; rows outside the image are a pixel of zeros, with step 0.
  const uint8_t *rows[16];
  ptrdiff_t steps[16];
  const int8_t *weights;
  /// With a pair of rows, the weights of the lower one: the upper one's, a row further on.
  __m512i below[4 * Q8_SLIDING];
  const float *scale, *bias;
  void *output;
  /// Of the row below, where a pair of rows is made.
  void *next_output;
  ptrdiff_t channels, row_groups;
  /// Pixels that are made for each half of the vectors, and from the input's column of the lower half to the upper half's; all of them, and
  /// 0, where vectors have one half only.
  ptrdiff_t pixels, apart;
  /// Of loads and stores.
  __mmask64 mask;
  __m512i zero, flip;
  MK_FN(q8_quad) terms;
  MK_FN(q8_columns) columns;
  /// How results are made, by `q8_kind`.
  int kind;
} MK_FN(q8_strip);

/// 64 numbers of 32 bits, in the order of their channels, as four vectors.
MK_INLINE MK_FN(q8_quad) q8_spread(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i ab0 = _mm512_shuffle_i32x4(a, b, 0x44), ab1 = _mm512_shuffle_i32x4(a, b, 0xee);
  const __m512i cd0 = _mm512_shuffle_i32x4(c, d, 0x44), cd1 = _mm512_shuffle_i32x4(c, d, 0xee);
  return (MK_FN(q8_quad)){{_mm512_shuffle_i32x4(ab0, cd0, 0x88), _mm512_shuffle_i32x4(ab0, cd0, 0xdd),
                           _mm512_shuffle_i32x4(ab1, cd1, 0x88), _mm512_shuffle_i32x4(ab1, cd1, 0xdd)}};
}

/// The numbers of a block of channels, of which there is a multiple of 32.
MK_INLINE MK_FN(q8_quad) q8_load_spread(const void *from, int halves) {
  const int32_t *p = from;
  const __m512i a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 16);
  return q8_spread(a, b, halves ? a : _mm512_loadu_si512(p + 32), halves ? b : _mm512_loadu_si512(p + 48));
}

/// Rows, channel by channel, interleaved.
MK_INLINE MK_FN(q8_quad) q8_interleave(const __m512i r[4]) {
  const __m512i low0 = _mm512_unpacklo_epi8(r[0], r[1]), high0 = _mm512_unpackhi_epi8(r[0], r[1]);
  const __m512i low1 = _mm512_unpacklo_epi8(r[2], r[3]), high1 = _mm512_unpackhi_epi8(r[2], r[3]);
  return (MK_FN(q8_quad)){{_mm512_unpacklo_epi16(low0, low1), _mm512_unpackhi_epi16(low0, low1), _mm512_unpacklo_epi16(high0, high1),
                           _mm512_unpackhi_epi16(high0, high1)}};
}

/// Column `column` of rows 4 * `group` and following, `count` of them, any part of which may be outside.
static MK_FN(q8_quad) MK_FN(q8_edge_column)(const MK_FN(q8_strip) *s, ptrdiff_t group, ptrdiff_t count, ptrdiff_t column) {
  const ptrdiff_t other = column + s->apart;
  const int inside = column >= 0 && column < s->c->width, is_other_inside = s->apart > 0 && other >= 0 && other < s->c->width;
  const __mmask64 low = inside ? s->mask : 0;
  const __mmask64 high = is_other_inside ? s->mask : 0;
  __m512i r[4];
  for (ptrdiff_t i = 0; i < 4; i++) {
    r[i] = _mm512_setzero_si512();
    if (i >= count) continue;
    const uint8_t *row = s->rows[4 * group + i];
    const ptrdiff_t step = s->steps[4 * group + i];
    // A column outside has no address.
    const __m512i v = _mm512_maskz_loadu_epi8(low, inside ? row + column * step : row);
    r[i] = _mm512_mask_xor_epi64(s->zero, inside ? s->apart > 0 ? 0x0f : 0xff : 0, v, s->flip);
    if (is_other_inside)
      r[i] = _mm512_inserti64x4(
        r[i], _mm256_xor_si256(_mm256_maskz_loadu_epi8((__mmask32)high, row + other * step), _mm512_castsi512_si256(s->flip)), 1);
  }
  return q8_interleave(r);
}

MK_INLINE MK_FN(q8_quad) q8_column(const MK_FN(q8_strip) *s, ptrdiff_t group, const int count, ptrdiff_t column, const int halves,
                                   const int whole) {
  if (column < 0 || column + (halves ? s->apart : 0) >= s->c->width) return MK_FN(q8_edge_column)(s, group, count, column);
  __m512i r[4];
  UNROLL for (int i = 0; i < 4; i++) {
    r[i] = _mm512_setzero_si512();
    if (i >= count) continue;
    const ptrdiff_t step = s->steps[4 * group + i];
    const uint8_t *p = s->rows[4 * group + i] + column * step;
    if (halves) {
      const uint8_t *other = p + s->apart * step;
      const __m256i a = whole ? _mm256_loadu_si256((const __m256i *)p) : _mm256_maskz_loadu_epi8((__mmask32)s->mask, p);
      const __m256i b = whole ? _mm256_loadu_si256((const __m256i *)other) : _mm256_maskz_loadu_epi8((__mmask32)s->mask, other);
      r[i] = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
    } else {
      r[i] = whole ? _mm512_loadu_si512(p) : _mm512_maskz_loadu_epi8(s->mask, p);
    }
    r[i] = _mm512_xor_si512(r[i], s->flip);
  }
  return q8_interleave(r);
}

static void MK_FN(q8_strip_store_f32)(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, const MK_FN(q8_quad) *quad) {
  const int32_t none[MK_Q8_PANEL] = {0};
  int32_t sums[64];
  const MK_FN(q8_quad) ordered = q8_spread(quad->v[0], quad->v[1], quad->v[2], quad->v[3]);
  for (int i = 0; i < 4; i++) _mm512_storeu_si512(sums + 16 * i, ordered.v[i]);
  for (ptrdiff_t half = 0; half < 2; half++) {
    const ptrdiff_t pixel = s->apart > 0 ? x + half * s->pixels : x, channel = s->apart > 0 ? 0 : 32 * half;
    const ptrdiff_t channels = mk_min(MK_Q8_PANEL, s->channels - channel);
    if (pixel >= s->c->output_width || channels <= 0) continue;
    float *out = (float *)output + pixel * s->c->output_pixel_stride + channel;
    const float *bias = s->bias == NULL ? NULL : s->bias + channel;
    q8_store_f32(sums + 32 * half, none, 0, 1.0f, s->scale + channel, bias, &s->c->epilogue, out, channels);
  }
}

MK_INLINE void q8_strip_store_bytes(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, const MK_FN(q8_quad) *sums, const int halves,
                                    const int whole, const int kind) {
  const __m512i bytes = q8_bytes(sums->v, sums->v + 2, &s->columns, 1, kind);
  const ptrdiff_t pixel = s->c->output_pixel_stride;
  uint8_t *out = (uint8_t *)output + x * pixel;
  if (halves) {
    q8_store_bytes(_mm512_castsi512_si256(bytes), out, whole ? MK_Q8_PANEL : s->channels);
    if (x + s->pixels < s->c->output_width)
      q8_store_bytes(_mm512_extracti64x4_epi64(bytes, 1), out + s->pixels * pixel, whole ? MK_Q8_PANEL : s->channels);
  } else if (whole) {
    _mm512_storeu_si512(out, bytes);
  } else {
    _mm512_mask_storeu_epi8(out, s->mask, bytes);
  }
}

/// What is seldom stored.
static void MK_FN(q8_strip_store_other)(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, const MK_FN(q8_quad) *sums) {
  if (s->c->epilogue.output == MK_Q8_TO_F32) MK_FN(q8_strip_store_f32)(s, output, x, sums);
  else q8_strip_store_bytes(s, output, x, sums, s->apart > 0, 0, Q8_EVERYTHING);
}

/// Stores pixel `x` of a row, and with `halves` the one `pixels` further on.
MK_INLINE void q8_strip_store(const MK_FN(q8_strip) *s, void *output, ptrdiff_t x, const MK_FN(q8_quad) *sums, const int halves,
                              const int whole) {
  switch (s->kind) {
    case 0: q8_strip_store_bytes(s, output, x, sums, halves, whole, 0); break;
    case 1: q8_strip_store_bytes(s, output, x, sums, halves, whole, 1); break;
    case 2: q8_strip_store_bytes(s, output, x, sums, halves, whole, 2); break;
    case 3: q8_strip_store_bytes(s, output, x, sums, halves, whole, 3); break;
    default: MK_FN(q8_strip_store_other)(s, output, x, sums);
  }
}

/// Adds a column's products with weights to a pixel's sums.
MK_INLINE void q8_strip_add(MK_FN(q8_quad) *sums, const MK_FN(q8_quad) *column, const void *weights) {
  UNROLL for (int q = 0; q < 4; q++)
    sums->v[q] = _mm512_dpbusd_epi32(sums->v[q], column->v[q], _mm512_loadu_si512((const char *)weights + 64 * q));
}

/// A row, or with `pair` two, of a kernel of 3 x 3 with dense taps: columns that neighbouring pixels share stay in registers. A pair's four
/// rows of the input are interleaved once.
MK_INLINE void q8_slide(const MK_FN(q8_strip) *s, const int stride, const int pair, const int halves, const int whole) {
  const int rows = pair ? 4 : 3;
  ptrdiff_t at = -s->c->pad_left;
  MK_FN(q8_quad) a = q8_column(s, 0, rows, at++, halves, whole), b = a, c;
  if (stride == 1) b = q8_column(s, 0, rows, at++, halves, whole);
  for (ptrdiff_t x = 0; x < s->pixels; x++) {
    if (stride == 2) b = q8_column(s, 0, rows, at++, halves, whole);
    c = q8_column(s, 0, rows, at++, halves, whole);
    MK_FN(q8_quad) sums = s->terms;
    q8_strip_add(&sums, &a, s->weights);
    q8_strip_add(&sums, &b, s->weights + Q8_COLUMN);
    q8_strip_add(&sums, &c, s->weights + 2 * Q8_COLUMN);
    q8_strip_store(s, s->output, x, &sums, halves, whole);
    if (pair) {
      sums = s->terms;
      q8_strip_add(&sums, &a, s->below);
      q8_strip_add(&sums, &b, s->below + 4);
      q8_strip_add(&sums, &c, s->below + 8);
      q8_strip_store(s, s->next_output, x, &sums, halves, whole);
    }
    a = stride == 1 ? b : c;
    b = c;
  }
}

/// `count` pixels from `x` on of a kernel `width` wide with dense taps.
MK_INLINE void q8_strip_pixels(const MK_FN(q8_strip) *s, ptrdiff_t x, const int count, const int width, const int stride, const int halves,
                               const int whole) {
  const ptrdiff_t origin = x * stride - s->c->pad_left;
  MK_FN(q8_quad) sums[4];
  UNROLL for (int i = 0; i < count; i++) sums[i] = s->terms;
  for (ptrdiff_t group = 0; group < s->row_groups; group++) {
    const int8_t *weights = s->weights + group * width * Q8_COLUMN;
#pragma clang loop unroll(full)
    for (int column = 0; column < (count - 1) * stride + width; column++) {
      const MK_FN(q8_quad) values = q8_column(s, group, 4, origin + column, halves, whole);
      UNROLL for (int i = 0; i < count; i++) {
        const int j = column - i * stride;
        if (j >= 0 && j < width) q8_strip_add(&sums[i], &values, weights + j * Q8_COLUMN);
      }
    }
  }
  UNROLL for (int i = 0; i < count; i++) q8_strip_store(s, s->output, x + i, &sums[i], halves, whole);
}

/// A row of a kernel `width` wide with dense taps.
MK_INLINE void q8_strip_row(const MK_FN(q8_strip) *s, const int width, const int stride, const int halves, const int whole) {
  ptrdiff_t x = 0;
  for (; x + 4 <= s->pixels; x += 4) q8_strip_pixels(s, x, 4, width, stride, halves, whole);
  for (; x < s->pixels; x++) q8_strip_pixels(s, x, 1, width, stride, halves, whole);
}

/// A kernel of any extents, strides and dilations, pixel by pixel.
static void MK_FN(q8_strip_any)(const MK_FN(q8_strip) *s) {
  const mk_q8_conv2d *c = s->c;
  for (ptrdiff_t x = 0; x < s->pixels; x++) {
    MK_FN(q8_quad) sums = s->terms;
    for (ptrdiff_t group = 0; group < s->row_groups; group++)
      for (ptrdiff_t j = 0; j < c->kernel_width; j++) {
        const MK_FN(q8_quad) column = MK_FN(q8_edge_column)(s, group, 4, x * c->stride_x - c->pad_left + j * c->dilation_x);
        q8_strip_add(&sums, &column, s->weights + (group * c->kernel_width + j) * Q8_COLUMN);
      }
    q8_strip_store(s, s->output, x, &sums, s->apart > 0, 0);
  }
}

/// A row by the block's channels: whole vectors, halves, or parts of either.
#define Q8_STRIP_CASE(name, call, ...)                                    \
  static void MK_FN(name)(const MK_FN(q8_strip) *s) {                     \
    if (s->channels == 64) call(s, __VA_ARGS__, 0, 1);                    \
    else if (s->channels > 32) call(s, __VA_ARGS__, 0, 0);                \
    else if (s->channels == 32) call(s, __VA_ARGS__, 1, 1);               \
    else call(s, __VA_ARGS__, 1, 0);                                      \
  }
Q8_STRIP_CASE(q8_pair_3_1, q8_slide, 1, 1)
Q8_STRIP_CASE(q8_strip_3_1, q8_slide, 1, 0)
Q8_STRIP_CASE(q8_strip_3_2, q8_slide, 2, 0)
Q8_STRIP_CASE(q8_strip_5_1, q8_strip_row, 5, 1)
Q8_STRIP_CASE(q8_strip_5_2, q8_strip_row, 5, 2)
#undef Q8_STRIP_CASE

/// The block of channels from `channel` on.
MK_INLINE void q8_strip_set_block(MK_FN(q8_strip) *s, ptrdiff_t channel, const int32_t *channel_sums, __m512i excess) {
  const mk_q8_conv2d *c = s->c;
  const mk_q8_epilogue *e = &c->epilogue;
  s->channels = mk_min(64, c->groups - channel);
  const int halves = s->channels <= 32;
  s->mask = q8_mask(s->channels);
  s->pixels = halves ? mk_divide_up(c->output_width, 2) : c->output_width;
  s->apart = halves ? s->pixels * c->stride_x : 0;
  s->weights = c->weights + channel / 64 * s->row_groups * c->kernel_width * Q8_COLUMN;
  for (int i = 0; i < 4 * Q8_SLIDING && i < 4 * c->kernel_width; i++)
    s->below[i] = _mm512_slli_epi32(_mm512_loadu_si512(s->weights + 64 * i), 8);
  s->scale = e->scale + channel;
  s->bias = e->bias == NULL ? NULL : e->bias + channel;
  s->columns = q8_columns(s->scale, s->bias, e);
  const MK_FN(q8_quad) scales = q8_load_spread(s->scale, halves), sums = q8_load_spread(channel_sums + channel, halves);
  const __m512i none = _mm512_setzero_si512();
  MK_FN(q8_quad) biases = {{none, none, none, none}}, terms = biases;
  if (s->bias != NULL) biases = q8_load_spread(s->bias, halves);
  if (e->sum_bias != NULL) terms = q8_load_spread(e->sum_bias + channel, halves);
  for (int q = 0; q < 4; q++) {
    s->columns.scale[q] = _mm512_castsi512_ps(scales.v[q]);
    s->columns.bias[q] = _mm512_castsi512_ps(biases.v[q]);
    s->terms.v[q] = _mm512_sub_epi32(terms.v[q], _mm512_mullo_epi32(excess, sums.v[q]));
  }
  s->kind = e->output == MK_Q8_TO_F32 ? Q8_EVERYTHING : q8_kind(&s->columns, e);
}

void MK_FN(mk_q8_depthwise2d)(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  const ptrdiff_t row_groups = mk_divide_up(c->kernel_height, 4), blocks = mk_divide_up(c->groups, 64);
  const int32_t *channel_sums = (const int32_t *)(const void *)(c->weights + blocks * row_groups * c->kernel_width * Q8_COLUMN);
  void (*run)(const MK_FN(q8_strip) *) = MK_FN(q8_strip_any);
  if (c->dilation_x == 1 && (c->stride_x == 1 || c->stride_x == 2)) {
    if (c->kernel_height == 3 && c->kernel_width == 3) run = c->stride_x == 1 ? MK_FN(q8_strip_3_1) : MK_FN(q8_strip_3_2);
    if (c->kernel_width == 5) run = c->stride_x == 1 ? MK_FN(q8_strip_5_1) : MK_FN(q8_strip_5_2);
  }
  const int flip = c->input_is_unsigned ? 0 : 0x80;
  uint8_t zeros[64];
  memset(zeros, c->input_zero_point & 0xff, sizeof zeros);
  MK_FN(q8_strip) s = {.c = c, .row_groups = row_groups, .flip = _mm512_set1_epi8((char)flip)};
  s.zero = _mm512_set1_epi8((char)(c->input_zero_point ^ flip));
  const __m512i excess = _mm512_set1_epi32(c->input_zero_point + flip);
  const int makes_pairs = run == MK_FN(q8_strip_3_1) && c->stride_y == 1 && c->dilation_y == 1;
  for (ptrdiff_t channel = 0; channel < c->groups; channel += 64) {
    q8_strip_set_block(&s, channel, channel_sums, excess);
    for (ptrdiff_t row = row0, rows; row < row1; row += rows) {
      const ptrdiff_t image = row / c->output_height, y = row % c->output_height, top = y * c->stride_y - c->pad_top;
      const int is_pair = makes_pairs && row + 1 < row1 && y + 1 < c->output_height;
      rows = is_pair ? 2 : 1;
      for (ptrdiff_t i = 0; i < 4 * row_groups; i++) {
        const ptrdiff_t input_row = top + i * c->dilation_y;
        const int inside = i < c->kernel_height + is_pair && input_row >= 0 && input_row < c->height;
        s.rows[i] = zeros;
        s.steps[i] = 0;
        if (!inside) continue;
        s.rows[i] = (const uint8_t *)c->input + image * c->input_image_stride + input_row * c->input_row_stride + channel;
        s.steps[i] = c->input_pixel_stride;
      }
      const ptrdiff_t place = image * c->output_image_stride + y * c->output_row_stride + channel;
      const ptrdiff_t size = c->epilogue.output == MK_Q8_TO_F32 ? 4 : 1;
      s.output = (char *)c->output + place * size;
      s.next_output = (char *)s.output + (is_pair ? c->output_row_stride * size : 0);
      if (is_pair) MK_FN(q8_pair_3_1)(&s);
      else run(&s);
    }
  }
}
#undef Q8_COLUMN
#undef Q8_SLIDING
