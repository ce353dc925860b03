#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_NEON_LEVEL
MK_BEGIN_DOTPROD
#define MK_FN(name) name##_dotprod
#include "q8_arm_rows.inc"

#define Q8_ROWS 4
#define Q8_ROW_STEP 1
#define Q8_COLUMNS 16
#define Q8_GROUP 4

MK_INLINE void q8_rows_run(const int rows, ptrdiff_t last, const uint8_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k,
                           const int32_t *terms, int32_t *sums) {
  (void)last;
  int32x4_t v[Q8_ROWS][4];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 4; j++) v[i][j] = vld1q_s32(terms + 4 * j);
#pragma clang loop unroll(disable)
  for (ptrdiff_t s = 0; s < k; s += 16, b += 16 * MK_Q8_PANEL) {
    int8x16_t row[Q8_ROWS];
    UNROLL for (int i = 0; i < rows; i++) row[i] = vld1q_s8((const int8_t *)a + i * a_stride + s);
#define Q8_FOUR_STEPS(lane)                                                                                        \
  UNROLL for (int j = 0; j < 4; j++) {                                                                             \
    const int8x16_t columns = vld1q_s8(b + 4 * MK_Q8_PANEL * lane + 16 * j);                                       \
    UNROLL for (int i = 0; i < rows; i++) v[i][j] = vdotq_laneq_s32(v[i][j], columns, row[i], lane);               \
  }
    Q8_FOUR_STEPS(0)
    Q8_FOUR_STEPS(1)
    Q8_FOUR_STEPS(2)
    Q8_FOUR_STEPS(3)
#undef Q8_FOUR_STEPS
  }
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 4; j++) vst1q_s32(sums + i * MK_Q8_PANEL + 4 * j, v[i][j]);
}
#include "q8_arm.inc"
#include "q4_dotprod.inc"
#include "in_place.inc"
MK_END_DOTPROD
#endif
