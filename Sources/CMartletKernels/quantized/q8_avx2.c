#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#define MK_ACTIVATE mk_activate_avx2
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_WIDE
#define Q8_BITS 256
#include "q8_rows.inc"
#include "q8_finish.inc"

// Products of pairs are summed in 32 bits (`vpmaddwd`), which never saturates.
#define Q8_UNIT 2
#define Q8_ROWS MK_Q8_ROWS_AVX2
#define Q8_CROSSES 1

MK_INLINE __m256i q8_columns_of(const int8_t *b) { return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b)); }

MK_INLINE __m256i q8_unit_of(const int16_t *a) {
  int32_t pair;
  memcpy(&pair, a, sizeof pair);
  return _mm256_set1_epi32(pair);
}

MK_INLINE __m256i q8_add_products(__m256i sums, __m256i a, __m256i b) { return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b)); }

MK_INLINE __m256i q8_multiply(__m256i sums, __m256i unit, __m256i columns) { return q8_add_products(sums, unit, columns); }
#include "q8.inc"
#include "q8_depthwise_pairs.inc"

void mk_q8_depthwise2d_avx2(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) { q8_depthwise_pairs_avx2(c, row0, row1); }

#include "q8_winograd.inc"
#include "q4.inc"
#include "in_place.inc"
MK_END_AVX2
#endif
