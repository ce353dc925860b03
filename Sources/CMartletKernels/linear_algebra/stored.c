#include "martlet_stored.h"

#include <assert.h>

#include "tile_types.h"
#include "../simd/vector_includes.h"

static int is_valid(const mk_stored_matrix *w) {
  if (w->n < 0 || w->k < 0 || w->block <= 0 || w->k % w->block != 0) return 0;
  if (w->bits > 8)
    return w->bits == 8 * mk_dtype_size(w->dtype) && (w->dtype == MK_F32 || w->dtype == MK_F16 || w->dtype == MK_BF16) &&
           w->block == mk_max(w->k, 1) && w->scales == NULL && w->zero_points == NULL && w->zero_point == 0 && w->row_bytes * 8 % w->bits == 0;
  return (w->bits == 8 || w->bits == 4) && (w->dtype == MK_I8 || w->dtype == MK_U8) &&
         (w->scale_dtype == MK_F32 || w->scale_dtype == MK_F16 || w->scale_dtype == MK_BF16) &&
         (w->zero_points == NULL || w->zero_dtype == MK_F32 || w->zero_dtype == MK_I8 || w->zero_dtype == MK_U8);
}

// Measured: packing a block costs as much as the conversions of a few more rows.
ptrdiff_t mk_stored_rows(int dtype) {
  switch (dtype) {
    case MK_F32: return 12;
    case MK_F16: case MK_BF16: return 16;
    default: return 8;
  }
}

// 4-bit integers take nine numbers for eight of a row, in whole chunks of any level. Other rows take an odd number of cache lines: those at a
// distance of a multiple of 4 KiB would compete for the same lines of the L1 cache.
ptrdiff_t mk_stored_arranged_count(const mk_stored_matrix *w) {
  return w->bits == 4 ? mk_round_up(w->k, 128) / 8 * 9 : mk_round_up(w->k, 32) + 16;
}

void mk_stored_arrange_row(const mk_stored_matrix *w, const void *x, ptrdiff_t stride, int dtype, float *arranged) {
  assert(is_valid(w));
  assert(dtype == MK_F32 || dtype == MK_F16 || dtype == MK_BF16);
  MK_CALL_LEVEL(mk_stored_arrange_row, w, x, stride, dtype, arranged);
}

void mk_stored_product_run(const mk_stored_product *p, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(is_valid(&p->matrix));
  assert(0 <= m0 && m0 <= m1 && 0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(p->matrix.n));
  assert(mk_epilogue_is_valid(&p->epilogue));
  MK_CALL_LEVEL(mk_stored_product, p, m0, m1, panel0, panel1);
}

/// Packs steps `k0` ..< `k1` of panels of the transpose of the matrix in single precision, as `mk_gemm_pack_b` does. `k0` is a multiple of 32.
/// `packed` is the buffer of panel `panel0`.
static void pack(const mk_stored_matrix *w, ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t panel0, ptrdiff_t panel1, float *packed) {
  const ptrdiff_t width = mk_gemm_panel_width(), count = (k1 - k0) * width;
  if (w->bits > 8) {
    const ptrdiff_t first = mk_min(panel0 * width, w->n), size = w->bits / 8;
    mk_gemm_pack_b(w->values + first * w->row_bytes + k0 * size, w->dtype, 1, w->row_bytes / size, k1 - k0, w->n - first, 0, panel1 - panel0, NULL,
                   packed);
    return;
  }
  for (ptrdiff_t panel = panel0; panel < panel1; panel++)
    MK_CALL_LEVEL(mk_stored_pack_panel, w, panel, k0, k1, packed + (panel - panel0) * count);
}

/// Panels of `depth` steps that are usually packed together: they stay in the L2 cache.
static ptrdiff_t panels_at_a_time(ptrdiff_t depth) {
  const ptrdiff_t bytes = mk_max(1, depth * mk_gemm_panel_width() * (ptrdiff_t)sizeof(float));
  return mk_min(mk_max(1, mk_cache_block_bytes() / bytes), 64);
}

/// Steps of k that are packed together if results hold partial sums: few, so that more panels share a part of A while it is in the cache.
/// Fewer rows do not repay that the matrix is read in shorter runs (measured on Zen 4).
static ptrdiff_t block_depth(ptrdiff_t k, ptrdiff_t rows) {
  enum { most = 640, fewest_rows = 128 };
  return k <= most || rows < fewest_rows ? k : mk_round_up(mk_divide_up(k, mk_divide_up(k, most)), 32);
}

ptrdiff_t mk_stored_gemm_count(ptrdiff_t k) {
  const ptrdiff_t depth = block_depth(k, PTRDIFF_MAX);
  return mk_max(mk_largest_group(panels_at_a_time(k)) * k, mk_largest_group(panels_at_a_time(depth)) * depth) * mk_gemm_panel_width();
}

void mk_stored_gemm(const mk_gemm *gemm, const mk_stored_matrix *w, float *panels, ptrdiff_t rows, ptrdiff_t m0, ptrdiff_t m1,
                    ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(is_valid(w) && 0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(w->n));
  assert(gemm->n == w->n && gemm->k == w->k && !gemm->b_is_half && m1 <= rows);
  // Other types would round partial sums.
  const ptrdiff_t depth = gemm->c_dtype == MK_F32 ? block_depth(w->k, rows) : w->k;
  const ptrdiff_t width = mk_gemm_panel_width(), group = mk_even_group(panel1 - panel0, panels_at_a_time(depth));
  const int adds_result = gemm->epilogue.residual != NULL && gemm->epilogue.residual == gemm->c;
  for (ptrdiff_t panel = panel0; panel < panel1; panel += group) {
    const ptrdiff_t count = mk_min(group, panel1 - panel), column = panel * width;
    ptrdiff_t k0 = 0;
    do {
      const ptrdiff_t k1 = mk_min(k0 + depth, w->k);
      pack(w, k0, k1, panel, panel + count, panels);
      mk_gemm part = *gemm;
      part.a = mk_element(gemm->a, k0 * gemm->a_k_stride, gemm->a_dtype);
      if (gemm->a_scale != NULL) part.a_scale = gemm->a_scale + k0;
      part.b = panels;
      part.k = k1 - k0;
      part.n = mk_min(gemm->n - column, count * width);
      part.c = mk_element(gemm->c, column, gemm->c_dtype);
      // A residual in the result itself is added with every block, so that it stays there.
      part.accumulate = gemm->accumulate || (k0 > 0 && !adds_result);
      part.epilogue.residual = mk_optional_element(gemm->epilogue.residual, column, gemm->c_dtype);
      if (gemm->epilogue.bias != NULL) part.epilogue.bias = gemm->epilogue.bias + column;
      if (k1 < w->k) {
        part.epilogue.bias = NULL;
        part.epilogue.activation = MK_ACTIVATION_NONE;
        if (!adds_result) {
          part.epilogue.residual = NULL;
          part.epilogue.alpha = 1;
        }
      }
      mk_gemm_f32(&part, m0, m1, 0, count);
      k0 = k1;
    } while (k0 < w->k);
  }
}
