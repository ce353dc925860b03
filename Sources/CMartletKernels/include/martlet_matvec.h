/// Single-precision product of a vector with a matrix that is read where it lies.
#ifndef MARTLET_MATVEC_H
#define MARTLET_MATVEC_H

#include <stddef.h>

#include "martlet_dtype.h"
#include "martlet_gemm.h"

/// y[n] = epilogue(sum over k of x[k] * W[n, k]): what `mk_gemm_f32` computes of one row and W's packed transpose, to the bit.
///
/// Worth it where W serves few products: packing reads it once and writes it, and the copy needs memory.
typedef struct mk_matvec {
  const float *_Nonnull x;
  ptrdiff_t x_stride;
  /// Element (n, k) is `weights[n * row_stride + k]` of type `dtype`: `MK_F32`, `MK_F16` or `MK_BF16`, aligned to the element.
  const void *_Nonnull weights;
  int dtype;
  ptrdiff_t row_stride;
  /// Contiguous. Must not overlap `x` or the weights.
  float *_Nonnull y;
  /// Extents of the sum and of the result; `k` = 0 gives sums of zero.
  ptrdiff_t k, n;
  mk_epilogue epilogue;
} mk_matvec;

/// Computes the results of panels `panel0` ..< `panel1`, of `mk_gemm_panel_width()` each. Calls on disjoint panels may run at the same
/// time.
void mk_matvec_f32(const mk_matvec *_Nonnull product, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
