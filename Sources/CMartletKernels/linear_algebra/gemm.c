#include "martlet_gemm.h"

#include <assert.h>

#include "martlet_convert.h"
#include "tile_types.h"
#include "../simd/vector_includes.h"

static const mk_tile_kernels *kernels(void) {
#if MK_HAS_X86_LEVELS
  switch (mk_isa()) {
    case MK_ISA_AVX512: return &mk_tiles_avx512;
    case MK_ISA_AVX2: return &mk_tiles_avx2;
    default: break;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) return &mk_tiles_neon;
#endif
  return &mk_tiles_portable;
}

ptrdiff_t mk_gemm_panel_width(void) { return kernels()->panel_width; }

ptrdiff_t mk_gemm_tile_rows(void) { return kernels()->max_rows; }

ptrdiff_t mk_gemm_panel_count(ptrdiff_t n) { return mk_divide_up(n, mk_gemm_panel_width()); }

ptrdiff_t mk_gemm_packed_count(ptrdiff_t k, ptrdiff_t n) { return mk_gemm_panel_count(n) * mk_gemm_panel_width() * k; }

void mk_gemm_pack_b(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t panel0,
                    ptrdiff_t panel1, const float *column_scale, float *packed) {
  assert(dtype == MK_F32 || dtype == MK_F64 || dtype == MK_F16 || dtype == MK_BF16);
  assert(k >= 0 && n >= 0 && 0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(n));
  ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    ptrdiff_t column = panel * width;
    const void *start = (const char *)b + column * n_stride * size;
    const float *scale = column_scale == NULL ? NULL : column_scale + column;
    MK_CALL_LEVEL(mk_pack_panel, start, dtype, k_stride, n_stride, k, mk_min(n - column, width), scale, packed + column * k);
  }
}

void mk_pack_panel_of_halves(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t columns,
                             uint16_t *packed) {
  // Rows of the widest panel that are packed as floats at a time.
  float rows[64 * 32] __attribute__((aligned(64)));
  const ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype), most = (ptrdiff_t)(sizeof rows / sizeof *rows) / width;
  for (ptrdiff_t i = 0; i < k; i += most) {
    const ptrdiff_t count = mk_min(most, k - i);
    MK_CALL_LEVEL(mk_pack_panel, (const char *)b + i * k_stride * size, dtype, k_stride, n_stride, count, columns, NULL, rows);
    mk_convert(MK_F32, rows, 1, MK_F16, packed + i * width, count * width);
  }
}

void mk_gemm_pack_halves(const void *b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t panel0,
                         ptrdiff_t panel1, uint16_t *packed) {
  assert(k >= 0 && n >= 0 && 0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(n));
  const ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype);
  for (ptrdiff_t panel = panel0; panel < panel1; panel++) {
    const ptrdiff_t column = panel * width;
    mk_pack_panel_of_halves((const char *)b + column * n_stride * size, dtype, k_stride, n_stride, k, mk_min(n - column, width),
                            packed + column * k);
  }
}

ptrdiff_t mk_gemm_rows_at_once(ptrdiff_t k) { return mk_gemm_copied_rows(k, mk_gemm_tile_rows()); }

ptrdiff_t mk_gemm_scratch_count(ptrdiff_t k, ptrdiff_t n, ptrdiff_t rows, int copies_a, int b_is_half) {
  const ptrdiff_t width = mk_gemm_panel_width();
  ptrdiff_t count = b_is_half ? mk_gemm_converted_panels(k, mk_gemm_panel_count(n), width) * k * width : 0;
  return copies_a ? count + mk_min(rows, mk_gemm_rows_at_once(k)) * mk_gemm_copied_stride(k) : count;
}

void mk_gemm_f32(const mk_gemm *gemm, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(gemm->k >= 0 && gemm->n >= 0 && 0 <= m0 && m0 <= m1);
  assert(0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(gemm->n));
  assert(mk_epilogue_is_valid(&gemm->epilogue));
  assert(gemm->scratch != NULL || (gemm->a_scale == NULL && gemm->a_dtype == MK_F32 && (!gemm->b_is_half || m1 - m0 <= MK_HALVES_ROWS)));
  assert(!gemm->accumulate || gemm->c_dtype == MK_F32);
  if (m0 == m1 || panel0 == panel1) return;
  MK_CALL_LEVEL(mk_gemm_f32, gemm, m0, m1, panel0, panel1);
}
