#include "../simd/vector_includes.h"
#include "peak_types.h"

#if MK_HAS_NEON_LEVEL
#define MK_LEVEL 3
#define MK_FN(name) name##_neon
#include "../simd/vector.inc"
#include "peak.inc"

/// Sums in registers of 32 integers, and the factors of their products.
#define INT8_PEAK(name, operations, step_of_sum)                                                                 \
  double name(ptrdiff_t rounds, int8_t factor, int32_t *sum) {                                                   \
    int32x4_t sums[24];                                                                                          \
    int8x16_t a = vdupq_n_s8(factor);                                                                            \
    const int8x16_t b = vdupq_n_s8((int8_t)(factor + 1));                                                        \
    UNROLL for (int i = 0; i < 24; i++) sums[i] = vdupq_n_s32(i);                                                \
    _Pragma("clang loop unroll(disable)") for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {         \
      UNROLL for (int i = 0; i < 24; i++) sums[i] = step_of_sum;                                                 \
    }                                                                                                            \
    int32x4_t all = sums[0];                                                                                     \
    UNROLL for (int i = 1; i < 24; i++) all = vaddq_s32(all, sums[i]);                                           \
    *sum = vaddvq_s32(all);                                                                                      \
    return 2.0 * 24 * (operations) * PEAK_STEPS * (double)rounds;                                                \
  }

/// Products of 16 bits, of which pairs are added to sums of 32: four instructions for 16 multiply-adds.
static inline int32x4_t widening_step(int32x4_t sum, int8x16_t *a, int8x16_t b) {
  // Each product has a factor of its own to the compiler, which would compute equal ones once.
  __asm__("" : "+w"(*a));
  sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(*a), vget_low_s8(b)));
  return vpadalq_s16(sum, vmull_high_s8(*a, b));
}
INT8_PEAK(mk_peak_int8_neon, 16, widening_step(sums[i], &a, b))

MK_BEGIN_DOTPROD
INT8_PEAK(mk_peak_int8_dotprod, 16, vdotq_s32(sums[i], a, b))
MK_END_DOTPROD

MK_BEGIN_I8MM
INT8_PEAK(mk_peak_int8_i8mm, 32, vmmlaq_s32(sums[i], a, b))
MK_END_I8MM

MK_BEGIN_ARM_BF16
double mk_peak_bf16_neon(ptrdiff_t rounds, float *sum) {
  float32x4_t sums[24];
  // Pairs of 1.0 and 0, so that sums remain finite.
  const bfloat16x8_t a = vreinterpretq_bf16_u32(vdupq_n_u32(0x3f80)), b = vreinterpretq_bf16_u32(vdupq_n_u32(0x3f800000));
  UNROLL for (int i = 0; i < 24; i++) sums[i] = vdupq_n_f32((float)i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    UNROLL for (int i = 0; i < 24; i++) sums[i] = vbfmmlaq_f32(sums[i], a, b);
  }
  float32x4_t all = sums[0];
  UNROLL for (int i = 1; i < 24; i++) all = vaddq_f32(all, sums[i]);
  *sum = vaddvq_f32(all);
  return 2.0 * 24 * 16 * PEAK_STEPS * (double)rounds;
}
MK_END_ARM_BF16
#endif
