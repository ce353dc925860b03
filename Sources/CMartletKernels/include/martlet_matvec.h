/// Single-precision product of a vector and a matrix that is read in place.
#ifndef MARTLET_MATVEC_H
#define MARTLET_MATVEC_H

#include <stddef.h>

#include "martlet_dtype.h"
#include "martlet_gemm.h"

/// y[n] = epilogue(sum over k of x[k] * W[n, k]), with several sums for each row that are added in the end.
///
/// Use it if W takes part in few products: packing would read and write W once and keep a copy.
typedef struct mk_matvec {
  const float *_Nonnull x;
  ptrdiff_t x_stride;
  /// Element (n, k) is `weights[n * row_stride + k]` of type `dtype`: `MK_F32`, `MK_F16` or `MK_BF16`, aligned to the element.
  const void *_Nonnull weights;
  int dtype;
  ptrdiff_t row_stride;
  /// Contiguous. Must not overlap `x` or the weights.
  float *_Nonnull y;
  /// Length of the sum and of the result. If `k` is 0, sums are zero.
  ptrdiff_t k, n;
  mk_epilogue epilogue;
  /// Types of `x`, and of `y` and the residual: `MK_F32`, `MK_F16` or `MK_BF16`. The pointers point at such elements. An `x` that is not
  /// `MK_F32` has a stride of 1.
  int x_dtype, y_dtype;
} mk_matvec;

/// Computes the results of panels `panel0` ..< `panel1`, each `mk_gemm_panel_width()` wide. Calls on disjoint panels may run
/// concurrently.
void mk_matvec_f32(const mk_matvec *_Nonnull product, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
