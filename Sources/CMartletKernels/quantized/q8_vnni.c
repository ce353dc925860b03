#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512_VNNI
#define MK_LEVEL 2
#define MK_FN(name) name##_vnni
#define MK_ACTIVATE mk_activate_avx512
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_BIASED
#define Q8_BITS 512
#include "q8_rows.inc"
#include "q8_finish.inc"

#define Q8_UNIT 4
#define Q8_ROWS MK_Q8_ROWS_VNNI

MK_INLINE __m512i q8_columns_of(const int8_t *b) { return _mm512_loadu_si512(b); }

MK_INLINE __m512i q8_unit_of(const uint8_t *a) {
  int32_t four;
  memcpy(&four, a, sizeof four);
  return _mm512_set1_epi32(four);
}

MK_INLINE __m512i q8_multiply(__m512i sums, __m512i unit, __m512i columns) { return _mm512_dpbusd_epi32(sums, unit, columns); }
#include "q8.inc"
MK_INLINE __m512i q8_add_products(__m512i sums, __m512i a, __m512i b) { return _mm512_dpwssd_epi32(sums, a, b); }
#include "q8_depthwise_pairs.inc"
#include "q8_depthwise_vnni.inc"
#include "q4_vnni.inc"
#define Q4_DPBUSD _mm512_dpbusd_epi32
#include "in_place.inc"
#include "q8_pack_vnni.inc"
MK_END_AVX512
#endif
