/// The product of a vector with a matrix in place, as template text after `tile.h`: squares of the matrix are transposed in registers,
/// so that each result has a lane and is summed in the order of k.

/// Elements of a row that are asked for ahead of their use: what brings cache lines by itself loses its way among as many rows.
#define ROWS_AHEAD 128

/// The sums of `count` <= `LANES` rows, the first of which starts at element `start`.
MK_INLINE vec matvec_rows(const mk_matvec *m, const int dtype, ptrdiff_t start, ptrdiff_t count) {
  const ptrdiff_t size = dtype == MK_F32 ? 4 : 2;
  ptrdiff_t k = 0;
  vec square[LANES], sums = vec_splat(0.0f);
  if (count == LANES) {
#pragma clang loop unroll(disable)
    for (; k + LANES <= m->k; k += LANES) {
      // In the same rows, or at their ends in those that come next.
      const ptrdiff_t ahead = k + ROWS_AHEAD < m->k ? ROWS_AHEAD : ROWS_AHEAD + (LANES - 1) * m->row_stride;
      UNROLL for (int l = 0; l < LANES; l++) {
        ptrdiff_t element = start + l * m->row_stride + k;
        square[l] = vec_load_as(m->weights, element, dtype);
        vec_prefetch((const float *)(const void *)((const char *)m->weights + (element + ahead) * size));
      }
      vec_transpose(square);
      UNROLL for (int l = 0; l < LANES; l++) sums = vec_splat(m->x[(k + l) * m->x_stride]) * square[l] + sums;
    }
  }
  for (; k < m->k; k += LANES) {
    ptrdiff_t columns = mk_min(m->k - k, LANES);
    for (int l = 0; l < LANES; l++)
      square[l] = l < count ? vec_load_first_as(m->weights, start + l * m->row_stride + k, columns, dtype) : vec_splat(0.0f);
    vec_transpose(square);
    for (int l = 0; l < columns; l++) sums = vec_splat(m->x[(k + l) * m->x_stride]) * square[l] + sums;
  }
  return sums;
}

MK_INLINE void matvec_run(const mk_matvec *m, const int dtype, ptrdiff_t panel0, ptrdiff_t panel1) {
  mk_tile t = {.finish = 1, .epilogue = &m->epilogue};
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    ptrdiff_t first = panel * NR;
    t.columns = mk_min(m->n - first, NR);
    t.c = m->y + first;
    t.bias = m->epilogue.bias == NULL ? NULL : m->epilogue.bias + first;
    t.residual = m->epilogue.residual == NULL ? NULL : m->epilogue.residual + first;
    MK_FN(tile_sums) sums;
    sums[0][0] = matvec_rows(m, dtype, first * m->row_stride, mk_min(t.columns, LANES));
    if (t.columns <= LANES) {
      tile_finish(1, 1, 0, sums, &t);
    } else {
      sums[0][1] = matvec_rows(m, dtype, (first + LANES) * m->row_stride, t.columns - LANES);
      tile_finish(1, 2, 0, sums, &t);
    }
  }
}

void MK_FN(mk_matvec_f32)(const mk_matvec *m, ptrdiff_t panel0, ptrdiff_t panel1) {
  switch (m->dtype) {
    case MK_F16: matvec_run(m, MK_F16, panel0, panel1); break;
    case MK_BF16: matvec_run(m, MK_BF16, panel0, panel1); break;
    default: matvec_run(m, MK_F32, panel0, panel1); break;
  }
}
