/// Rows of bytes by 4-bit weights with dot products, as template text after `q8_finish.h`. Weights are used 8 too high, as unsigned
/// numbers; 8 times the sum of the row's block is what that adds.

#define Q4_ROWS 4
/// Bytes of weights that are asked for ahead.
#define Q4_AHEAD 4096

MK_INLINE void q4_rows_run(const int rows, const mk_q4_linear *l, ptrdiff_t m, ptrdiff_t panel) {
  const ptrdiff_t block = l->block, steps = mk_divide_up(block, 8), blocks = mk_divide_up(l->k, block);
  const uint8_t *w = l->weights + panel * blocks * (steps * 4 * MK_Q8_PANEL + 4 * MK_Q8_PANEL);
  const float *panel_sums = (const float *)(const void *)(l->weights + mk_q4_packed_bytes(l->k, l->n, block)) -
                            mk_round_up(l->n, MK_Q8_PANEL) + panel * MK_Q8_PANEL;
  const __m512i low = _mm512_set1_epi8(15);
  const int8_t *a = l->a + m * l->a_row_stride;
  __m512 totals[Q4_ROWS][2];
  UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 2; j++) totals[i][j] = _mm512_setzero_ps();
  for (ptrdiff_t b = 0; b < blocks; b++) {
    __m512i sums[Q4_ROWS][2];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < 2; j++) sums[i][j] = _mm512_setzero_si512();
    __m512i ones[Q4_ROWS];
    UNROLL for (int i = 0; i < rows; i++) ones[i] = _mm512_setzero_si512();
    const __m512i eight = _mm512_set1_epi8(8);
#pragma clang loop unroll(disable)
    for (ptrdiff_t s = 0; s < steps; s++, w += 4 * MK_Q8_PANEL) {
      __m512i packed[2] = {_mm512_loadu_si512(w), _mm512_loadu_si512(w + 64)};
      _mm_prefetch((const char *)w + Q4_AHEAD, _MM_HINT_T0);
      _mm_prefetch((const char *)w + Q4_AHEAD + 64, _MM_HINT_T0);
      UNROLL for (int half = 0; half < 2; half++) {
        __m512i v[2];
        UNROLL for (int j = 0; j < 2; j++)
          v[j] = _mm512_and_si512(half ? _mm512_srli_epi16(packed[j], 4) : packed[j], low);
        UNROLL for (int i = 0; i < rows; i++) {
          int32_t four;
          memcpy(&four, a + i * l->a_row_stride + b * block + 8 * s + 4 * half, 4);
          __m512i row = _mm512_set1_epi32(four);
          ones[i] = _mm512_dpbusd_epi32(ones[i], eight, row);
          UNROLL for (int j = 0; j < 2; j++) sums[i][j] = _mm512_dpbusd_epi32(sums[i][j], v[j], row);
        }
      }
    }
    __m512 scales[2] = {_mm512_loadu_ps(w), _mm512_loadu_ps(w + 64)};
    w += 4 * MK_Q8_PANEL;
    UNROLL for (int i = 0; i < rows; i++)
      UNROLL for (int j = 0; j < 2; j++) {
        __m512 part = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(sums[i][j], ones[i])), scales[j]);
        totals[i][j] = _mm512_add_ps(totals[i][j], part);
      }
  }
  UNROLL for (int i = 0; i < rows; i++) {
    float values[MK_Q8_PANEL];
    UNROLL for (int j = 0; j < 2; j++) _mm512_storeu_ps(values + 16 * j, totals[i][j]);
    q4_store(l, m + i, panel, values, panel_sums);
  }
}

static void MK_FN(q4_rows)(ptrdiff_t rows, const mk_q4_linear *l, ptrdiff_t m, ptrdiff_t panel) {
  switch (rows) {
    case 1: q4_rows_run(1, l, m, panel); break;
    case 2: q4_rows_run(2, l, m, panel); break;
    case 3: q4_rows_run(3, l, m, panel); break;
    default: q4_rows_run(4, l, m, panel); break;
  }
}

void MK_FN(mk_q4_linear)(const mk_q4_linear *l, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  for (ptrdiff_t panel = panel0; panel < panel1; panel++)
    for (ptrdiff_t m = m0; m < m1; m += Q4_ROWS) MK_FN(q4_rows)(mk_min(Q4_ROWS, m1 - m), l, m, panel);
}
