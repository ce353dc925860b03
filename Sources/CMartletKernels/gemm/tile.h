/// The micro-kernels, as template text after `activation.h`: `MR` x (2 * `LANES`) sums in registers, A read in place one element at
/// a time, B from packed panels.
///
/// Every loop over the accumulators must be unrolled completely: one that is not sends them all to the stack.

#if MK_LEVEL == 2
#define MR 14
#elif MK_LEVEL == 1 || MK_LEVEL == 3
#define MR 6
#elif defined(__aarch64__)
#define MR 8
#else
#define MR 4
#endif
#define NR (2 * LANES)
#define UNROLL _Pragma("clang loop unroll(full)")

/// Rows of one tile that the registers hold: the bound of the accumulator arrays.
typedef vec MK_FN(tile_sums)[MR][2];

/// Applies the epilogue to `rows` x `vectors` sums if asked for, and stores them.
MK_INLINE void tile_finish(const int rows, const int vectors, const int half, vec sums[MR][2], const mk_tile *t) {
  ptrdiff_t tail = t->columns - (vectors - 1) * LANES;
  if (t->finish) {
    const mk_epilogue *e = t->epilogue;
    vec alpha = vec_splat(e->alpha), bias[2] = {vec_splat(0.0f), vec_splat(0.0f)};
    if (t->bias != NULL) {
      if (vectors == 2) bias[0] = vec_load(t->bias);
      bias[vectors - 1] = vec_load_first(t->bias + (vectors - 1) * LANES, tail);
    }
    UNROLL for (int i = 0; i < rows; i++)
      UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = sums[i][j] * alpha + bias[j];
    if (t->residual != NULL) {
      UNROLL for (int i = 0; i < rows; i++) {
        const float *residual = t->residual + i * e->residual_row_stride + (half && i >= half ? t->residual_gap : 0);
        if (vectors == 2) sums[i][0] += vec_load(residual);
        sums[i][vectors - 1] += vec_load_first(residual + (vectors - 1) * LANES, tail);
      }
    }
    float lo = e->lo, hi = e->hi;
#define MK_ACTIVATE_EARLY(kind)                                                                          \
  case kind:                                                                                             \
    UNROLL for (int i = 0; i < rows; i++)                                                                \
      UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = vec_activate_early(sums[i][j], kind, lo, hi); \
    break;
    switch (e->activation) {
      MK_ACTIVATE_EARLY(MK_ACTIVATION_CLAMP)
      MK_ACTIVATE_EARLY(MK_ACTIVATION_HARDSWISH)
      MK_ACTIVATE_EARLY(MK_ACTIVATION_HARDSIGMOID)
      MK_ACTIVATE_EARLY(MK_ACTIVATION_LEAKY_RELU)
      default: break;
    }
#undef MK_ACTIVATE_EARLY
  }
  UNROLL for (int i = 0; i < rows; i++) {
    float *c = t->c + i * t->c_row_stride + (half && i >= half ? t->c_gap : 0);
    if (vectors == 2) vec_store(c, sums[i][0]);
    float *last = c + (vectors - 1) * LANES;
    if (tail == LANES) vec_store(last, sums[i][vectors - 1]);
    else vec_store_first(last, sums[i][vectors - 1], tail);
  }
  if (t->finish && mk_activation_is_late(t->epilogue->activation)) {
    MK_FN(mk_activate)(t->c, t->c_row_stride, half ? half : rows, t->columns, t->epilogue);
    if (half) MK_FN(mk_activate)(t->c + half * t->c_row_stride + t->c_gap, t->c_row_stride, rows - half, t->columns, t->epilogue);
  }
}

/// The sums that a tile starts from.
MK_INLINE void tile_start(const int rows, const int vectors, const int half, vec sums[MR][2], const mk_tile *t) {
  UNROLL for (int i = 0; i < rows; i++)
    UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = vec_splat(0.0f);
  if (!t->load_c) return;
  ptrdiff_t tail = t->columns - (vectors - 1) * LANES;
  UNROLL for (int i = 0; i < rows; i++) {
    const float *c = t->c + i * t->c_row_stride + (half && i >= half ? t->c_gap : 0);
    if (vectors == 2) sums[i][0] = vec_load(c);
    sums[i][vectors - 1] = vec_load_first(c + (vectors - 1) * LANES, tail);
  }
}

/// One tile of `rows` rows; `half` is 0, or `rows` / 2 in a split tile.
MK_INLINE void tile_run(const int rows, const int vectors, const int half, const mk_tile *t) {
  MK_FN(tile_sums) sums;
  tile_start(rows, vectors, half, sums, t);
  const float *b = t->b, *prefetch = t->prefetch;
  const ptrdiff_t a_row_stride = t->a_row_stride, a_k_stride = t->a_k_stride, b_k_stride = t->b_k_stride, k_count = t->k;
  const ptrdiff_t prefetch_step = t->prefetch_step;
  for (ptrdiff_t tap = 0; tap < t->tap_count; tap++) {
    const float *a = t->a + t->tap_offsets[tap];
    const float *upper = a + half * a_row_stride + t->a_gap;
#pragma clang loop unroll(disable)
    for (ptrdiff_t k = 0; k < k_count; k++) {
      vec columns[2];
      UNROLL for (int j = 0; j < vectors; j++) columns[j] = vec_load(b + j * LANES);
      b += b_k_stride;
      if (vectors == 2) {
        __builtin_prefetch(prefetch, 0, 2);
        prefetch += prefetch_step;
      }
      UNROLL for (int i = 0; i < rows; i++) {
        vec row = vec_splat(half && i >= half ? upper[(i - half) * a_row_stride] : a[i * a_row_stride]);
        UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = row * columns[j] + sums[i][j];
      }
      a += a_k_stride;
      if (half) upper += a_k_stride;
    }
  }
  tile_finish(rows, vectors, half, sums, t);
}
