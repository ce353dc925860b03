/// The blocked product of one level, as template text after `few_rows.h`.

/// Steps of k in one block, so that a tile's part of A stays in the L1 cache.
#define K_BLOCK 640
/// Elements of B in one block: 1 MiB of the L2 cache.
#define B_BLOCK (256 * 1024)
/// With no more tiles of rows than this, each panel is finished before the next, which is fetched meanwhile.
#define FEW_TILES 4
/// Rows up to which B is read as several streams: with more, too few streams fit the registers.
#define STREAMED_ROWS (MK_LEVEL == 2 ? 4 : 2)

/// Runs rows `m` ..< `m + rows` of panel `panel` over `k` steps from `k0` on; `t` already has A's part.
MK_INLINE void gemm_tile(mk_tile *t, const mk_gemm *g, ptrdiff_t m, ptrdiff_t rows, ptrdiff_t panel, ptrdiff_t k0, ptrdiff_t k) {
  ptrdiff_t column = panel * NR;
  t->b = g->b + (panel * g->k + k0) * NR;
  t->c = g->c + m * g->c_row_stride + column;
  t->columns = mk_min(g->n - column, NR);
  t->load_c = g->accumulate || k0 > 0;
  t->finish = k0 + k == g->k;
  t->bias = g->epilogue.bias == NULL ? NULL : g->epilogue.bias + column;
  t->residual = g->epilogue.residual == NULL ? NULL : g->epilogue.residual + m * g->epilogue.residual_row_stride + column;
  MK_FN(mk_tiles).tile[rows][t->columns > LANES](t);
}

/// Makes `t`'s part of A, `rows` rows of `t->k` steps from `k0` on, a copy with its columns multiplied by the factors.
static void MK_FN(scale_rows)(mk_tile *t, const mk_gemm *g, ptrdiff_t rows, ptrdiff_t k0) {
  const float *scale = g->a_scale + k0;
  ptrdiff_t k = t->k, stride = mk_gemm_scaled_stride(k);
  for (ptrdiff_t i = 0; i < rows; i++) {
    const float *from = t->a + i * g->a_row_stride;
    float *to = g->scratch + i * stride;
    if (g->a_k_stride != 1) {
      for (ptrdiff_t j = 0; j < k; j++) to[j] = from[j * g->a_k_stride] * scale[j];
      continue;
    }
    ptrdiff_t j = 0;
    for (; j + LANES <= k; j += LANES) vec_store(to + j, vec_load(from + j) * vec_load(scale + j));
    if (j < k) vec_store_first(to + j, vec_load_first(from + j, k - j) * vec_load_first(scale + j, k - j), k - j);
  }
  t->a = g->scratch;
  t->a_row_stride = stride;
  t->a_k_stride = 1;
}

void MK_FN(mk_gemm_f32)(const mk_gemm *g, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  static const ptrdiff_t no_offset = 0;
  mk_tile t = {
    .a_row_stride = g->a_row_stride,
    .a_k_stride = g->a_k_stride,
    .tap_offsets = &no_offset,
    .tap_count = 1,
    .b_k_stride = NR,
    .prefetch = g->b,
    .c_row_stride = g->c_row_stride,
    .epilogue = &g->epilogue,
  };
  ptrdiff_t m_count = m1 - m0;
  if (m_count <= STREAMED_ROWS) {
    ptrdiff_t column = panel0 * NR;
    t.a = g->a + m0 * g->a_row_stride;
    t.k = g->k;
    t.b = g->b + column * g->k / (g->b_is_half ? 2 : 1);
    t.c = g->c + m0 * g->c_row_stride + column;
    t.columns = mk_min(g->n, panel1 * NR) - column;
    t.load_c = g->accumulate;
    t.finish = 1;
    if (g->a_scale != NULL) MK_FN(scale_rows)(&t, g, m_count, 0);
    t.bias = g->epilogue.bias == NULL ? NULL : g->epilogue.bias + column;
    t.residual = g->epilogue.residual == NULL ? NULL : g->epilogue.residual + m0 * g->epilogue.residual_row_stride + column;
    MK_FN(mk_few_rows)(&t, m_count, g->k * NR / (g->b_is_half ? 2 : 1), g->b_is_half);
    return;
  }
  // Rows are dealt out evenly: the first `longer` tiles have one row more than the others.
  ptrdiff_t tiles = mk_divide_up(m_count, MR), rows_least = m_count / tiles, longer = m_count % tiles;
  // Partial sums in C would overwrite a residual that is C itself.
  ptrdiff_t blocks = g->epilogue.residual == g->c ? 1 : mk_max(1, mk_divide_up(g->k, K_BLOCK));
  ptrdiff_t k_block = mk_max(1, mk_divide_up(g->k, blocks));
  ptrdiff_t few = tiles <= FEW_TILES;
  ptrdiff_t panel_block = few ? 1 : mk_max(1, B_BLOCK / (k_block * NR));
  for (ptrdiff_t p0 = panel0; p0 < panel1; p0 += panel_block) {
    ptrdiff_t p1 = mk_min(p0 + panel_block, panel1), k0 = 0;
    do {
      ptrdiff_t k = mk_min(g->k - k0, k_block), m = m0;
      int is_end = p1 == panel1 && k0 + k >= g->k;
      for (ptrdiff_t i = 0; i < tiles; i++) {
        ptrdiff_t rows = rows_least + (i < longer);
        t.a = g->a + m * g->a_row_stride + k0 * g->a_k_stride;
        t.k = k;
        if (g->a_scale != NULL) MK_FN(scale_rows)(&t, g, rows, k0);
        for (ptrdiff_t p = p0; p < p1; p++) {
          if (few && !is_end) {
            t.prefetch = g->b + (p * g->k + k0 + k) * NR + i * k * NR / tiles;
            t.prefetch_step = NR / tiles;
          } else if (!few && i + 1 < tiles && g->a_k_stride == 1) {
            // The next tile of A, shared out over the panels of this one; whole rows only pay where they follow closely.
            ptrdiff_t share = rows * g->a_row_stride / (p1 - p0);
            t.prefetch = g->a + (m + rows) * g->a_row_stride + k0 + (p - p0) * share;
            t.prefetch_step = g->a_row_stride <= 2 * k ? share / mk_max(k, 1) : 0;
          } else {
            t.prefetch_step = 0;
          }
          gemm_tile(&t, g, m, rows, p, k0, k);
        }
        m += rows;
      }
      k0 += k;
    } while (k0 < g->k);
  }
}
