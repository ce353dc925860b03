/// Declarations shared by the files of `estimators/`.
#ifndef MARTLET_TREES_TYPES_H
#define MARTLET_TREES_TYPES_H

#include "../simd/levels.h"
#include "martlet_trees.h"

#define MK_DECLARE_TREES(level, bits)                                                                                   \
  void mk_tree_ranks##bits##_##level(                                                                                   \
    const int64_t *cuts, const mk_tree_column *columns, ptrdiff_t column_count, const void *x, int is_float,             \
    ptrdiff_t x_stride, ptrdiff_t rows, uint##bits##_t *ranks, ptrdiff_t rank_stride);                                  \
  void mk_forest_sum##bits##_##level(                                                                                   \
    const mk_forest *forest, const uint##bits##_t *ranks, ptrdiff_t rank_stride, ptrdiff_t rows, double *sums);
#define MK_DECLARE_TREES_LEVEL(level) MK_DECLARE_TREES(level, 16) MK_DECLARE_TREES(level, 32)
MK_DECLARE_TREES_LEVEL(portable)
MK_DECLARE_TREES_LEVEL(avx2)
MK_DECLARE_TREES_LEVEL(avx512)
MK_DECLARE_TREES_LEVEL(neon)

#endif
