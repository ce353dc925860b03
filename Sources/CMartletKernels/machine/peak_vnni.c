#include "../quantized/q8_types.h"
#include "peak_types.h"

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512_VNNI
#define UNROLL _Pragma("clang loop unroll(full)")

double mk_peak_int8_vnni(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  enum { count = 24, steps = 64 };
  __m512i sums[count];
  const __m512i a = _mm512_set1_epi8((char)factor), b = _mm512_set1_epi8((char)(factor + 1));
  UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_set1_epi32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * steps; step++) {
    UNROLL for (int i = 0; i < count; i++) sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
  }
  __m512i all = sums[0];
  UNROLL for (int i = 1; i < count; i++) all = _mm512_add_epi32(all, sums[i]);
  *sum = _mm512_reduce_add_epi32(all);
  return 2.0 * count * 64 * steps * (double)rounds;
}
MK_END_AVX512
#endif
