#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
// With `MARTLET_EVEX_AVX_VNNI`, the same instructions in the encoding of AVX-512, for tests on processors that have only those.
#ifdef MARTLET_EVEX_AVX_VNNI
#define MK_Q8_BEGIN_AVX_VNNI \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512vl,avx512vnni,bmi,bmi2\"))), apply_to=function)")
#define Q8_VEX(name) _mm256_##name##_epi32
#else
#define MK_Q8_BEGIN_AVX_VNNI MK_BEGIN_AVX_VNNI
#define Q8_VEX(name) _mm256_##name##_avx_epi32
#endif
MK_Q8_BEGIN_AVX_VNNI
#define MK_LEVEL 1
#define MK_FN(name) name##_avxvnni
#define MK_ACTIVATE mk_activate_avx2
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_BIASED
#define Q8_BITS 256
#include "q8_rows.inc"
#include "q8_finish.inc"

#define Q8_UNIT 4
#define Q8_ROWS MK_Q8_ROWS_AVX_VNNI

MK_INLINE __m256i q8_columns_of(const int8_t *b) { return _mm256_loadu_si256((const __m256i *)b); }

MK_INLINE __m256i q8_unit_of(const uint8_t *a) {
  int32_t four;
  memcpy(&four, a, sizeof four);
  return _mm256_set1_epi32(four);
}

MK_INLINE __m256i q8_multiply(__m256i sums, __m256i unit, __m256i columns) { return Q8_VEX(dpbusd)(sums, unit, columns); }
MK_INLINE __m256i q8_add_products(__m256i sums, __m256i a, __m256i b) { return Q8_VEX(dpwssd)(sums, a, b); }
#include "q8.inc"
#include "q8_depthwise_pairs.inc"

void mk_q8_depthwise2d_avxvnni(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) { q8_depthwise_pairs_avxvnni(c, row0, row1); }

#include "q4.inc"
#define Q4_DPBUSD Q8_VEX(dpbusd)
#include "in_place.inc"
MK_END_AVX2
#endif
