/// Single-precision matrix product with packed right-hand side, and the epilogue that it shares with the convolutions.
#ifndef MARTLET_GEMM_H
#define MARTLET_GEMM_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

/// The function applied last to each result v. All propagate NaN, except hard-swish with a finite `lo`.
enum mk_activation {
  MK_ACTIVATION_NONE = 0,
  /// min(max(v, lo), hi); ReLU is lo = 0, hi = infinity.
  MK_ACTIVATION_CLAMP = 1,
  /// w * min(max(w + 3, 0), 6) / 6 with w = v > lo ? v : lo; hard-swish is lo = -infinity.
  MK_ACTIVATION_HARDSWISH = 2,
  /// min(max(v + 3, 0), 6) / 6.
  MK_ACTIVATION_HARDSIGMOID = 3,
  /// v for v > 0, else v * lo.
  MK_ACTIVATION_LEAKY_RELU = 4,
  /// v * sigmoid(v).
  MK_ACTIVATION_SILU = 5,
  MK_ACTIVATION_SIGMOID = 6,
  MK_ACTIVATION_TANH = 7,
  /// v * (1 + erf(v / sqrt 2)) / 2.
  MK_ACTIVATION_GELU_ERF = 8,
  /// v * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))) / 2.
  MK_ACTIVATION_GELU_TANH = 9,
  /// v for v > 0, else lo * (e^v - 1).
  MK_ACTIVATION_ELU = 10,
};

/// Operations applied to an accumulated sum before it is stored:
///     v = alpha * sum + bias;  v += residual;  v = activation(v).
/// For a plain product, `alpha` is 1 and everything else is zero.
typedef struct mk_epilogue {
  /// One value per column (output channel), or NULL.
  const float *_Nullable bias;
  /// A matrix of the result's shape and type, added before the activation, or NULL. It may be the result itself (same address and strides;
  /// the old values are added); otherwise it must not overlap the result.
  const float *_Nullable residual;
  /// Elements from one row (pixel) of `residual` to the next.
  ptrdiff_t residual_row_stride;
  /// An `mk_activation`.
  int activation;
  /// Parameters of the activation.
  float lo, hi;
  float alpha;
} mk_epilogue;

/// Columns of one packed panel: 32 with AVX-512, 16 with AVX2, else 8. Constant in a process.
ptrdiff_t mk_gemm_panel_width(void);

/// Number of panels for `n` columns.
ptrdiff_t mk_gemm_panel_count(ptrdiff_t n);

/// Size of a packed matrix of `k` rows and `n` columns, in floats.
ptrdiff_t mk_gemm_packed_count(ptrdiff_t k, ptrdiff_t n);

/// Packs panels `panel0` ..< `panel1` of the K x N matrix B into `packed`, the buffer of the whole matrix.
///
/// Layout: [panel][k][column of the panel]; columns beyond `n` are zero. Element (k, n) of B is `b[k * k_stride + n * n_stride]` of
/// type `dtype`: `MK_F32`, `MK_F64`, `MK_F16` or `MK_BF16`; `b` need not be aligned. Fast if one of the strides is 1. `column_scale`, if
/// not NULL, has one factor for each of the `n` columns. Calls on disjoint panels may run concurrently. For speed, align `packed` to 64
/// bytes: products are several per cent slower if its rows straddle cache lines.
void mk_gemm_pack_b(
  const void *_Nonnull b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t panel0,
  ptrdiff_t panel1, const float *_Nullable column_scale, float *_Nonnull packed);

/// Maximum number of rows of A for which a B of binary16 numbers is read as several streams.
#define MK_HALVES_ROWS 2

/// As `mk_gemm_pack_b`, but packs binary16 numbers in the same layout; exact if B consists of binary16 numbers. The whole matrix takes
/// 2 * `mk_gemm_packed_count` bytes.
void mk_gemm_pack_halves(
  const void *_Nonnull b, int dtype, ptrdiff_t k_stride, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t panel0,
  ptrdiff_t panel1, uint16_t *_Nonnull packed);

/// C[m, n] = epilogue(sum over k of A[m, k] * B[k, n]).
typedef struct mk_gemm {
  /// Element (m, k) of A is `a[m * a_row_stride + k * a_k_stride]`. A stride of 1 along k is fastest; a stride of 1 along m is
  /// almost as fast.
  const float *_Nonnull a;
  ptrdiff_t a_row_stride, a_k_stride;
  /// B packed by `mk_gemm_pack_b`, or by `mk_gemm_pack_halves` if `b_is_half`.
  const float *_Nonnull b;
  int b_is_half;
  /// Row-major; its columns are contiguous. Must not overlap A or B.
  float *_Nonnull c;
  ptrdiff_t c_row_stride;
  /// Length of the sum and of a row of C. If `k` is 0, sums are zero.
  ptrdiff_t k, n;
  /// Not 0: sums start from the current values of C, which is then float32.
  int accumulate;
  mk_epilogue epilogue;
  /// `k` factors applied to the columns of A (each product is rounded) before summation, or NULL.
  const float *_Nullable a_scale;
  /// `mk_gemm_scratch_count` floats; may be NULL if that is 0. For speed, align it to 64 bytes.
  float *_Nullable scratch;
  /// Types of A, and of C and the residual: `MK_F32`, `MK_F16` or `MK_BF16`. The pointers point at such elements; strides count them.
  /// Sums are float32 and rounded once. Types other than `MK_F32` are converted in `scratch`; A should then have a stride of 1 along k.
  int a_dtype, c_dtype;
  /// Not 0: `scratch` still holds the converted rows of the last call, which had the same A, `m0` and `m1`.
  int a_is_in_scratch;
} mk_gemm;

/// Scratch memory for one call of `mk_gemm_f32` with up to `rows` rows, in floats. `copies_a`: A is scaled or not float32.
ptrdiff_t mk_gemm_scratch_count(ptrdiff_t k, ptrdiff_t n, ptrdiff_t rows, int copies_a, int b_is_half);

/// Largest number of rows of A that one call converts or scales at a time. More rows are split into parts, each of which converts B again.
ptrdiff_t mk_gemm_rows_at_once(ptrdiff_t k);

/// Computes rows `m0` ..< `m1` of panels `panel0` ..< `panel1`. Calls on disjoint parts of C may run concurrently. The last bits of
/// an element may depend on the ranges (the order of summation over k is the same, the rounding of partial sums is not). To get the same
/// bits for any number of threads, always split in the same way.
void mk_gemm_f32(const mk_gemm *_Nonnull gemm, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
