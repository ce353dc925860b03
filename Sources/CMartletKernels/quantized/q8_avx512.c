#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#define MK_ACTIVATE mk_activate_avx512
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_WIDE
#define Q8_BITS 512
#include "q8_rows.inc"
#include "q8_finish.inc"

// Products of pairs are summed in 32 bits (`vpmaddwd`), which never saturates.
#define Q8_UNIT 2
#define Q8_ROWS MK_Q8_ROWS_AVX512

MK_INLINE __m512i q8_columns_of(const int8_t *b) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)b)); }

MK_INLINE __m512i q8_unit_of(const int16_t *a) {
  int32_t pair;
  memcpy(&pair, a, sizeof pair);
  return _mm512_set1_epi32(pair);
}

MK_INLINE __m512i q8_add_products(__m512i sums, __m512i a, __m512i b) { return _mm512_add_epi32(sums, _mm512_madd_epi16(a, b)); }

MK_INLINE __m512i q8_multiply(__m512i sums, __m512i unit, __m512i columns) { return q8_add_products(sums, unit, columns); }
#include "q8.inc"
#include "q8_depthwise_pairs.inc"

void mk_q8_depthwise2d_avx512(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) { q8_depthwise_pairs_avx512(c, row0, row1); }

#include "q8_winograd.inc"
#include "q4.inc"
#include "in_place.inc"
MK_END_AVX512
#endif
