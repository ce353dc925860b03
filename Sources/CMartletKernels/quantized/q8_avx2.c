#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_LEVEL 1
#define MK_FN(name) name##_avx2
#define MK_INLINE static inline __attribute__((always_inline))
#define MK_ACTIVATE mk_activate_avx2
#define UNROLL _Pragma("clang loop unroll(full)")
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_SIGNED 3
#define Q8_A Q8_WIDE
#include "q8_rows.inc"
#include "q8_finish.inc"

MK_INLINE void q8_begin(void) {}
MK_INLINE void q8_end(void) {}

/// `rows` rows by 8 columns of a panel. Products of pairs are summed in 32 bits (`vpmaddwd`) without saturation.
MK_INLINE void q8_rows_run(const int rows, const int16_t *a, ptrdiff_t a_stride, const int8_t *b, ptrdiff_t k,
                           const int32_t *terms, int32_t *sums) {
  __m256i v[4][2];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 2; j++) v[i][j] = _mm256_setzero_si256();
#pragma clang loop unroll(disable)
  for (ptrdiff_t s = 0; s < k; s += 4, b += 4 * MK_Q8_PANEL) {
    __m256i b0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b));
    __m256i b1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(b + 16)));
    UNROLL for (int i = 0; i < rows; i++) {
      long long four;
      memcpy(&four, a + i * a_stride + s, 8);
      __m256i row = _mm256_set1_epi64x(four);
      v[i][0] = _mm256_add_epi32(v[i][0], _mm256_madd_epi16(row, b0));
      v[i][1] = _mm256_add_epi32(v[i][1], _mm256_madd_epi16(row, b1));
    }
  }
  UNROLL for (int i = 0; i < rows; i++)
    _mm256_storeu_si256((__m256i *)(sums + i * MK_Q8_PANEL),
                        _mm256_add_epi32(_mm256_permute4x64_epi64(_mm256_hadd_epi32(v[i][0], v[i][1]), _MM_SHUFFLE(3, 1, 2, 0)),
                                         _mm256_loadu_si256((const __m256i *)terms)));
}

MK_INLINE void q8_tile(const int16_t *a, ptrdiff_t a_stride, ptrdiff_t rows, const int8_t *b, ptrdiff_t k, int is_unsigned, int fetches,
                       const int32_t *terms, int32_t *sums) {
  (void)is_unsigned, (void)fetches;
  for (ptrdiff_t i = 0; i < rows; i += 4)
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j += 8) {
      const int16_t *from = a + i * a_stride;
      int32_t *to = sums + i * MK_Q8_PANEL + j;
      switch (mk_min(rows - i, 4)) {
        case 1: q8_rows_run(1, from, a_stride, b + 4 * j, k, terms + j, to); break;
        case 2: q8_rows_run(2, from, a_stride, b + 4 * j, k, terms + j, to); break;
        case 3: q8_rows_run(3, from, a_stride, b + 4 * j, k, terms + j, to); break;
        default: q8_rows_run(4, from, a_stride, b + 4 * j, k, terms + j, to); break;
      }
    }
}
#include "q8.inc"
#include "q8_depthwise.inc"
#include "q4.inc"
MK_END_AVX2
#endif
