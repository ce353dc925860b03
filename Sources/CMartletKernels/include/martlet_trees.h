/// Decision trees, walked for many rows at once.
///
/// Inputs are ranks instead of numbers: the rank of a number in a column tells which of the column's sorted cuts are below it, so that
/// comparing ranks is comparing numbers, exactly. Numbers are compared by keys, integers in the same order, so that denormal numbers count
/// whatever the processor's mode: the bits of a number that is not negative, and the bits of a negative one with all but the sign inverted.
/// Both zeros have the key 0.
#ifndef MARTLET_TREES_H
#define MARTLET_TREES_H

#include <stddef.h>
#include <stdint.h>

/// A node with 16-bit ranks. The next node is `left` if the rank in `column` is at most `cut`, else `left + 1`. A leaf has the cut
/// UINT16_MAX and is its own `left`.
typedef struct mk_tree_node16 {
  uint16_t cut;
  uint16_t column;
  uint32_t left;
} mk_tree_node16;

/// A node with 32-bit ranks; a leaf has the cut UINT32_MAX.
typedef struct mk_tree_node32 {
  uint32_t cut;
  uint32_t column;
  uint32_t left;
} mk_tree_node32;

/// Bytes after ranks that walks may read.
#define MK_TREE_RANK_PADDING 2

/// Trees in sequence. All indices are in range, and every walk ends at a leaf.
typedef struct mk_forest {
  /// `mk_tree_node16` or `mk_tree_node32`.
  const void *_Nonnull nodes;
  ptrdiff_t node_count;
  /// The first node of each tree, and the length of its longest walk.
  const uint32_t *_Nonnull roots;
  const uint32_t *_Nonnull depths;
  ptrdiff_t tree_count;
  /// The values of nodes for a prediction with one dimension; NULL for more.
  const double *_Nullable values;
  /// For more dimensions: leaf `n` adds `entries[e]` to dimension `dimensions[e]` for each e from `starts[n]` to `starts[n + 1]`. If
  /// `dimensions` is NULL, each leaf has an entry for every dimension in order.
  const uint32_t *_Nullable starts;
  const uint32_t *_Nullable dimensions;
  const double *_Nullable entries;
  ptrdiff_t dimension_count;
  /// True to gather the nodes and ranks of many walks by one instruction, where the level has one. Sums are the same.
  int gathers;
} mk_forest;

/// A column of ranks: the numbers of the input's column `source`, compared with `count` cuts from `start`.
typedef struct mk_tree_column {
  ptrdiff_t source;
  ptrdiff_t start;
  ptrdiff_t count;
  /// True if NaN is smaller than all numbers and has the rank 0; otherwise it has the largest one.
  ptrdiff_t missing_is_low;
} mk_tree_column;

/// Writes the ranks of the numbers of each column, `x[row * x_stride + source]`, to `ranks[row * rank_stride + column]`: one more than the
/// number of the column's cuts below the number. `cuts` are keys of numbers in double precision, ascending in each column.
/// - is_float: true if `x` points to single precision.
void mk_tree_ranks16(
  const int64_t *_Nonnull cuts, const mk_tree_column *_Nonnull columns, ptrdiff_t column_count, const void *_Nonnull x, int is_float,
  ptrdiff_t x_stride, ptrdiff_t rows, uint16_t *_Nonnull ranks, ptrdiff_t rank_stride);
void mk_tree_ranks32(
  const int64_t *_Nonnull cuts, const mk_tree_column *_Nonnull columns, ptrdiff_t column_count, const void *_Nonnull x, int is_float,
  ptrdiff_t x_stride, ptrdiff_t rows, uint32_t *_Nonnull ranks, ptrdiff_t rank_stride);

/// Adds the values of the leaves that each row reaches to `sums[row * dimension_count]`, tree by tree in order.
/// - ranks: `rank_stride` for each row, and `MK_TREE_RANK_PADDING` readable bytes after the last one.
void mk_forest_sum16(
  const mk_forest *_Nonnull forest, const uint16_t *_Nonnull ranks, ptrdiff_t rank_stride, ptrdiff_t rows, double *_Nonnull sums);
void mk_forest_sum32(
  const mk_forest *_Nonnull forest, const uint32_t *_Nonnull ranks, ptrdiff_t rank_stride, ptrdiff_t rows, double *_Nonnull sums);

#endif
