#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX512_VNNI
#define MK_LEVEL 2
#define MK_FN(name) name##_vnni
#define MK_INLINE static inline __attribute__((always_inline))
#define MK_ACTIVATE mk_activate_avx512
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_BIASED
#include "q8_rows.inc"
#include "q8_finish.inc"

MK_INLINE void q8_begin(void) {}
MK_INLINE void q8_end(void) {}

/// Maximum number of rows whose sums fit the registers together with a step of the panel.
#define Q8_ROWS 12
#define FETCH_AHEAD 2048

MK_INLINE void q8_rows_run(const int rows, const uint8_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k, const int fetches,
                           const int32_t *terms, int32_t *sums) {
  __m512i v[Q8_ROWS][2];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 2; j++) v[i][j] = _mm512_loadu_si512(terms + 16 * j);
#pragma clang loop unroll(disable)
  for (ptrdiff_t s = 0; s < k; s += 4, b += 4 * MK_Q8_PANEL) {
    __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64);
    if (fetches) {
      _mm_prefetch((const char *)b + FETCH_AHEAD, _MM_HINT_T0);
      _mm_prefetch((const char *)b + FETCH_AHEAD + 64, _MM_HINT_T0);
    }
    UNROLL for (int i = 0; i < rows; i++) {
      int32_t four;
      memcpy(&four, a + i * a_stride + s, 4);
      __m512i row = _mm512_set1_epi32(four);
      v[i][0] = _mm512_dpbusd_epi32(v[i][0], row, b0);
      v[i][1] = _mm512_dpbusd_epi32(v[i][1], row, b1);
    }
  }
  UNROLL for (int i = 0; i < rows; i++)
    UNROLL for (int j = 0; j < 2; j++) _mm512_storeu_si512(sums + i * MK_Q8_PANEL + 16 * j, v[i][j]);
}

#define Q8_CASE(rows) \
  case rows: q8_rows_run(rows, a, a_stride, b, k, rows <= 4, terms, sums); break;

static void q8_rows_some(ptrdiff_t rows, const uint8_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k,
                         const int32_t *terms, int32_t *sums) {
  switch (rows) {
    Q8_CASE(1) Q8_CASE(2) Q8_CASE(3) Q8_CASE(4) Q8_CASE(5) Q8_CASE(6) Q8_CASE(7) Q8_CASE(8) Q8_CASE(9) Q8_CASE(10) Q8_CASE(11)
    default: q8_rows_run(Q8_ROWS, a, a_stride, b, k, 0, terms, sums);
  }
}

MK_INLINE void q8_tile(const uint8_t *a, ptrdiff_t a_stride, ptrdiff_t rows, const int8_t *b, ptrdiff_t k, int is_unsigned, int fetches,
                       const int32_t *terms, int32_t *sums) {
  (void)is_unsigned, (void)fetches;
  for (ptrdiff_t i = 0; i < rows;) {
    // Split evenly: 13 rows as 7 and 6 rather than 12 and 1.
    ptrdiff_t left = rows - i, some = mk_divide_up(left, mk_divide_up(left, Q8_ROWS));
    q8_rows_some(some, a + i * a_stride, a_stride, b, k, terms, sums + i * MK_Q8_PANEL);
    i += some;
  }
}
#include "q8.inc"
#include "q8_depthwise_vnni.inc"
#include "q4_vnni.inc"
#include "q8_pack_vnni.inc"
MK_END_AVX512
#endif
