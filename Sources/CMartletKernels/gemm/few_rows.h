/// Products with at most four rows, as template text after `tile.h`: B is read once, as several streams of panels at a time,
/// which memory serves better than one.

/// Steps of k that B is asked for ahead of its use.
#define FEW_ROWS_AHEAD 16

/// Columns `column` ..< `column` + `LANES` of a row of a panel.
MK_INLINE vec few_rows_load(const void *row, ptrdiff_t column, const int is_half) {
  return is_half ? vec_load_as(row, column, MK_F16) : vec_load((const float *)row + column);
}

/// `rows` rows of A by `panels` panels that lie `panel_stride` floats' worth of memory apart; C's columns follow one another.
MK_INLINE void few_rows_run(const int rows, const int panels, const int is_half, const mk_tile *t, ptrdiff_t panel_stride) {
  vec sums[4][4][2];
  UNROLL for (int p = 0; p < panels; p++)
    UNROLL for (int i = 0; i < rows; i++)
      UNROLL for (int j = 0; j < 2; j++) sums[p][i][j] = vec_splat(0.0f);
  const float *a = t->a;
  const char *b = (const char *)t->b;
  const ptrdiff_t a_row_stride = t->a_row_stride, a_k_stride = t->a_k_stride, b_step = t->b_k_stride * (is_half ? 2 : 4), k_count = t->k;
#pragma clang loop unroll(disable)
  for (ptrdiff_t k = 0; k < k_count; k++) {
    vec row[4];
    UNROLL for (int i = 0; i < rows; i++) row[i] = vec_splat(a[i * a_row_stride]);
    UNROLL for (int p = 0; p < panels; p++) {
      const char *panel = b + p * panel_stride * 4;
      UNROLL for (int j = 0; j < NR * (is_half ? 2 : 4); j += 64)
        vec_prefetch((const float *)(const void *)(panel + FEW_ROWS_AHEAD * b_step + j));
      UNROLL for (int j = 0; j < 2; j++) {
        vec columns = few_rows_load(panel, j * LANES, is_half);
        UNROLL for (int i = 0; i < rows; i++) sums[p][i][j] = row[i] * columns + sums[p][i][j];
      }
    }
    a += a_k_stride;
    b += b_step;
  }
  mk_tile part = *t;
  UNROLL for (int p = 0; p < panels; p++) {
    vec finished[MR][2];
    part.columns = mk_min(t->columns - p * NR, NR);
    part.c = t->c + p * NR;
    part.bias = t->bias == NULL ? NULL : t->bias + p * NR;
    part.residual = t->residual == NULL ? NULL : t->residual + p * NR;
    int whole = part.columns > LANES;
    if (whole) tile_start(rows, 2, 0, finished, &part);
    else tile_start(rows, 1, 0, finished, &part);
    UNROLL for (int i = 0; i < rows; i++) {
      finished[i][0] += sums[p][i][0];
      if (whole) finished[i][1] += sums[p][i][1];
    }
    if (whole) tile_finish(rows, 2, 0, finished, &part);
    else tile_finish(rows, 1, 0, finished, &part);
  }
}

#define MK_FEW_ROWS(rows, panels) \
  static void MK_FN(few_rows_##rows##_##panels)(const mk_tile *t, ptrdiff_t panel_stride) {                \
    few_rows_run(rows, panels, 0, t, panel_stride);                                                      \
  }
#define MK_FEW_ROWS_OF_HALVES(rows, panels)                                                              \
  static void MK_FN(few_rows_of_halves_##rows##_##panels)(const mk_tile *t, ptrdiff_t panel_stride) {      \
    few_rows_run(rows, panels, 1, t, panel_stride);                                                      \
  }
MK_FEW_ROWS(1, 1)
MK_FEW_ROWS(1, 2)
MK_FEW_ROWS(1, 3)
MK_FEW_ROWS(1, 4)
MK_FEW_ROWS(2, 1)
MK_FEW_ROWS(2, 2)
MK_FEW_ROWS(2, 3)
MK_FEW_ROWS(2, 4)
MK_FEW_ROWS(3, 1)
MK_FEW_ROWS(3, 2)
MK_FEW_ROWS(3, 3)
MK_FEW_ROWS(4, 1)
MK_FEW_ROWS(4, 2)
MK_FEW_ROWS(4, 3)
MK_FEW_ROWS_OF_HALVES(1, 1)
MK_FEW_ROWS_OF_HALVES(1, 2)
MK_FEW_ROWS_OF_HALVES(1, 3)
MK_FEW_ROWS_OF_HALVES(1, 4)
MK_FEW_ROWS_OF_HALVES(2, 1)
MK_FEW_ROWS_OF_HALVES(2, 2)
MK_FEW_ROWS_OF_HALVES(2, 3)
MK_FEW_ROWS_OF_HALVES(2, 4)

typedef void (*MK_FN(few_rows_function))(const mk_tile *, ptrdiff_t);
static const MK_FN(few_rows_function) MK_FN(few_rows)[5][5] = {
  [1] = {NULL, MK_FN(few_rows_1_1), MK_FN(few_rows_1_2), MK_FN(few_rows_1_3), MK_FN(few_rows_1_4)},
  [2] = {NULL, MK_FN(few_rows_2_1), MK_FN(few_rows_2_2), MK_FN(few_rows_2_3), MK_FN(few_rows_2_4)},
  [3] = {NULL, MK_FN(few_rows_3_1), MK_FN(few_rows_3_2), MK_FN(few_rows_3_3), NULL},
  [4] = {NULL, MK_FN(few_rows_4_1), MK_FN(few_rows_4_2), MK_FN(few_rows_4_3), NULL},
};
static const MK_FN(few_rows_function) MK_FN(few_rows_of_halves)[MK_HALVES_ROWS + 1][5] = {
  [1] = {NULL, MK_FN(few_rows_of_halves_1_1), MK_FN(few_rows_of_halves_1_2), MK_FN(few_rows_of_halves_1_3), MK_FN(few_rows_of_halves_1_4)},
  [2] = {NULL, MK_FN(few_rows_of_halves_2_1), MK_FN(few_rows_of_halves_2_2), MK_FN(few_rows_of_halves_2_3), MK_FN(few_rows_of_halves_2_4)},
};

/// Computes `rows` <= 4 rows of `t->columns` columns, any number of panels, with the epilogue; `t->tap_count` is not used.
/// `panel_stride` is in floats' worth of memory. `is_half`: B consists of binary16 numbers, for up to `MK_HALVES_ROWS` rows.
void MK_FN(mk_few_rows)(const mk_tile *t, ptrdiff_t rows, ptrdiff_t panel_stride, int is_half) {
  // What the registers hold besides B's and A's vectors.
  static const signed char streams[5] = {0, 4, MK_LEVEL == 2 ? 4 : 2, MK_LEVEL == 2 ? 3 : 1, MK_LEVEL == 2 ? 3 : 1};
  mk_tile part = *t;
  while (part.columns > 0) {
    ptrdiff_t panels = mk_min(streams[rows], mk_divide_up(part.columns, NR));
    (is_half ? MK_FN(few_rows_of_halves) : MK_FN(few_rows))[rows][panels](&part, panel_stride);
    part.columns -= panels * NR;
    part.b += panels * panel_stride;
    part.c += panels * NR;
    if (part.bias != NULL) part.bias += panels * NR;
    if (part.residual != NULL) part.residual += panels * NR;
  }
}
