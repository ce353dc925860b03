/// Packing of right-hand sides, as template text after `tile.h`.

/// Columns `column` ..< `column` + `columns` of one panel from a matrix whose rows are contiguous.
MK_INLINE void pack_rows(const void *b, const int dtype, ptrdiff_t k_stride, ptrdiff_t k, ptrdiff_t columns, const float *scale,
                         float *packed) {
  vec factor[2];
  ptrdiff_t count[2];
  for (int j = 0; j < 2; j++) {
    count[j] = mk_max(0, mk_min(columns - j * LANES, LANES));
    factor[j] = scale == NULL || count[j] == 0 ? vec_splat(1.0f) : vec_load_first(scale + j * LANES, count[j]);
  }
  for (ptrdiff_t i = 0; i < k; i++, packed += NR) {
    for (int j = 0; j < 2; j++) {
      vec v = count[j] == 0 ? vec_splat(0.0f) : vec_load_first_as(b, i * k_stride + j * LANES, count[j], dtype) * factor[j];
      vec_store(packed + j * LANES, v);
    }
  }
}

/// The same from a matrix whose columns are contiguous: squares of `LANES` are transposed in registers.
MK_INLINE void pack_columns(const void *b, const int dtype, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns, const float *scale,
                            float *packed) {
  for (int j = 0; j < 2; j++) {
    ptrdiff_t count = mk_max(0, mk_min(columns - j * LANES, LANES));
    ptrdiff_t start = j * LANES * n_stride;
    for (ptrdiff_t i = 0; i < k; i += LANES) {
      ptrdiff_t rows = mk_min(k - i, LANES);
      vec square[LANES];
      if (rows == LANES && count == LANES) {
        UNROLL for (int l = 0; l < LANES; l++) square[l] = vec_load_as(b, start + l * n_stride + i, dtype);
      } else {
        for (int l = 0; l < LANES; l++)
          square[l] = l < count ? vec_load_first_as(b, start + l * n_stride + i, rows, dtype) : vec_splat(0.0f);
      }
      if (scale != NULL)
        for (int l = 0; l < count; l++) square[l] *= scale[j * LANES + l];
      vec_transpose(square);
      float *out = packed + i * NR + j * LANES;
      if (rows == LANES) {
        UNROLL for (int l = 0; l < LANES; l++) vec_store(out + l * NR, square[l]);
      } else {
        for (int l = 0; l < rows; l++) vec_store(out + l * NR, square[l]);
      }
    }
  }
}

MK_INLINE void pack_strided(const void *b, const int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns,
                            const float *scale, float *packed) {
  for (ptrdiff_t i = 0; i < k; i++, packed += NR)
    for (ptrdiff_t j = 0; j < NR; j++)
      packed[j] = j < columns ? scalar_load_as(b, i * k_stride + j * n_stride, dtype) * (scale == NULL ? 1.0f : scale[j]) : 0.0f;
}

/// Packs one panel: `k` rows of `columns` <= `NR` columns, the first of them at element 0 of `b`.
#define MK_PACK_PANEL(name, dtype)                                                                                          \
  static void MK_FN(pack_panel_##name)(const void *b, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns, \
                                       const float *scale, float *packed) {                                                 \
    if (n_stride == 1) pack_rows(b, dtype, k_stride, k, columns, scale, packed);                                            \
    else if (k_stride == 1) pack_columns(b, dtype, n_stride, k, columns, scale, packed);                                    \
    else pack_strided(b, dtype, k_stride, n_stride, k, columns, scale, packed);                                             \
  }
MK_PACK_PANEL(f32, MK_F32)
MK_PACK_PANEL(f64, MK_F64)
MK_PACK_PANEL(f16, MK_F16)
MK_PACK_PANEL(bf16, MK_BF16)

void MK_FN(mk_pack_panel)(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns,
                          const float *scale, float *packed) {
  switch (dtype) {
    case MK_F64: MK_FN(pack_panel_f64)(b, k_stride, n_stride, k, columns, scale, packed); break;
    case MK_F16: MK_FN(pack_panel_f16)(b, k_stride, n_stride, k, columns, scale, packed); break;
    case MK_BF16: MK_FN(pack_panel_bf16)(b, k_stride, n_stride, k, columns, scale, packed); break;
    default: MK_FN(pack_panel_f32)(b, k_stride, n_stride, k, columns, scale, packed); break;
  }
}
