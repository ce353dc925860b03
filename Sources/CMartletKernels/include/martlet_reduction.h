/// Reductions of matrices along rows or columns. Joining axes turns a reduction of a tensor into this form.
#ifndef MARTLET_REDUCE_H
#define MARTLET_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// Reductions. Results for no elements: sums 0, `PROD` 1, `ANY` 0, `ALL` 1, `MAX` the lowest value of the type (-inf), `MIN` the highest
/// (inf).
///
/// - `MAX`, `MIN`: NaN if any element is NaN.
/// - `ANY`, `ALL`: 1 or 0 in the element type; elements that are `!= 0` are true, including NaN.
/// - int64 wraps around.
/// - float sums use many partial sums and add blocks in double precision: the error is a few ulp of the sum of absolute values for any
///   count. `double` sums add blocks with compensation.
#define MK_REDUCE_OPS(X)                                                                                                        \
  X(SUM, sum)                                                                                                                   \
  X(SUM_ABS, sum_abs)                                                                                                           \
  X(SUM_SQUARES, sum_squares)                                                                                                   \
  X(PROD, prod)                                                                                                                 \
  X(MAX, max)                                                                                                                   \
  X(MIN, min)                                                                                                                   \
  X(ANY, any)                                                                                                                   \
  X(ALL, all)

enum mk_reduce_op {
#define MK_X(upper, lower) MK_REDUCE_##upper,
  MK_REDUCE_OPS(MK_X)
#undef MK_X
      MK_REDUCE_COUNT
};

/// The lower-case name of a `mk_reduce_op`; NULL for anything else.
const char *_Nullable mk_reduce_name(int op);

/// `y[r]` = the reduction of row `r` of `x`, which has `rows` rows of `cols` contiguous elements, `row_stride` apart.
void mk_reduce_rows_f32(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, float *y);
void mk_reduce_rows_f64(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, double *y);
void mk_reduce_rows_i64(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const int64_t *x, int64_t *y);

/// `y[c]` = the reduction of column `c` of the same matrix.
void mk_reduce_cols_f32(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, float *y);
void mk_reduce_cols_f64(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, double *y);
void mk_reduce_cols_i64(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const int64_t *x, int64_t *y);

/// The position of the largest (`want_max` != 0) or smallest element of each row or column: that of the first NaN if there is one,
/// otherwise the first of equal elements. The reduced extent is at least 1.
void mk_arg_rows_f32(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, int64_t *y);
void mk_arg_rows_f64(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, int64_t *y);
void mk_arg_rows_i64(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const int64_t *x, int64_t *y);
void mk_arg_cols_f32(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, int64_t *y);
void mk_arg_cols_f64(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, int64_t *y);
void mk_arg_cols_i64(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const int64_t *x, int64_t *y);

/// Mean of each row and sum of squared deviations from it (two passes). `cols` is at least 1; either result may be NULL.
void mk_moments_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, float *_Nullable mean, float *_Nullable squared_deviations);
void mk_moments_rows_f64(
    ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, double *_Nullable mean,
    double *_Nullable squared_deviations);

#pragma clang assume_nonnull end

#endif
