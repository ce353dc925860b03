#include "martlet_trees.h"

#include <assert.h>

#include "trees_types.h"

void mk_tree_ranks16(
  const int64_t *cuts, ptrdiff_t cut_count, const void *x, int is_float, ptrdiff_t x_stride, ptrdiff_t rows, uint16_t missing,
  uint16_t *ranks, ptrdiff_t rank_stride) {
  assert(cut_count >= 0 && cut_count < UINT16_MAX - 1 && rows >= 0);
  MK_CALL_LEVEL(mk_tree_ranks16, cuts, cut_count, x, is_float, x_stride, rows, missing, ranks, rank_stride);
}

void mk_tree_ranks32(
  const int64_t *cuts, ptrdiff_t cut_count, const void *x, int is_float, ptrdiff_t x_stride, ptrdiff_t rows, uint32_t missing,
  uint32_t *ranks, ptrdiff_t rank_stride) {
  assert(cut_count >= 0 && cut_count < UINT32_MAX - 1 && rows >= 0);
  MK_CALL_LEVEL(mk_tree_ranks32, cuts, cut_count, x, is_float, x_stride, rows, missing, ranks, rank_stride);
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
