#include "../simd/vector_includes.h"
#include "peak_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "../simd/vector.inc"
#include "peak.inc"

/// Products of pairs of 16-bit factors, then their sums: two instructions for 16 multiply-adds.
double mk_peak_int8_avx2(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  enum { count = 8 };
  __m256i sums[count], a = _mm256_set1_epi16(factor), b = _mm256_set1_epi16((short)(factor + 1));
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm256_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < count; i++) {
      // Each product has a factor of its own to the compiler, which would compute equal ones once.
      __asm__("" : "+x"(a));
      sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(a, b));
    }
  }
  __m256i all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm256_add_epi32(all, sums[i]);
  *sum = _mm256_extract_epi32(all, 0);
  return 2.0 * count * 16 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX2

MK_BEGIN_AVX_VNNI
double mk_peak_int8_avxvnni(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  enum { count = 12 };
  __m256i sums[count];
  const __m256i a = _mm256_set1_epi8((char)factor), b = _mm256_set1_epi8((char)(factor + 1));
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm256_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < count; i++) sums[i] = _mm256_dpbusd_avx_epi32(sums[i], a, b);
  }
  __m256i all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm256_add_epi32(all, sums[i]);
  *sum = _mm256_extract_epi32(all, 0);
  return 2.0 * count * 32 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX2
#endif
