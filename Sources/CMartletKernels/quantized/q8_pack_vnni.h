/// Packing of whole panels of weights with 512-bit vectors. Included by `q8_vnni.c`.

/// Four groups of four weights of sixteen columns, `o_stride` apart: row `i` of the result has the columns' group `i`, one after the other.
MK_INLINE void q8_pack_square(const int8_t *w, ptrdiff_t o_stride, __m512i rows[4]) {
  // Register `i` has columns i, i + 4, i + 8 and i + 12, so that what is transposed within lanes comes out in order.
  __m512i columns[4];
  UNROLL for (int i = 0; i < 4; i++) {
    const int8_t *from = w + i * o_stride;
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)from));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + 4 * o_stride)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + 8 * o_stride)), 2);
    columns[i] = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(from + 12 * o_stride)), 3);
  }
  const __m512i low01 = _mm512_unpacklo_epi32(columns[0], columns[1]), low23 = _mm512_unpacklo_epi32(columns[2], columns[3]);
  const __m512i high01 = _mm512_unpackhi_epi32(columns[0], columns[1]), high23 = _mm512_unpackhi_epi32(columns[2], columns[3]);
  rows[0] = _mm512_unpacklo_epi64(low01, low23);
  rows[1] = _mm512_unpackhi_epi64(low01, low23);
  rows[2] = _mm512_unpacklo_epi64(high01, high23);
  rows[3] = _mm512_unpackhi_epi64(high01, high23);
}

void mk_q8_pack_panel_vnni(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t k, int8_t *packed, int32_t *sums) {
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sum[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  ptrdiff_t k0 = 0;
  for (; k0 + 16 <= k; k0 += 16) {
    // The next panel in the order of memory, which the columns of this one do not have.
    const char *ahead = (const char *)w + MK_Q8_PANEL * (o_stride + k0);
    UNROLL for (int i = 0; i < 8; i++) _mm_prefetch(ahead + 64 * i, _MM_HINT_T1);
    UNROLL for (int half = 0; half < 2; half++) {
      __m512i rows[4];
      q8_pack_square(w + 16 * half * o_stride + k0, o_stride, rows);
      UNROLL for (int i = 0; i < 4; i++) {
        _mm512_storeu_si512(packed + (k0 + 4 * i) * MK_Q8_PANEL + 64 * half, rows[i]);
        sum[half] = _mm512_dpbusd_epi32(sum[half], ones, rows[i]);
      }
    }
  }
  for (; k0 < k; k0 += 4) {
    int8_t *row = packed + k0 * MK_Q8_PANEL;
    // The last group may be shorter: zeros are there already.
    for (ptrdiff_t j = 0; j < MK_Q8_PANEL; j++) memcpy(row + 4 * j, w + j * o_stride + k0, (size_t)mk_min(4, k - k0));
    UNROLL for (int half = 0; half < 2; half++)
      sum[half] = _mm512_dpbusd_epi32(sum[half], ones, _mm512_loadu_si512(row + 64 * half));
  }
  UNROLL for (int half = 0; half < 2; half++) _mm512_storeu_si512(sums + 16 * half, sum[half]);
}
