#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_NEON_LEVEL
MK_BEGIN_I8MM
#define MK_FN(name) name##_i8mm
#include "q8_arm_rows.inc"

#define Q8_ROWS 4
#define Q8_ROW_STEP 2
#define Q8_COLUMNS 16
#define Q8_GROUP 8

/// Products of two rows by two columns, eight steps at a time. An odd last row is its own neighbour.
MK_INLINE void q8_rows_run(const int rows, ptrdiff_t last, const uint8_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k,
                           const int32_t *terms, int32_t *sums) {
  const uint8_t *from[Q8_ROWS];
  UNROLL for (int i = 0; i < rows; i++) from[i] = a + mk_min(i, last) * a_stride;
  int32x4_t v[Q8_ROWS / 2][8];
  UNROLL for (int j = 0; j < 8; j++) {
    const int32x4_t both = vreinterpretq_s32_s64(vld1q_dup_s64((const int64_t *)(const void *)(terms + 2 * j)));
    UNROLL for (int i = 0; i < rows / 2; i++) v[i][j] = both;
  }
#pragma clang loop unroll(disable)
  for (ptrdiff_t s = 0; s < k; s += 16, b += 16 * MK_Q8_PANEL) {
    int8x16_t pairs[2][Q8_ROWS / 2];
    UNROLL for (int i = 0; i < rows / 2; i++) {
      const int64x2_t x = vreinterpretq_s64_u8(vld1q_u8(from[2 * i] + s)), y = vreinterpretq_s64_u8(vld1q_u8(from[2 * i + 1] + s));
      pairs[0][i] = vreinterpretq_s8_s64(vzip1q_s64(x, y));
      pairs[1][i] = vreinterpretq_s8_s64(vzip2q_s64(x, y));
    }
    UNROLL for (int half = 0; half < 2; half++)
      UNROLL for (int j = 0; j < 8; j++) {
        const int8x16_t columns = vld1q_s8(b + 8 * MK_Q8_PANEL * half + 16 * j);
        UNROLL for (int i = 0; i < rows / 2; i++) v[i][j] = vmmlaq_s32(v[i][j], pairs[half][i], columns);
      }
  }
  UNROLL for (int i = 0; i < rows / 2; i++)
    UNROLL for (int j = 0; j < 4; j++) {
      const int64x2_t x = vreinterpretq_s64_s32(v[i][2 * j]), y = vreinterpretq_s64_s32(v[i][2 * j + 1]);
      int32_t *to = sums + 2 * i * MK_Q8_PANEL + 4 * j;
      vst1q_s32(to, vreinterpretq_s32_s64(vzip1q_s64(x, y)));
      vst1q_s32(to + MK_Q8_PANEL, vreinterpretq_s32_s64(vzip2q_s64(x, y)));
    }
}
#include "q8_arm.inc"
#include "q4_dotprod.inc"
#include "in_place.inc"
MK_END_I8MM
#endif
