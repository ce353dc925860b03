#include <assert.h>
#include <math.h>

#include "../cpu/loop.h"
#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

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

MK_BEGIN_VBMI
/// Two halves of the table, each with 64 bytes in two registers, are looked up byte by byte.
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
MK_END_VBMI
#endif

#if MK_HAS_NEON_LEVEL
#define q8_round q8_round_neon
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "q8_pointwise.inc"
#undef MK_LEVEL
#undef MK_FN
#undef q8_round

/// The table in four groups of four registers; what lies beyond a group leaves the result as it is.
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
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) {
    q8_map_neon(table, x, y, count);
    return;
  }
#endif
  for (ptrdiff_t i = 0; i < count; i++) y[i] = table[x[i] + 128];
}

void mk_q8_add(const mk_q8_binary *op, const int8_t *a, const int8_t *b, int8_t *y, ptrdiff_t count) {
  MK_CALL_LEVEL(mk_q8_add, op, a, b, y, count);
}

void mk_q8_mul(const mk_q8_binary *op, const int8_t *a, const int8_t *b, int8_t *y, ptrdiff_t count) {
  MK_CALL_LEVEL(mk_q8_mul, op, a, b, y, count);
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
