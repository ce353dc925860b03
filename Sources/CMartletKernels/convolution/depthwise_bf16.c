#include "../simd/vector_includes.h"
#include "conv_types.h"

#if MK_HAS_X86_LEVELS
/// Depthwise convolution of bfloat16 images with the processor's conversion instructions.
MK_BEGIN_AVX512_BF16
#define MK_LEVEL 2
#define MK_ROUNDS_BF16
#define MK_FN(name) name##_avx512bf16
#define mk_activate_avx512bf16 mk_activate_avx512
#define UNROLL _Pragma("clang loop unroll(full)")
#include "../simd/vector.inc"
#include "../simd/vector_math.inc"
#include "../simd/activation.inc"
#define mk_depthwise2d_bf16_avx512bf16 depthwise_of_any
#define MK_ELEMENT uint16_t
#define MK_ELEMENT_DTYPE MK_BF16
#define MK_OF(name) MK_FN(name##_bf16)
static void depthwise_of_any(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);
#include "depthwise.inc"
#undef mk_depthwise2d_bf16_avx512bf16
#include "bf16_vector.inc"

// 3 x 3 kernels over blocks of 32 channels: a number in the upper half of 32 bits is a float already, and one in the lower half is after a
// shift. So the even and the odd channels of a block are two vectors, and weights and biases are sorted in the same way.

/// Channels of a block, and most blocks whose weights are sorted at a time.
enum { block = 2 * LANES, most_blocks = 32 };

/// Sorted weights of nine taps and bias of a block.
typedef struct sorted_block {
  vec weights[9][2], bias[2];
} sorted_block;

MK_INLINE void load_sorted(const float *p, vec v[2]) {
  const vec low = vec_load(p), high = vec_load(p + LANES);
  v[0] = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  v[1] = __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/// One row of a block; `input` is at the first tap row inside the image and column 0, `rows` of which are `first` ..< `end`.
MK_INLINE void slide_row(const mk_conv2d *c, const uint16_t *input, const sorted_block *b, uint16_t *output, const int first, const int end,
                         const int stride, vec alpha, vec lo, vec hi) {
  static const uint16_t positions[block] = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                            8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_loadu_si512(positions), upper = _mm512_set1_epi32((int)0xffff0000);
  const ptrdiff_t pixel = c->input_pixel_stride, row = c->input_row_stride, width = c->width;
  vec weights[9][2], sums[3][2];
  UNROLL for (int t = 3 * first; t < 3 * end; t++) UNROLL for (int h = 0; h < 2; h++) weights[t][h] = b->weights[t][h];
  UNROLL for (int i = 0; i < 3; i++) UNROLL for (int h = 0; h < 2; h++) sums[i][h] = vec_splat(0.0f);
  // The column `at` is the tap `t` of the current pixel, and an earlier one of the next pixels up to `last`.
#define MK_COLUMN(at, t, last)                                                                                                 \
  if ((at) >= 0 && (at) < width) {                                                                                             \
    UNROLL for (int r = first; r < end; r++) {                                                                                 \
      const __m512i both = _mm512_loadu_si512(input + (r - first) * row + (at) * pixel);                                       \
      const vec value[2] = {(vec)_mm512_slli_epi32(both, 16), (vec)_mm512_and_si512(both, upper)};                             \
      UNROLL for (int i = 0; i <= last; i++)                                                                                   \
        UNROLL for (int h = 0; h < 2; h++) sums[i][h] = value[h] * weights[3 * r + (t) - stride * i][h] + sums[i][h];          \
    }                                                                                                                          \
  }
  ptrdiff_t at = -c->pad_left;
  MK_COLUMN(at, 0, 0)
  if (stride == 1) MK_COLUMN(at + 1, 1, 1)
  for (ptrdiff_t x = 0; x < c->output_width; x++, at += stride, output += c->output_pixel_stride) {
    if (stride == 1) {
      MK_COLUMN(at + 2, 2, 2)
    } else {
      MK_COLUMN(at + 1, 1, 0)
      MK_COLUMN(at + 2, 2, 1)
    }
    vec y[2];
    UNROLL for (int h = 0; h < 2; h++) y[h] = vec_at_most(hi, vec_at_least(lo, sums[0][h] * alpha + b->bias[h]));
    _mm512_storeu_si512(output, _mm512_permutexvar_epi16(order, bf16_hi((__m512)y[0], (__m512)y[1])));
    UNROLL for (int h = 0; h < 2; h++) sums[0][h] = sums[1][h], sums[1][h] = sums[2][h], sums[2][h] = vec_splat(0.0f);
  }
#undef MK_COLUMN
}

MK_INLINE void slide_rows(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1, const int stride) {
  const mk_epilogue *e = &c->epilogue;
  const int clamps = e->activation == MK_ACTIVATION_CLAMP;
  const vec alpha = vec_splat(e->alpha), lo = vec_splat(clamps ? e->lo : -__builtin_inff()), hi = vec_splat(clamps ? e->hi : __builtin_inff());
  sorted_block sorted[most_blocks];
  const ptrdiff_t blocks = (channel1 - channel0) / block;
  for (ptrdiff_t i = 0; i < blocks; i++) {
    const ptrdiff_t channel = channel0 + i * block;
    for (int t = 0; t < 9; t++) load_sorted(c->weights + t * c->groups + channel, sorted[i].weights[t]);
    if (e->bias != NULL) load_sorted(e->bias + channel, sorted[i].bias);
    else sorted[i].bias[0] = sorted[i].bias[1] = vec_splat(0.0f);
  }
  for (ptrdiff_t line = row0; line < row1; line++) {
    const ptrdiff_t image = line / c->output_height, y = line % c->output_height;
    ptrdiff_t first, end;
    mk_tap_range(y, c->stride_y, c->pad_top, 1, 3, c->height, &first, &end);
    const uint16_t *input = (const uint16_t *)(const void *)c->input + image * c->input_image_stride +
                            (y * c->stride_y - c->pad_top + first) * c->input_row_stride + channel0;
    uint16_t *output = (uint16_t *)(void *)c->output + image * c->output_image_stride + y * c->output_row_stride + channel0;
    for (ptrdiff_t i = 0; i < blocks; i++, input += block, output += block) {
      if (first == 0 && end == 3) slide_row(c, input, &sorted[i], output, 0, 3, stride, alpha, lo, hi);
      else if (first == 0 && end == 2) slide_row(c, input, &sorted[i], output, 0, 2, stride, alpha, lo, hi);
      else if (first == 1 && end == 3) slide_row(c, input, &sorted[i], output, 1, 3, stride, alpha, lo, hi);
      else slide_row(c, input, &sorted[i], output, 1, 2, stride, alpha, lo, hi);
    }
  }
}

static void slide_1(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  slide_rows(c, row0, row1, channel0, channel1, 1);
}
static void slide_2(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  slide_rows(c, row0, row1, channel0, channel1, 2);
}

void mk_depthwise2d_bf16_avx512bf16(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  const mk_epilogue *e = &c->epilogue;
  const int is_plain = e->residual == NULL && (e->activation == MK_ACTIVATION_NONE || e->activation == MK_ACTIVATION_CLAMP);
  // Every row has at least the middle tap row: at most one row of padding above, and one below.
  const int slides = is_plain && c->kernel_height == 3 && c->kernel_width == 3 && c->dilation_y == 1 && c->dilation_x == 1 &&
                     c->stride_x == c->stride_y && c->stride_x <= 2 && c->pad_top <= 1 && c->pad_left <= 1 &&
                     (c->output_height - 1) * c->stride_y - c->pad_top + 1 < c->height;
  const ptrdiff_t whole = slides ? (channel1 - channel0) / block * block : 0;
  for (ptrdiff_t channel = channel0; channel < channel0 + whole; channel += most_blocks * block)
    (c->stride_x == 1 ? slide_1 : slide_2)(c, row0, row1, channel, mk_min(channel0 + whole, channel + most_blocks * block));
  if (channel0 + whole < channel1) depthwise_of_any(c, row0, row1, channel0 + whole, channel1);
}
MK_END_AVX512
#endif
