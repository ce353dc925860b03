#include <assert.h>
#include <math.h>

#include "../simd/loop.h"
#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

/// The sum of two quantised numbers in XNNPACK's fixed-point arithmetic: `(x * a + y * b + bias) >> shift`, and the zero point.
typedef struct q8_fixed_sum {
  int32_t a, b, bias;
  /// 0 if the scales cannot be represented in this form.
  int shift;
} q8_fixed_sum;

static q8_fixed_sum q8_fixed_sum_of(const mk_q8_binary *op) {
  int exponent;
  (void)frexpf(fmaxf(fabsf(op->a_scale), fabsf(op->b_scale)), &exponent);
  if (exponent <= -10 || exponent > 8) return (q8_fixed_sum){.shift = 0};
  q8_fixed_sum f = {.shift = 21 - exponent};
  f.a = (int32_t)lrintf(ldexpf(op->a_scale, f.shift));
  f.b = (int32_t)lrintf(ldexpf(op->b_scale, f.shift));
  f.bias = (1 << (f.shift - 1)) - f.a * op->a_zero_point - f.b * op->b_zero_point;
  return f;
}

/// The part of a window inside the image, starting at its first element.
typedef struct q8_window {
  const int8_t *input;
  ptrdiff_t rows, columns, row_stride, column_stride;
} q8_window;

/// Intersects `count` taps, `dilation` apart from `start` on, with an axis of `extent` positions. Returns their number and sets `*first`.
static inline ptrdiff_t q8_taps_inside(ptrdiff_t start, ptrdiff_t extent, ptrdiff_t count, ptrdiff_t dilation, ptrdiff_t *first) {
  *first = 0;
  if (start >= 0 && start + (count - 1) * dilation < extent) return count;
  if (start < 0) *first = mk_divide_up(-start, dilation);
  const ptrdiff_t end = start >= extent ? 0 : mk_min(count, mk_divide_up(extent - start, dilation));
  return mk_max(0, end - *first);
}

static inline q8_window q8_window_of(const mk_q8_pool2d *p, const int8_t *image, ptrdiff_t top, ptrdiff_t left) {
  ptrdiff_t row, column;
  q8_window w = {
    .rows = q8_taps_inside(top, p->height, p->kernel_height, p->dilation_y, &row),
    .columns = q8_taps_inside(left, p->width, p->kernel_width, p->dilation_x, &column),
    .row_stride = p->dilation_y * p->input_row_stride,
    .column_stride = p->dilation_x * p->input_pixel_stride,
  };
  const int meets = w.rows > 0 && w.columns > 0;
  w.input = meets ? image + (top * p->input_row_stride + row * w.row_stride) + (left * p->input_pixel_stride + column * w.column_stride) : image;
  return w;
}

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "q8_pointwise.inc"
#undef MK_LEVEL
#undef MK_FN

#if MK_HAS_X86_LEVELS
#define q8_round q8_round_avx2
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "q8_pointwise.inc"

/// The sixteenth of the table that the upper half of a byte selects, by bits 4 to 7 of `bytes` in turn, from all elements at the lower half.
MK_INLINE __m256i q8_map_bytes(const __m256i *table, __m256i bytes) {
  const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15)), bit4 = _mm256_slli_epi16(bytes, 3), bit5 = _mm256_slli_epi16(bytes, 2);
  __m256i quarters[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
    const __m256i *t = table + 4 * i;
    const __m256i first = _mm256_blendv_epi8(_mm256_shuffle_epi8(t[0], low), _mm256_shuffle_epi8(t[1], low), bit4);
    const __m256i second = _mm256_blendv_epi8(_mm256_shuffle_epi8(t[2], low), _mm256_shuffle_epi8(t[3], low), bit4);
    quarters[i] = _mm256_blendv_epi8(first, second, bit5);
  }
  const __m256i bit6 = _mm256_slli_epi16(bytes, 1);
  return _mm256_blendv_epi8(
    _mm256_blendv_epi8(quarters[0], quarters[1], bit6), _mm256_blendv_epi8(quarters[2], quarters[3], bit6), bytes);
}

static void q8_map_avx2(const int8_t *table, const int8_t *x, int8_t *y, ptrdiff_t count) {
  __m256i t[16];
  for (int i = 0; i < 16; i++) t[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(table + 16 * i)));
  const __m256i flip = _mm256_set1_epi8((char)0x80);
  ptrdiff_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i v = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)(const void *)(x + i)), flip);
    _mm256_storeu_si256((__m256i *)(void *)(y + i), q8_map_bytes(t, v));
  }
  for (; i < count; i++) y[i] = table[x[i] + 128];
}
MK_END_AVX2
#undef MK_LEVEL
#undef MK_FN
#undef q8_round

#define q8_round q8_round_avx512
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "q8_pointwise.inc"
MK_END_AVX512
#undef MK_LEVEL
#undef MK_FN
#undef q8_round

MK_BEGIN_AVX512_VBMI
/// Looks bytes up in two halves of the table, 128 bytes in two registers each.
static void q8_map_vbmi(const int8_t *table, const int8_t *x, int8_t *y, ptrdiff_t count) {
  __m512i t[4];
  for (int i = 0; i < 4; i++) t[i] = _mm512_loadu_si512(table + 64 * i);
  const __m512i flip = _mm512_set1_epi8((char)0x80);
  for (ptrdiff_t i = 0; i < count; i += 64) {
    const __mmask64 mask = count - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (count - i)) - 1;
    const __m512i v = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, x + i), flip);
    const __m512i low = _mm512_permutex2var_epi8(t[0], v, t[1]), high = _mm512_permutex2var_epi8(t[2], v, t[3]);
    _mm512_mask_storeu_epi8(y + i, mask, _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), low, high));
  }
}
MK_END_AVX512

MK_BEGIN_AVX512_VNNI
/// The fixed-point sum from the low and the high 16 bits of the factors: pairs of numbers, one of either operand, times pairs of factors.
/// Shifting by 15 between the two drops only bits that the final shift drops as well.
MK_INLINE __m512i q8_fixed_sums(__m512i pairs, __m512i low, __m512i high, __m512i bias, __m128i rest) {
  const __m512i v = _mm512_srai_epi32(_mm512_dpwssd_epi32(bias, pairs, low), 15);
  return _mm512_sra_epi32(_mm512_dpwssd_epi32(v, pairs, high), rest);
}

static void q8_add_vnni(const q8_fixed_sum *f, const mk_q8_binary *op, const int8_t *a, const int8_t *b, int8_t *y, ptrdiff_t count) {
  const __m512i low = _mm512_set1_epi32((f->b & 0x7fff) << 16 | (f->a & 0x7fff));
  const __m512i high = _mm512_set1_epi32((int32_t)((uint32_t)(f->b >> 15) << 16 | (uint32_t)(uint16_t)(f->a >> 15)));
  const __m512i bias = _mm512_set1_epi32(f->bias), zero = _mm512_set1_epi16((short)op->zero_point);
  const __m512i lowest = _mm512_set1_epi8((char)op->lowest), highest = _mm512_set1_epi8((char)op->highest);
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m128i rest = _mm_cvtsi32_si128(f->shift - 15);
  for (ptrdiff_t i = 0; i < count; i += 64) {
    const __mmask64 mask = count - i >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (count - i)) - 1;
    __m512i words[2];
    for (int j = 0; j < 2; j++) {
      const __mmask32 half = (__mmask32)(mask >> 32 * j);
      const __m512i wide_a = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(half, a + i + 32 * j));
      const __m512i wide_b = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(half, b + i + 32 * j));
      const __m512i v0 = q8_fixed_sums(_mm512_unpacklo_epi16(wide_a, wide_b), low, high, bias, rest);
      const __m512i v1 = q8_fixed_sums(_mm512_unpackhi_epi16(wide_a, wide_b), low, high, bias, rest);
      // Values beyond 16 bits saturate, which keeps them beyond every bound.
      words[j] = _mm512_adds_epi16(_mm512_packs_epi32(v0, v1), zero);
    }
    const __m512i bytes = _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(words[0], words[1]), lowest), highest);
    _mm512_mask_storeu_epi8(y + i, mask, _mm512_permutexvar_epi64(order, bytes));
  }
}
MK_END_AVX512
#endif

#if MK_HAS_NEON_LEVEL
#define q8_round q8_round_neon
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "q8_pointwise.inc"
#undef MK_LEVEL
#undef MK_FN
#undef q8_round

/// The table in four groups of four registers. A lookup outside a group leaves the result unchanged.
static void q8_map_neon(const int8_t *table, const int8_t *x, int8_t *y, ptrdiff_t count) {
  const uint8_t *t = (const uint8_t *)table;
  ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const uint8x16_t index = veorq_u8(vld1q_u8((const uint8_t *)x + i), vdupq_n_u8(0x80));
    uint8x16_t v = vqtbl4q_u8(vld1q_u8_x4(t), index);
    for (int group = 1; group < 4; group++)
      v = vqtbx4q_u8(v, vld1q_u8_x4(t + 64 * group), vsubq_u8(index, vdupq_n_u8((uint8_t)(64 * group))));
    vst1q_u8((uint8_t *)y + i, v);
  }
  for (; i < count; i++) y[i] = table[x[i] + 128];
}
#endif

void mk_q8_map(const int8_t *table, const int8_t *x, int8_t *y, ptrdiff_t count) {
#if MK_HAS_X86_LEVELS
  if (mk_cpu_features() & MK_CPU_AVX512_VBMI) {
    q8_map_vbmi(table, x, y, count);
    return;
  }
  if (mk_isa() >= MK_ISA_AVX2) {
    q8_map_avx2(table, x, y, count);
    return;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) {
    q8_map_neon(table, x, y, count);
    return;
  }
#endif
  for (ptrdiff_t i = 0; i < count; i++) y[i] = table[x[i] + 128];
}

void mk_q8_add(const mk_q8_binary *op, const int8_t *a, const int8_t *b, int8_t *y, ptrdiff_t count) {
#if MK_HAS_X86_LEVELS
  if (op->inverse_scale == 0.0f && mk_cpu_features() & MK_CPU_AVX512_VNNI) {
    const q8_fixed_sum f = q8_fixed_sum_of(op);
    if (f.shift >= 15 && f.a >= 0 && f.b >= 0) {
      q8_add_vnni(&f, op, a, b, y, count);
      return;
    }
  }
#endif
  MK_CALL_LEVEL(mk_q8_add, op, a, b, y, count);
}

void mk_q8_mul(const mk_q8_binary *op, const int8_t *a, const int8_t *b, int8_t *y, ptrdiff_t count) {
  MK_CALL_LEVEL(mk_q8_mul, op, a, b, y, count);
}

void mk_q8_scale(const mk_q8_binary *op, const int8_t *x, const float *factors, int8_t *y, ptrdiff_t pixels, ptrdiff_t channels) {
  assert(op->inverse_scale != 0.0f);
  MK_CALL_LEVEL(mk_q8_scale, op, x, factors, y, pixels, channels);
}

void mk_q8_quantize(const float *x, float inverse_scale, int32_t zero_point, int32_t lowest, int32_t highest, int8_t *y, ptrdiff_t count) {
  MK_CALL_LEVEL(mk_q8_quantize, x, inverse_scale, zero_point, lowest, highest, y, count);
}

void mk_q8_range(const float *x, ptrdiff_t count, float *low, float *high) { MK_CALL_LEVEL(mk_q8_range, x, count, low, high); }

void mk_q8_dequantize(const int8_t *x, float scale, int32_t zero_point, float *y, ptrdiff_t count) {
  MK_CALL_LEVEL(mk_q8_dequantize, x, scale, zero_point, y, count);
}

void mk_q8_max_pool2d(const mk_q8_pool2d *pool, ptrdiff_t row0, ptrdiff_t row1) {
  assert(0 <= row0 && row0 <= row1);
  MK_CALL_LEVEL(mk_q8_max_pool2d, pool, row0, row1);
}

void mk_q8_average_pool2d(const mk_q8_pool2d *pool, ptrdiff_t row0, ptrdiff_t row1) {
  assert(0 <= row0 && row0 <= row1);
  MK_CALL_LEVEL(mk_q8_average_pool2d, pool, row0, row1);
}

void mk_q8_softmax_rows(const int8_t *x, ptrdiff_t rows, ptrdiff_t count, const float *exponentials, float inverse_scale,
                        int32_t zero_point, int32_t lowest, int32_t highest, int8_t *y) {
  assert(count > 0);
  MK_CALL_LEVEL(mk_q8_softmax_rows, x, rows, count, exponentials, inverse_scale, zero_point, lowest, highest, y);
}
