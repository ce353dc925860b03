/// From sums to results, as template text. The order of operations is that of `mk_q8_epilogue` at every level, none of them fused.

/// Applies an activation to `count` stored numbers.
static void MK_FN(q8_activate)(float *v, ptrdiff_t count, const mk_q8_epilogue *e) {
  const float lo = e->lo, hi = e->hi;
  switch (e->activation) {
    case MK_ACTIVATION_NONE: return;
    case MK_ACTIVATION_CLAMP:
      for (ptrdiff_t i = 0; i < count; i++) {
        float x = v[i] < lo ? lo : v[i];
        v[i] = x > hi ? hi : x;
      }
      return;
    case MK_ACTIVATION_HARDSWISH:
    case MK_ACTIVATION_HARDSIGMOID: {
      const int swish = e->activation == MK_ACTIVATION_HARDSWISH;
      for (ptrdiff_t i = 0; i < count; i++) {
        float gate = v[i] + 3.0f;
        gate = gate < 0.0f ? 0.0f : gate;
        gate = gate > 6.0f ? 6.0f : gate;
        v[i] = (swish ? v[i] * gate : gate) * (1.0f / 6.0f);
      }
      return;
    }
    case MK_ACTIVATION_LEAKY_RELU:
      for (ptrdiff_t i = 0; i < count; i++) v[i] = v[i] > 0.0f ? v[i] : v[i] * lo;
      return;
    default: {
      mk_epilogue late = {.activation = e->activation, .lo = lo, .hi = hi, .alpha = 1};
      MK_ACTIVATE(v, count, 1, count, &late);
    }
  }
}

#if Q8_A != Q8_WIDE
/// Sums of 32 neighbouring columns as bytes.
MK_INLINE __m256i q8_requantize(__m512i sums0, __m512i sums1, const float *scale, const float *bias, const mk_q8_epilogue *e) {
  __m512i sums[2] = {sums0, sums1};
  __m512 v[2], high = _mm512_set1_ps((float)(e->highest - e->zero_point));
  for (int j = 0; j < 2; j++) {
    v[j] = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[j]), _mm512_loadu_ps(scale + 16 * j));
    if (bias != NULL) v[j] = _mm512_add_ps(v[j], _mm512_loadu_ps(bias + 16 * j));
    // The conversion turns what is too large, but nothing that is too small, into the smallest integer.
    v[j] = _mm512_min_ps(high, v[j]);
  }
  // Values below -32768 stay below every zero point when saturated.
  int shift = e->output == MK_Q8_TO_UINT8 ? 128 : 0;
  __m512i words = _mm512_packs_epi32(_mm512_cvtps_epi32(v[0]), _mm512_cvtps_epi32(v[1]));
  words = _mm512_adds_epi16(words, _mm512_set1_epi16((short)(e->zero_point - shift)));
  words = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), words);
  __m256i bytes = _mm256_max_epi8(_mm512_cvtsepi16_epi8(words), _mm256_set1_epi8((char)(e->lowest - shift)));
  return shift ? _mm256_xor_si256(bytes, _mm256_set1_epi8((char)0x80)) : bytes;
}

MK_INLINE void q8_store_bytes(__m256i bytes, uint8_t *out, ptrdiff_t columns) {
  if (columns >= MK_Q8_PANEL) _mm256_storeu_si256((__m256i *)out, bytes);
  else _mm256_mask_storeu_epi8(out, (1u << columns) - 1, bytes);
}
#endif

/// One row of up to a panel of columns as integers. `terms` are added to the sums.
MK_INLINE void q8_store_int(const int32_t *sums, const int32_t *terms, const float *scale, const float *bias,
                            const mk_q8_epilogue *e, uint8_t *out, ptrdiff_t columns) {
#if Q8_A != Q8_WIDE
  __m512i s0 = _mm512_add_epi32(_mm512_loadu_si512(sums), _mm512_loadu_si512(terms));
  __m512i s1 = _mm512_add_epi32(_mm512_loadu_si512(sums + 16), _mm512_loadu_si512(terms + 16));
  q8_store_bytes(q8_requantize(s0, s1, scale, bias, e), out, columns);
#else
  const float low = (float)(e->lowest - e->zero_point), high = (float)(e->highest - e->zero_point);
  const uint32_t zero = (uint32_t)e->zero_point - MK_Q8_MAGIC_BITS;
  float values[MK_Q8_PANEL];
  uint8_t bytes[MK_Q8_PANEL];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    float v = (float)(int32_t)((uint32_t)sums[j] + (uint32_t)terms[j]);
    values[j] = v * scale[j];
  }
  if (bias != NULL) for (int j = 0; j < MK_Q8_PANEL; j++) values[j] = values[j] + bias[j];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    float v = values[j] < low ? low : values[j];
    v = v > high ? high : v;
    v = v + MK_Q8_MAGIC;
    bytes[j] = (uint8_t)((uint32_t)mk_q8_bits(v) + zero);
  }
  if (columns >= MK_Q8_PANEL) memcpy(out, bytes, MK_Q8_PANEL);
  else for (ptrdiff_t j = 0; j < columns; j++) out[j] = bytes[j];
#endif
}

/// One row as float32. `zero` times the columns' sums of weights is taken off.
MK_INLINE void q8_store_f32(const int32_t *sums, const int32_t *terms, const int32_t *column_sums, int32_t zero, float row_scale,
                            const float *scale, const float *bias, const mk_q8_epilogue *e, float *out, ptrdiff_t columns) {
  float values[MK_Q8_PANEL];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    uint32_t s = (uint32_t)sums[j] + (uint32_t)terms[j] - (uint32_t)zero * (uint32_t)column_sums[j];
    float factor = scale[j] * row_scale;
    values[j] = (float)(int32_t)s * factor;
  }
  if (bias != NULL) for (int j = 0; j < MK_Q8_PANEL; j++) values[j] = values[j] + bias[j];
  memcpy(out, values, (size_t)mk_min(columns, MK_Q8_PANEL) * sizeof(float));
  if (e->activation != MK_ACTIVATION_NONE) MK_FN(q8_activate)(out, columns, e);
}

/// One row of a panel of a product with 4-bit weights. `column_sums` are the sums of the columns' scaled weights.
MK_INLINE void q4_store(const mk_q4_linear *l, ptrdiff_t m, ptrdiff_t panel, const float *totals, const float *column_sums) {
  const float zero = (float)l->row_zero_point[m], scale = l->row_scale[m];
  float values[MK_Q8_PANEL];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    const float shift = zero * column_sums[j];
    const float sum = totals[j] - shift;
    values[j] = sum * scale;
  }
  if (l->bias != NULL) for (int j = 0; j < MK_Q8_PANEL; j++) values[j] = values[j] + l->bias[panel * MK_Q8_PANEL + j];
  const ptrdiff_t column = panel * MK_Q8_PANEL, columns = mk_min(MK_Q8_PANEL, l->n - column);
  float *out = l->c + m * l->c_row_stride + column;
  memcpy(out, values, (size_t)columns * sizeof(float));
  const mk_q8_epilogue e = {.activation = l->activation, .lo = l->lo, .hi = l->hi};
  if (l->activation != MK_ACTIVATION_NONE) MK_FN(q8_activate)(out, columns, &e);
}
