/// Definitions of the micro-kernels of one level, as template text after `tile.h`; compiled once per level.

/// Applies `e`'s activation to the first `count` <= `LANES` elements of each of `rows` rows.
#define MK_ACTIVATE_LATE(kind)                                                                                      \
  case kind:                                                                                                        \
    for (ptrdiff_t row = 0; row < rows; row++) {                                                                    \
      float *p = c + row * row_stride;                                                                              \
      ptrdiff_t column = 0;                                                                                         \
      for (; column + LANES <= columns; column += LANES) vec_store(p + column, vec_activate_late(vec_load(p + column), kind, e->lo)); \
      if (column < columns) {                                                                                       \
        vec v = vec_activate_late(vec_load_first(p + column, columns - column), kind, e->lo);                       \
        vec_store_first(p + column, v, columns - column);                                                           \
      }                                                                                                             \
    }                                                                                                               \
    break;

void MK_FN(mk_activate)(float *c, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, const mk_epilogue *e) {
  switch (e->activation) {
    MK_ACTIVATE_LATE(MK_ACTIVATION_SILU)
    MK_ACTIVATE_LATE(MK_ACTIVATION_SIGMOID)
    MK_ACTIVATE_LATE(MK_ACTIVATION_TANH)
    MK_ACTIVATE_LATE(MK_ACTIVATION_GELU_ERF)
    MK_ACTIVATE_LATE(MK_ACTIVATION_GELU_TANH)
    MK_ACTIVATE_LATE(MK_ACTIVATION_ELU)
    default: break;
  }
}

#define MK_TILE(rows)                                                              \
  static void MK_FN(tile_##rows##_half)(const mk_tile *t) { tile_run(rows, 1, 0, t); } \
  static void MK_FN(tile_##rows##_whole)(const mk_tile *t) { tile_run(rows, 2, 0, t); }
#define MK_SPLIT(half)                                                                        \
  static void MK_FN(split_##half##_half)(const mk_tile *t) { tile_run(2 * half, 1, half, t); } \
  static void MK_FN(split_##half##_whole)(const mk_tile *t) { tile_run(2 * half, 2, half, t); }
#define MK_TILE_ENTRY(rows) [rows] = {MK_FN(tile_##rows##_half), MK_FN(tile_##rows##_whole)}
#define MK_SPLIT_ENTRY(half) [half] = {MK_FN(split_##half##_half), MK_FN(split_##half##_whole)}

MK_TILE(1)
MK_TILE(2)
MK_TILE(3)
MK_TILE(4)
MK_SPLIT(1)
MK_SPLIT(2)
#if MR >= 6
MK_TILE(5)
MK_TILE(6)
MK_SPLIT(3)
#endif
#if MR >= 8
MK_TILE(7)
MK_TILE(8)
MK_SPLIT(4)
#endif
#if MR >= 14
MK_TILE(9)
MK_TILE(10)
MK_TILE(11)
MK_TILE(12)
MK_TILE(13)
MK_TILE(14)
MK_SPLIT(5)
MK_SPLIT(6)
MK_SPLIT(7)
#endif

const mk_tile_kernels MK_FN(mk_tiles) = {
  .max_rows = MR,
  .panel_width = NR,
  .tile =
    {
      MK_TILE_ENTRY(1),
      MK_TILE_ENTRY(2),
      MK_TILE_ENTRY(3),
      MK_TILE_ENTRY(4),
#if MR >= 6
      MK_TILE_ENTRY(5),
      MK_TILE_ENTRY(6),
#endif
#if MR >= 8
      MK_TILE_ENTRY(7),
      MK_TILE_ENTRY(8),
#endif
#if MR >= 14
      MK_TILE_ENTRY(9),
      MK_TILE_ENTRY(10),
      MK_TILE_ENTRY(11),
      MK_TILE_ENTRY(12),
      MK_TILE_ENTRY(13),
      MK_TILE_ENTRY(14),
#endif
    },
  .split =
    {
      MK_SPLIT_ENTRY(1),
      MK_SPLIT_ENTRY(2),
#if MR >= 6
      MK_SPLIT_ENTRY(3),
#endif
#if MR >= 8
      MK_SPLIT_ENTRY(4),
#endif
#if MR >= 14
      MK_SPLIT_ENTRY(5),
      MK_SPLIT_ENTRY(6),
      MK_SPLIT_ENTRY(7),
#endif
    },
};
