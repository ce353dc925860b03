#include "martlet_trees.h"

#include <assert.h>

#include "trees_types.h"

void mk_tree_ranks16(
  const int64_t *cuts, const mk_tree_column *columns, ptrdiff_t column_count, const void *x, int is_float, ptrdiff_t x_stride,
  ptrdiff_t rows, uint16_t *ranks, ptrdiff_t rank_stride) {
  assert(column_count >= 0 && column_count <= rank_stride && rows >= 0);
  MK_CALL_LEVEL(mk_tree_ranks16, cuts, columns, column_count, x, is_float, x_stride, rows, ranks, rank_stride);
}

void mk_tree_ranks32(
  const int64_t *cuts, const mk_tree_column *columns, ptrdiff_t column_count, const void *x, int is_float, ptrdiff_t x_stride,
  ptrdiff_t rows, uint32_t *ranks, ptrdiff_t rank_stride) {
  assert(column_count >= 0 && column_count <= rank_stride && rows >= 0);
  MK_CALL_LEVEL(mk_tree_ranks32, cuts, columns, column_count, x, is_float, x_stride, rows, ranks, rank_stride);
}

static void check(const mk_forest *forest, ptrdiff_t rows) {
  assert(forest->tree_count >= 0 && forest->dimension_count > 0 && rows >= 0);
  assert(forest->dimension_count == 1 ? forest->values != NULL : forest->starts != NULL);
  (void)forest, (void)rows;
}

void mk_forest_sum16(const mk_forest *forest, const uint16_t *ranks, ptrdiff_t rank_stride, ptrdiff_t rows, double *sums) {
  check(forest, rows);
  MK_CALL_LEVEL(mk_forest_sum16, forest, ranks, rank_stride, rows, sums);
}

void mk_forest_sum32(const mk_forest *forest, const uint32_t *ranks, ptrdiff_t rank_stride, ptrdiff_t rows, double *sums) {
  check(forest, rows);
  MK_CALL_LEVEL(mk_forest_sum32, forest, ranks, rank_stride, rows, sums);
}
