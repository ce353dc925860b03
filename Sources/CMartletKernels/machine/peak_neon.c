#include "../simd/vector_includes.h"
#include "../quantized/q8_types.h"
#include "peak_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../simd/vector.inc"
#include "peak.inc"

MK_BEGIN_DOTPROD
double mk_peak_int8_neon(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  int32x4_t sums[24];
  const int8x16_t a = vdupq_n_s8(factor), b = vdupq_n_s8((int8_t)(factor + 1));
  UNROLL for (int i = 0; i < 24; i++) sums[i] = vdupq_n_s32(i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < 24; i++) sums[i] = vdotq_s32(sums[i], a, b);
  }
  int32x4_t all = sums[0];
  UNROLL for (int i = 1; i < 24; i++) all = vaddq_s32(all, sums[i]);
  *sum = vaddvq_s32(all);
  return 2.0 * 24 * 16 * PEAK_STEPS * (double)rounds;
}
MK_END_DOTPROD
#endif
