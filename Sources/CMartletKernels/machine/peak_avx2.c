#include "../simd/vector_includes.h"
#include "peak_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#include "../simd/vector.inc"
#include "peak.inc"

double mk_peak_int8_avx2(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  __m256i sums[8], a = _mm256_set1_epi16(factor), b = _mm256_set1_epi16((short)(factor + 1));
  UNROLL for (int i = 0; i < 8; i++) sums[i] = _mm256_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    // Prevents the compiler from hoisting the product out of the loop.
    __asm__ volatile("" : "+x"(a));
    UNROLL for (int i = 0; i < 8; i++) {
      __m256i product = _mm256_madd_epi16(a, b);
      __asm__ volatile("" : "+x"(product));
      sums[i] = _mm256_add_epi32(sums[i], product);
    }
  }
  __m256i all = sums[0];
  UNROLL for (int i = 1; i < 8; i++) all = _mm256_add_epi32(all, sums[i]);
  *sum = _mm256_extract_epi32(all, 0);
  return 2.0 * 8 * 16 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX2
#endif
