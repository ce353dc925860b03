#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_NEON_LEVEL
#define MK_FN(name) name##_neon
#include "q8_arm_rows.inc"

#define Q8_ROWS 4
#define Q8_ROW_STEP 1
#define Q8_COLUMNS 8
#define Q8_GROUP 4

/// Products of 16 bits, of which pairs are added to sums of 32: sums are kept in halves, those of even and of odd pairs of steps.
MK_INLINE void q8_rows_run(const int rows, ptrdiff_t last, const uint8_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k,
                           const int32_t *terms, int32_t *sums) {
  (void)last;
  int32x4_t v[Q8_ROWS][4];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 4; j++) v[i][j] = vdupq_n_s32(0);
#pragma clang loop unroll(disable)
  for (ptrdiff_t s = 0; s < k; s += 4, b += 4 * MK_Q8_PANEL) {
    const int8x16_t first = vld1q_s8(b), second = vld1q_s8(b + 16);
    UNROLL for (int i = 0; i < rows; i++) {
      int32_t four;
      memcpy(&four, a + i * a_stride + s, sizeof four);
      const int8x16_t unit = vreinterpretq_s8_s32(vdupq_n_s32(four));
      v[i][0] = vpadalq_s16(v[i][0], vmull_s8(vget_low_s8(first), vget_low_s8(unit)));
      v[i][1] = vpadalq_s16(v[i][1], vmull_high_s8(first, unit));
      v[i][2] = vpadalq_s16(v[i][2], vmull_s8(vget_low_s8(second), vget_low_s8(unit)));
      v[i][3] = vpadalq_s16(v[i][3], vmull_high_s8(second, unit));
    }
  }
  UNROLL for (int i = 0; i < rows; i++)
    UNROLL for (int j = 0; j < 2; j++)
      vst1q_s32(sums + i * MK_Q8_PANEL + 4 * j, vaddq_s32(vpaddq_s32(v[i][2 * j], v[i][2 * j + 1]), vld1q_s32(terms + 4 * j)));
}
#include "q8_arm.inc"
#include "q4.inc"
#include "in_place.inc"
#endif
