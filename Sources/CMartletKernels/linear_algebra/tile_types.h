/// The interface between the micro-kernels and the kernels built on them.
#ifndef MARTLET_TILE_TYPES_H
#define MARTLET_TILE_TYPES_H

#include "../simd/levels.h"
#include "martlet_cpu.h"
#include "martlet_gemm.h"
#include "martlet_stored.h"

static inline ptrdiff_t mk_min(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t mk_max(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }
static inline ptrdiff_t mk_divide_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b; }
static inline ptrdiff_t mk_round_up(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b * b; }

/// Panels in each of the groups of nearly equal size into which `count` panels are divided: about `usual`, at most `mk_largest_group`. A short
/// last group would not repay the pass over the rows of A.
static inline ptrdiff_t mk_even_group(ptrdiff_t count, ptrdiff_t usual) {
  return mk_divide_up(count, mk_max(1, (count + usual / 2) / usual));
}

/// Maximum of `mk_even_group` over all counts: half as many panels again as usual.
static inline ptrdiff_t mk_largest_group(ptrdiff_t usual) { return mk_divide_up(3 * usual, 2); }

/// For `count` bytes that are about to be read as a part of one long stream: fetches the beginnings of pages ahead into the L2 cache. The processor
/// follows a stream by itself, but only to the end of a page of 4 KiB. To start anew in each page costs a tenth of the bandwidth (Zen 4).
static inline void mk_prefetch_pages(const void *stream, ptrdiff_t count) {
  const uintptr_t start = (uintptr_t)stream, ahead = 8192;
  for (uintptr_t page = (start + 4095) / 4096 * 4096; page < start + (uintptr_t)count; page += 4096) {
    __builtin_prefetch((const void *)(page + ahead), 0, 2);
    __builtin_prefetch((const void *)(page + ahead + 64), 0, 2);
  }
}

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
  /// Binary16 numbers for later tiles, which the kernels in `converting` convert to float32, one vector with each step of k. `convert_count`
  /// counts vectors, of which a kernel converts at most `mk_tile_steps`.
  const uint16_t *convert_from;
  float *convert_to;
  ptrdiff_t convert_count;
  /// Rows of A for a later tile, which the kernels in `copying` copy, one vector with each step of k: `copy_rows` <= `MR` rows of `k` numbers,
  /// `copy_from_stride` and `copy_to_stride` apart. `k` is a multiple of `LANES`.
  const float *copy_from;
  float *copy_to;
  ptrdiff_t copy_rows, copy_from_stride, copy_to_stride;
  /// For the kernels in `converting`: C and the residual consist of binary16 numbers. Columns are then whole vectors, except with
  /// AVX-512, and the activation is not late.
  int c_is_half;
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

/// Value of `c_is_half` for results of type `dtype`.
#define MK_STORES_HALVES(dtype, epilogue) ((dtype) == MK_F16 && !mk_activation_is_late((epilogue)->activation))

/// The micro-kernels of one level.
typedef struct mk_tile_kernels {
  ptrdiff_t max_rows, panel_width;
  /// `[rows][0]` for at most half a panel of columns, `[rows][1]` for a whole panel.
  mk_tile_function tile[17][2];
  /// Two runs of `half` rows each.
  mk_tile_function split[9][2];
  /// As `tile`, converting numbers for later tiles besides; NULL for tiles that are too small to hide it. These have a function in
  /// `of_halves` that reads a B of binary16 numbers, except tiles of one or two rows.
  mk_tile_function converting[17][2], of_halves[17][2];
  /// As `tile[rows][1]`, copying rows for a later tile besides; NULL for tiles that are too small to hide it.
  mk_tile_function copying[17];
} mk_tile_kernels;

/// Rows of the highest tile of the level in use.
ptrdiff_t mk_gemm_tile_rows(void);

/// Steps of k in a tile.
static inline ptrdiff_t mk_tile_steps(const mk_tile *t) { return t->tap_count * t->k; }

/// Functions of `linear_algebra/` for other kernels, once per level: the micro-kernels; late activations on a stored tile; elements
/// to float32 and back; a tile whose results are stored through memory as elements of another type (see `tile_dispatch`), the description of which
/// changes only during the call; packing of one panel; products with at most four rows; the product of a vector and a matrix in place; the
/// whole product; products with integers.
#define MK_DECLARE_LEVEL(level)                                                                                              \
  extern const mk_tile_kernels mk_tiles_##level;                                                                             \
  void mk_activate_##level(float *c, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, const mk_epilogue *epilogue);  \
  void mk_widen_##level(const void *from, int dtype, ptrdiff_t count, float *to);                                            \
  void mk_narrow_##level(const float *from, ptrdiff_t from_stride, ptrdiff_t rows, ptrdiff_t columns, int dtype, float *to,   \
                         ptrdiff_t stride);                                                                                  \
  void mk_run_tile_##level(mk_tile *t, ptrdiff_t rows, ptrdiff_t half, int dtype, int b_is_half);                            \
  void mk_pack_panel_##level(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns, \
                             const float *scale, float *packed);                                                             \
  void mk_few_rows_##level(const mk_tile *t, ptrdiff_t rows, ptrdiff_t panel_stride, int is_half, int dtype);                            \
  void mk_gemm_f32_##level(const mk_gemm *g, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);                \
  void mk_stored_arrange_row_##level(const mk_stored_matrix *w, const void *x, ptrdiff_t stride, int dtype, float *to);      \
  void mk_stored_product_##level(const mk_stored_product *p, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1); \
  void mk_stored_pack_panel_##level(const mk_stored_matrix *w, ptrdiff_t panel, ptrdiff_t k0, ptrdiff_t k1, float *packed);
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

/// Returns 1 if rows of float32 numbers `stride` numbers apart share sets of the L1 cache: they are a multiple of 4,096 bytes apart.
static inline int mk_shares_sets(ptrdiff_t stride) { return stride % 1024 == 0; }

/// Distance between copied rows of A with `k` steps, in floats. Rows start in different sets of the cache.
static inline ptrdiff_t mk_gemm_copied_stride(ptrdiff_t k) { return mk_round_up(k, 16) + 16; }

/// Rows of A that are copied at a time: a multiple of the rows of a tile, a few of which are copied whatever their length.
static inline ptrdiff_t mk_gemm_copied_rows(ptrdiff_t k, ptrdiff_t tile_rows) {
  const ptrdiff_t floats = mk_max(96 * 1024, mk_cache_block_bytes() / (ptrdiff_t)sizeof(float)), tiles = 4;
  return mk_max(tiles, floats / (mk_gemm_copied_stride(k) * tile_rows)) * tile_rows;
}

/// Number of the `panels` panels of binary16 numbers that a product converts at a time: all of them if they fit a half of the L2 cache, otherwise
/// the one in use and the next one.
static inline ptrdiff_t mk_gemm_converted_panels(ptrdiff_t k, ptrdiff_t panels, ptrdiff_t panel_width) {
  const ptrdiff_t fitting = mk_cache_block_bytes() / (ptrdiff_t)sizeof(float) / mk_max(1, k * panel_width);
  return panels <= mk_max(2, fitting) ? panels : 2;
}

/// Packs `columns` columns of one panel as `mk_pack_panel` does, as binary16 numbers.
void mk_pack_panel_of_halves(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns,
                             uint16_t *packed);

/// Address of element `index` of elements of type `MK_F32`, `MK_F16` or `MK_BF16`.
static inline float *mk_element(const float *p, ptrdiff_t index, int dtype) {
  return (float *)(uintptr_t)((const char *)p + index * (dtype == MK_F32 ? 4 : 2));
}

/// The same for an address that may be NULL, which stays NULL.
static inline const float *mk_optional_element(const float *p, ptrdiff_t index, int dtype) {
  return p == NULL ? NULL : mk_element(p, index, dtype);
}

#endif
