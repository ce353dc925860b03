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
        if (swish) v[i] = v[i] > lo ? v[i] : lo;
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

#if Q8_A == Q8_BIASED || Q8_A == Q8_PLAIN
/// What requantises 32 neighbouring columns, or 64 of a depthwise convolution, in registers.
typedef struct MK_FN(q8_columns) {
  __m512 scale[4], bias[4], high_value;
  __m512i zero, lowest, highest, flip;
#if Q8_A == Q8_PLAIN
  /// What tiles' sums lack: tiles that start from such terms instead take longer to be filled than to be multiplied.
  __m512i terms[2];
#endif
} MK_FN(q8_columns);

MK_INLINE MK_FN(q8_columns) q8_columns(const float *scale, const float *bias, const mk_q8_epilogue *e) {
  MK_FN(q8_columns) c;
  const int shift = e->output == MK_Q8_TO_UINT8 ? 128 : 0;
  for (int j = 0; j < 2; j++) {
    c.scale[j] = _mm512_loadu_ps(scale + 16 * j);
    c.bias[j] = bias == NULL ? _mm512_setzero_ps() : _mm512_loadu_ps(bias + 16 * j);
    c.scale[j + 2] = c.scale[j];
    c.bias[j + 2] = c.bias[j];
  }
  c.high_value = _mm512_set1_ps((float)(e->highest - e->zero_point));
  c.zero = _mm512_set1_epi16((short)(e->zero_point - shift));
  c.lowest = _mm512_set1_epi8((char)(e->lowest - shift));
  c.highest = _mm512_set1_epi8((char)(e->highest - shift));
  c.flip = _mm512_set1_epi8(shift ? (char)0x80 : 0);
  return c;
}

/// How sums become bytes: what there is to be done beside multiplying and rounding. Of the kinds with `Q8_LARGE` only the one with all is
/// used.
enum {
  /// Results have bounds other than their type's, or are unsigned.
  Q8_BOUNDED = 1,
  /// Terms are added after multiplying.
  Q8_ADDED = 2,
  /// Sums times the scales need not fit 32 bits.
  Q8_LARGE = 4,
  Q8_EVERYTHING = 7,
};

MK_INLINE int q8_kind(const MK_FN(q8_columns) *c, const mk_q8_epilogue *e) {
  // Sums times scales, and terms, are at most 2^30 each, or sums times scales less than 2^31.
  const __m512 scale = _mm512_set1_ps(e->bias == NULL ? 0x1.fffffep-1f : 0.5f), term = _mm512_set1_ps(0x1p30f);
  __mmask16 small = 0xffff;
  for (int j = 0; j < 4; j++)
    small &= _mm512_cmp_ps_mask(_mm512_abs_ps(c->scale[j]), scale, _CMP_LE_OQ) & _mm512_cmp_ps_mask(_mm512_abs_ps(c->bias[j]), term, _CMP_LT_OQ);
  if (small != 0xffff) return Q8_EVERYTHING;
  const int is_free = e->output == MK_Q8_TO_INT8 && e->lowest <= INT8_MIN && e->highest >= INT8_MAX;
  return (is_free ? 0 : Q8_BOUNDED) | (e->bias == NULL ? 0 : Q8_ADDED);
}

MK_INLINE __m512i q8_words(const __m512i sums[2], const __m512 scale[2], const __m512 bias[2], const MK_FN(q8_columns) *c, const int kind) {
  __m512 v[2];
  for (int j = 0; j < 2; j++) {
#if Q8_A == Q8_PLAIN
    v[j] = _mm512_cvtepi32_ps(_mm512_add_epi32(sums[j], c->terms[j]));
#else
    v[j] = _mm512_cvtepi32_ps(sums[j]);
#endif
    v[j] = _mm512_mul_ps(v[j], scale[j]);
    if (kind & Q8_ADDED) v[j] = _mm512_add_ps(v[j], bias[j]);
    // The conversion turns what is too large, but nothing that is too small, into the smallest integer.
    if (kind & Q8_LARGE) v[j] = _mm512_min_ps(c->high_value, v[j]);
  }
  // Values beyond 16 bits stay beyond every bound when saturated.
  return _mm512_adds_epi16(_mm512_packs_epi32(_mm512_cvtps_epi32(v[0]), _mm512_cvtps_epi32(v[1])), c->zero);
}

/// Four vectors of sums as bytes, lane by lane: of the same columns twice, or with `four` of four times 16 columns.
MK_INLINE __m512i q8_bytes(const __m512i a[2], const __m512i b[2], const MK_FN(q8_columns) *c, const int four, const int kind) {
  const int second = four ? 2 : 0;
  __m512i bytes = _mm512_packs_epi16(q8_words(a, c->scale, c->bias, c, kind), q8_words(b, c->scale + second, c->bias + second, c, kind));
  if (!(kind & Q8_BOUNDED)) return bytes;
  return _mm512_xor_si512(_mm512_min_epi8(_mm512_max_epi8(bytes, c->lowest), c->highest), c->flip);
}

/// Two rows of sums of 32 columns as bytes, the first row in the lower half.
MK_INLINE __m512i q8_requantize(const __m512i a[2], const __m512i b[2], const MK_FN(q8_columns) *c, const int kind) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, q8_bytes(a, b, c, 0, kind));
}

MK_INLINE void q8_store_bytes(__m256i bytes, uint8_t *out, ptrdiff_t columns) {
  if (columns >= MK_Q8_PANEL) _mm256_storeu_si256((__m256i *)out, bytes);
  else _mm256_mask_storeu_epi8(out, (1u << columns) - 1, bytes);
}

/// Stores a row of sums of up to a panel of columns as integers, and with `pair` a second one.
MK_INLINE void q8_store_pair(const int32_t *first, const int32_t *second, const int pair, const MK_FN(q8_columns) *c, uint8_t *to_first,
                             uint8_t *to_second, ptrdiff_t columns, const int kind) {
  const __m512i a[2] = {_mm512_loadu_si512(first), _mm512_loadu_si512(first + 16)};
  const __m512i b[2] = {_mm512_loadu_si512(second), _mm512_loadu_si512(second + 16)};
  const __m512i bytes = q8_requantize(a, b, c, kind);
  q8_store_bytes(_mm512_castsi512_si256(bytes), to_first, columns);
  if (pair) q8_store_bytes(_mm512_extracti64x4_epi64(bytes, 1), to_second, columns);
}

#if Q8_A == Q8_BIASED
/// `rows` rows of a panel of sums as integers, the first column of row i at `out + places[i]`.
MK_INLINE void q8_store_tile(const int32_t *sums, ptrdiff_t rows, const MK_FN(q8_columns) *columns, uint8_t *out, const ptrdiff_t *places,
                             ptrdiff_t count, const int kind) {
  const MK_FN(q8_columns) c = *columns;
  for (ptrdiff_t i = 0; i < rows; i += 2, sums += 2 * MK_Q8_PANEL) {
    const int pair = i + 1 < rows;
    q8_store_pair(sums, pair ? sums + MK_Q8_PANEL : sums, pair, &c, out + places[i], pair ? out + places[i + 1] : out, count, kind);
  }
}

static void MK_FN(q8_store_ints)(const int32_t *sums, ptrdiff_t rows, const float *scale, const float *bias, const mk_q8_epilogue *e,
                                 uint8_t *out, const ptrdiff_t *places, ptrdiff_t columns) {
  const MK_FN(q8_columns) c = q8_columns(scale, bias, e);
  switch (q8_kind(&c, e)) {
    case 0:
      if (columns >= MK_Q8_PANEL) q8_store_tile(sums, rows, &c, out, places, MK_Q8_PANEL, 0);
      else q8_store_tile(sums, rows, &c, out, places, columns, 0);
      break;
#define Q8_CASE(kind) case kind: q8_store_tile(sums, rows, &c, out, places, columns, kind); break;
    Q8_CASE(1) Q8_CASE(2) Q8_CASE(3)
    default: q8_store_tile(sums, rows, &c, out, places, columns, Q8_EVERYTHING);
#undef Q8_CASE
  }
}
#endif
#else
/// One row of up to a panel of columns as integers.
MK_INLINE void q8_store_int(const int32_t *sums, const float *scale, const float *bias, const mk_q8_epilogue *e, uint8_t *out,
                            ptrdiff_t columns) {
  const float low = (float)(e->lowest - e->zero_point), high = (float)(e->highest - e->zero_point);
  const uint32_t zero = (uint32_t)e->zero_point - MK_Q8_MAGIC_BITS;
  float values[MK_Q8_PANEL];
  uint8_t bytes[MK_Q8_PANEL];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    float v = (float)sums[j];
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
}

static void MK_FN(q8_store_ints)(const int32_t *sums, ptrdiff_t rows, const float *scale, const float *bias, const mk_q8_epilogue *e,
                                 uint8_t *out, const ptrdiff_t *places, ptrdiff_t columns) {
  for (ptrdiff_t i = 0; i < rows; i++) q8_store_int(sums + i * MK_Q8_PANEL, scale, bias, e, out + places[i], columns);
}
#endif

/// One row as float32. `zero` times the columns' sums of weights is taken off.
MK_INLINE void q8_store_f32(const int32_t *sums, const int32_t *column_sums, int32_t zero, float row_scale, const float *scale,
                            const float *bias, const mk_q8_epilogue *e, float *out, ptrdiff_t columns) {
  float values[MK_Q8_PANEL];
  for (int j = 0; j < MK_Q8_PANEL; j++) {
    uint32_t s = (uint32_t)sums[j] - (uint32_t)zero * (uint32_t)column_sums[j];
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
