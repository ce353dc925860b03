/// Single-precision products with a matrix of floats, or of integers and scales, that is read where it lies.
#ifndef MARTLET_STORED_H
#define MARTLET_STORED_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"
#include "martlet_gemm.h"

/// A matrix of `n` rows of `k` numbers: floats, or integers where number (n, k) is `(integer - zero point) * scale`, with a scale and a
/// zero point for each `block` steps of a row.
typedef struct mk_stored_matrix {
  /// Row n begins at byte `n * row_bytes`. 4-bit integers: two in a byte, even steps in the low half. Floats are aligned to their size.
  const uint8_t *_Nullable values;
  ptrdiff_t row_bytes;
  /// `MK_F32`, `MK_F16` or `MK_BF16`; or `MK_I8` or `MK_U8`, also for 4-bit integers.
  int dtype;
  /// Bits of an element: 4, 8, 16 or 32.
  int bits;
  ptrdiff_t n, k;
  /// Divides `k`. Floats: `k`, at least 1.
  ptrdiff_t block;
  /// Element `n * scale_row_stride + block` of type `scale_dtype`: `MK_F32`, `MK_F16` or `MK_BF16`. A stride of 0: all rows share them. NULL
  /// for floats.
  const void *_Nullable scales;
  int scale_dtype;
  ptrdiff_t scale_row_stride;
  /// At the same positions, of type `MK_F32`, `MK_I8` or `MK_U8`; or NULL.
  const void *_Nullable zero_points;
  int zero_dtype;
  /// Added to every zero point.
  float zero_point;
} mk_stored_matrix;

/// Maximum number of rows for which `mk_stored_product` is the faster of the two products with a matrix of this type.
ptrdiff_t mk_stored_rows(int dtype);

/// Size of a row arranged by `mk_stored_arrange_row`, in floats: a multiple of 16.
ptrdiff_t mk_stored_arranged_count(const mk_stored_matrix *_Nonnull matrix);

/// Arranges a row of `k` elements of type `dtype` (`MK_F32`, `MK_F16`, `MK_BF16`) for products with the matrix, whose pointers are not used.
void mk_stored_arrange_row(const mk_stored_matrix *_Nonnull matrix, const void *_Nonnull x, ptrdiff_t stride, int dtype, float *_Nonnull arranged);

/// C[m, n] = epilogue(sum over k of A[m, k] * W[n, k]), for few rows: the matrix is converted in registers, anew for every few rows.
typedef struct mk_stored_product {
  mk_stored_matrix matrix;
  /// Arranged rows.
  const float *_Nullable a;
  ptrdiff_t a_row_stride;
  /// Contiguous columns of type `c_dtype`, as the residual: `MK_F32`, `MK_F16` or `MK_BF16`. The pointers point at such elements.
  float *_Nullable c;
  ptrdiff_t c_row_stride;
  int c_dtype;
  mk_epilogue epilogue;
} mk_stored_product;

/// Computes rows `m0` ..< `m1` of panels `panel0` ..< `panel1`, each `mk_gemm_panel_width()` columns of C wide. Calls on disjoint parts may
/// run concurrently. Reads nothing beyond the matrix.
void mk_stored_product_run(const mk_stored_product *_Nonnull product, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);

/// Floats of `panels` that `mk_stored_gemm` needs.
ptrdiff_t mk_stored_gemm_count(ptrdiff_t k);

/// As `mk_gemm_f32`, for many rows: a few panels of the matrix at a time are packed into `panels`. `gemm->b` is not used. For speed, align
/// `panels` to 64 bytes. `rows` is the number of all rows of A: the order of summation depends on it, but not on the parts that calls compute.
void mk_stored_gemm(const mk_gemm *_Nonnull gemm, const mk_stored_matrix *_Nonnull matrix, float *_Nonnull panels, ptrdiff_t rows, ptrdiff_t m0,
                    ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
