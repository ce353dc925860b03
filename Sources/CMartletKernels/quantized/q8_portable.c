#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#define MK_ACTIVATE mk_activate_portable
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_WIDE
#define Q8_BITS 0
#include "q8_rows.inc"
#include "q8_finish.inc"

MK_INLINE void q8_tile(const int16_t *a, ptrdiff_t a_stride, ptrdiff_t rows, const int8_t *b, ptrdiff_t k, const int32_t *terms,
                       int32_t *sums) {
  for (ptrdiff_t i = 0; i < rows; i++, a += a_stride, sums += MK_Q8_PANEL) {
    memcpy(sums, terms, MK_Q8_PANEL * sizeof(int32_t));
    for (ptrdiff_t s = 0; s < k; s += 4) {
      const int8_t *step = b + s * MK_Q8_PANEL;
      // Steps beyond `k` have zero weights; the row's content there does not matter.
      const int32_t a0 = a[s], a1 = a[s + 1], a2 = a[s + 2], a3 = a[s + 3];
      for (int j = 0; j < MK_Q8_PANEL; j++)
        sums[j] = (int32_t)((uint32_t)sums[j] +
                            (uint32_t)(a0 * step[4 * j] + a1 * step[4 * j + 1] + a2 * step[4 * j + 2] + a3 * step[4 * j + 3]));
    }
  }
}
#include "q8.inc"
#include "q8_depthwise.inc"
#include "q4.inc"
#include "in_place.inc"
