/// The interface between the micro-kernels and the kernels built on them.
#ifndef MARTLET_TILE_TYPES_H
#define MARTLET_TILE_TYPES_H

#include "../simd/levels.h"
#include "martlet_cpu.h"
#include "martlet_gemm.h"
#include "martlet_matvec.h"

/// One tile of a product: up to `MR` rows of A by one panel of B, summed over `tap_count` runs of `k` elements.
///
/// Element k of tap t in row i of A is `a[i * a_row_stride + tap_offsets[t] + k * a_k_stride]`. The rows of the panel are at a distance
/// of `b_k_stride`, with t as the outer index. In a split tile, the second half of the rows is `*_gap` elements further on.
typedef struct mk_tile {
  const float *a;
  ptrdiff_t a_row_stride, a_k_stride;
  const ptrdiff_t *tap_offsets;
  ptrdiff_t tap_count, k;
  const float *b;
  ptrdiff_t b_k_stride;
  /// Memory to prefetch: `prefetch_step` elements further on with each step of k; a step of 0 disables prefetching.
  const float *prefetch;
  ptrdiff_t prefetch_step;
  float *c;
  ptrdiff_t c_row_stride;
  /// Valid columns of the panel, from 1 to the panel width.
  ptrdiff_t columns;
  ptrdiff_t a_gap, c_gap, residual_gap;
  /// Not 0: sums start from C.
  int load_c;
  /// Not 0: apply the epilogue; 0: store the sums.
  int finish;
  /// Bias of the tile's first column, and residual of its first row and column. The pointers in the epilogue are not used.
  const float *bias;
  const float *residual;
  const mk_epilogue *epilogue;
} mk_tile;

typedef void (*mk_tile_function)(const mk_tile *);

/// The micro-kernels of one level.
typedef struct mk_tile_kernels {
  ptrdiff_t max_rows, panel_width;
  /// `[rows][0]` for at most half a panel of columns, `[rows][1]` for a whole panel.
  mk_tile_function tile[17][2];
  /// Two runs of `half` rows each.
  mk_tile_function split[9][2];
} mk_tile_kernels;

/// Functions of `linear_algebra/` for other kernels, once per level: the micro-kernels; late activations on a stored tile; packing of one
/// panel; products with at most four rows; the product of a vector and a matrix in place; the whole product.
#define MK_DECLARE_LEVEL(level)                                                                                              \
  extern const mk_tile_kernels mk_tiles_##level;                                                                             \
  void mk_activate_##level(float *c, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, const mk_epilogue *epilogue);  \
  void mk_pack_panel_##level(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns, \
                             const float *scale, float *packed);                                                             \
  void mk_few_rows_##level(const mk_tile *t, ptrdiff_t rows, ptrdiff_t panel_stride, int is_half);                            \
  void mk_matvec_f32_##level(const mk_matvec *m, ptrdiff_t panel0, ptrdiff_t panel1);                                        \
  void mk_gemm_f32_##level(const mk_gemm *g, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);
MK_DECLARE_LEVEL(portable)
MK_DECLARE_LEVEL(avx2)
MK_DECLARE_LEVEL(avx512)
MK_DECLARE_LEVEL(neon)

/// Returns 1 if the micro-kernels leave this activation to a second pass over the stored results.
static inline int mk_activation_is_late(int activation) { return activation >= MK_ACTIVATION_SILU; }

/// Returns 1 if the epilogue's activation exists.
static inline int mk_epilogue_is_valid(const mk_epilogue *epilogue) {
  return epilogue->activation >= MK_ACTIVATION_NONE && epilogue->activation <= MK_ACTIVATION_ELU;
}

/// Distance between copied rows of A with `k` steps, in floats. Rows start in different sets of the cache.
static inline ptrdiff_t mk_gemm_scaled_stride(ptrdiff_t k) { return (k + 15) / 16 * 16 + 16; }

static inline ptrdiff_t mk_min(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t mk_max(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }
static inline ptrdiff_t mk_divide_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b; }
static inline ptrdiff_t mk_round_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b * b; }

#endif
