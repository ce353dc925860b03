#include "../simd/vector_includes.h"
#include "peak_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512
#define MK_LEVEL 2
#define MK_FN(name) name##_avx512
#include "../simd/vector.inc"
#include "peak.inc"

/// As `mk_peak_int8_avx2`.
double mk_peak_int8_avx512(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  enum { count = 12 };
  __m512i sums[count], a = _mm512_set1_epi16(factor), b = _mm512_set1_epi16((short)(factor + 1));
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < count; i++) {
      __asm__("" : "+v"(a));
      sums[i] = _mm512_add_epi32(sums[i], _mm512_madd_epi16(a, b));
    }
  }
  __m512i all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm512_add_epi32(all, sums[i]);
  *sum = _mm512_reduce_add_epi32(all);
  return 2.0 * count * 32 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX512

MK_BEGIN_AVX512_VNNI
double mk_peak_int8_avx512vnni(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  enum { count = 24 };
  __m512i sums[count];
  const __m512i a = _mm512_set1_epi8((char)factor), b = _mm512_set1_epi8((char)(factor + 1));
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
  }
  __m512i all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm512_add_epi32(all, sums[i]);
  *sum = _mm512_reduce_add_epi32(all);
  return 2.0 * count * 64 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX512

MK_BEGIN_AVX512_BF16
double mk_peak_bf16_avx512(ptrdiff_t rounds, float *sum) {
  enum { count = 24 };
  __m512 sums[count];
  // Pairs of 1.0 and 0, so that sums remain finite.
  const __m512bh a = (__m512bh)_mm512_set1_epi32(0x3f80), b = (__m512bh)_mm512_set1_epi32(0x3f80 << 16);
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_set1_ps((float)i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_dpbf16_ps(sums[i], a, b);
  }
  __m512 all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm512_add_ps(all, sums[i]);
  *sum = _mm512_reduce_add_ps(all);
  return 2.0 * count * 32 * PEAK_STEPS * (double)rounds;
}
MK_END_AVX512
#endif
