#include "martlet_matvec.h"

#include <assert.h>

#include "tile_types.h"
#include "../simd/vector_includes.h"

void mk_matvec_f32(const mk_matvec *product, ptrdiff_t panel0, ptrdiff_t panel1) {
  assert(product->dtype == MK_F32 || product->dtype == MK_F16 || product->dtype == MK_BF16);
  assert(product->x_dtype == MK_F32 || product->x_stride == 1);
  assert(product->k >= 0 && product->n >= 0);
  assert(0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(product->n));
  assert(mk_epilogue_is_valid(&product->epilogue));
  MK_CALL_LEVEL(mk_matvec_f32, product, panel0, panel1);
}
