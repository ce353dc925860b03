/// The storing of tiles at one level, as template text after `gemm/activation.h`, with `MK_GELU(v)` defined.

/// A tile whose sums wait to be stored: that is done row by row while the next one's are made.
typedef struct MK_FN(bf16_pending) {
  const float *sums;
  /// Offsets of the pixels' results, below 0 for none, and those of the residual.
  const ptrdiff_t *places, *residual_places;
  /// Slots of the tile and how many of them are stored.
  ptrdiff_t slots, stored;
  /// First column over all groups, and columns.
  ptrdiff_t column, columns;
  /// What stores rows of it.
  void (*store)(const mk_bf16_conv2d *d, const struct MK_FN(bf16_pending) *t, ptrdiff_t rows);
} MK_FN(bf16_pending);

/// Sums of one row of a tile with the whole epilogue. Late activations are told apart at run time.
MK_INLINE vec bf16_finished(const float *sums, vec alpha, vec bias, vec residual, const int activation, const int is_late,
                            const mk_epilogue *e) {
  vec v = vec_load(sums) * alpha + bias + residual;
  if (!is_late) return vec_activate_early(v, activation, e->lo, e->hi);
  return e->activation == MK_ACTIVATION_GELU_ERF ? MK_GELU(v) : vec_activate_late(v, e->activation, e->lo);
}

/// Stores the next `rows` slots of a tile. All that the loop reads is in variables of its own: stores could change anything else.
MK_INLINE void bf16_store_rows(const mk_bf16_conv2d *d, const MK_FN(bf16_pending) *t, ptrdiff_t rows, const int activation,
                               const int is_late, const int dtype, const int is_whole, const int has_residual) {
  const mk_epilogue e = d->conv.epilogue;
  const vec alpha = vec_splat(e.alpha), zero = vec_splat(0.0f);
  const ptrdiff_t column = t->column, columns = is_whole ? MK_BF16_PANEL : t->columns, first = t->stored;
  const float *sums = t->sums + first * MK_BF16_PANEL;
  const ptrdiff_t *places = t->places + first, *residual_places = t->residual_places + first;
  void *output = d->conv.output;
  vec bias[MK_BF16_PANEL / LANES];
  _Pragma("clang loop unroll(full)") for (int j = 0; j < MK_BF16_PANEL / LANES; j++) {
    const ptrdiff_t count = mk_min(LANES, columns - j * LANES);
    bias[j] = e.bias == NULL || count <= 0 ? zero : vec_load_first(e.bias + column + j * LANES, count);
  }
  for (ptrdiff_t i = 0; i < rows; i++, sums += MK_BF16_PANEL) {
    if (places[i] < 0) continue;
    const ptrdiff_t out = places[i] + column, residual = residual_places[i] + column;
    _Pragma("clang loop unroll(full)") for (int j = 0; j < MK_BF16_PANEL / LANES; j++) {
      const ptrdiff_t at = j * LANES, count = mk_min(LANES, columns - at);
      if (count <= 0) continue;
      const vec more = has_residual ? vec_load_first_as(e.residual, residual + at, count, dtype) : zero;
      const vec v = bf16_finished(sums + at, alpha, bias[j], more, activation, is_late, &e);
      if (count == LANES) vec_store_as(output, out + at, v, dtype);
      else vec_store_first_as(output, out + at, v, count, dtype);
    }
  }
}

MK_INLINE void bf16_store(const mk_bf16_conv2d *d, const MK_FN(bf16_pending) *t, ptrdiff_t rows, const int activation, const int is_late,
                          const int dtype) {
  const int is_whole = t->columns == MK_BF16_PANEL, has_residual = d->conv.epilogue.residual != NULL;
  if (is_whole && !has_residual) bf16_store_rows(d, t, rows, activation, is_late, dtype, 1, 0);
  else if (!has_residual) bf16_store_rows(d, t, rows, activation, is_late, dtype, 0, 0);
  else bf16_store_rows(d, t, rows, activation, is_late, dtype, 0, 1);
}

/// Stores the next `rows` slots of a tile. There is a function for each element type and activation, chosen once for all tiles.
typedef void (*MK_FN(bf16_storing))(const mk_bf16_conv2d *d, const MK_FN(bf16_pending) *t, ptrdiff_t rows);

#define MK_BF16_STORING(name, activation, is_late, dtype)                                                                                \
  static __attribute__((noinline)) void MK_FN(bf16_store_##name)(const mk_bf16_conv2d *d, const MK_FN(bf16_pending) *t, ptrdiff_t rows) { \
    bf16_store(d, t, rows, activation, is_late, dtype);                                                                                  \
  }
#define MK_BF16_STORINGS(name, dtype)                                        \
  MK_BF16_STORING(name##_none, MK_ACTIVATION_NONE, 0, dtype)                 \
  MK_BF16_STORING(name##_clamp, MK_ACTIVATION_CLAMP, 0, dtype)               \
  MK_BF16_STORING(name##_hardswish, MK_ACTIVATION_HARDSWISH, 0, dtype)       \
  MK_BF16_STORING(name##_hardsigmoid, MK_ACTIVATION_HARDSIGMOID, 0, dtype)   \
  MK_BF16_STORING(name##_leaky_relu, MK_ACTIVATION_LEAKY_RELU, 0, dtype)     \
  MK_BF16_STORING(name##_late, MK_ACTIVATION_NONE, 1, dtype)
MK_BF16_STORINGS(f32, MK_F32)
MK_BF16_STORINGS(f16, MK_F16)
MK_BF16_STORINGS(bf16, MK_BF16)

static MK_FN(bf16_storing) MK_FN(bf16_storing_for)(const mk_bf16_conv2d *d) {
#define MK_BF16_CHOICE(name)                                                                             \
  switch (d->conv.epilogue.activation) {                                                                \
    case MK_ACTIVATION_NONE: return MK_FN(bf16_store_##name##_none);                                    \
    case MK_ACTIVATION_CLAMP: return MK_FN(bf16_store_##name##_clamp);                                  \
    case MK_ACTIVATION_HARDSWISH: return MK_FN(bf16_store_##name##_hardswish);                          \
    case MK_ACTIVATION_HARDSIGMOID: return MK_FN(bf16_store_##name##_hardsigmoid);                      \
    case MK_ACTIVATION_LEAKY_RELU: return MK_FN(bf16_store_##name##_leaky_relu);                        \
    default: return MK_FN(bf16_store_##name##_late);                                                    \
  }
  switch (d->output_dtype) {
    case MK_F16: MK_BF16_CHOICE(f16)
    case MK_BF16: MK_BF16_CHOICE(bf16)
    default: MK_BF16_CHOICE(f32)
  }
#undef MK_BF16_CHOICE
}
#undef MK_BF16_STORINGS
#undef MK_BF16_STORING

/// Stores the next slots of a tile, at most `rows`.
MK_INLINE void bf16_finish(const mk_bf16_conv2d *d, MK_FN(bf16_pending) *t, ptrdiff_t rows) {
  rows = mk_min(rows, t->slots - t->stored);
  if (rows <= 0) return;
  t->store(d, t, rows);
  t->stored += rows;
}
