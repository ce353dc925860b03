/// Conversion of element types.
#ifndef MARTLET_CONVERT_H
#define MARTLET_CONVERT_H

#include <stddef.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// `dst[i] = (dst_dtype) src[i * src_stride]` for `i` in `0 ..< n`, for any pair of `mk_dtype`.
///
/// `src` need not be aligned. `src_stride` counts elements and may be 0 (one value for all) or negative; `dst` is contiguous. The ranges
/// must not overlap, except that `dst == src` is allowed when both types have the same size and the stride is 1.
///
/// Semantics are those of PyTorch's `Tensor.to` on x86-64, and the same on every processor:
/// - float to float rounds to nearest, ties to even, once (PyTorch rounds float64 to float16 and bfloat16 through float32); NaN stays
///   NaN;
/// - float to int64, int32 truncates; NaN and values out of range give the lowest integer;
/// - float to int16, int8, uint16, uint8 converts to int32, then keeps the low bits;
/// - float to uint64, uint32 of `b` bits converts values below 2^(b-1) to the signed type and keeps the bits; it is exact up to 2^b and
///   gives 0 from there on;
/// - integer to integer keeps the low bits;
/// - integer to float rounds to nearest, to float16 and bfloat16 through float32;
/// - any type to bool is `!= 0`, so NaN is true; bool to any type is 0 or 1;
/// - complex to real drops the imaginary part; complex to bool is true if either part is not 0.
void mk_convert(int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t n);

/// As `mk_convert`, storing element `i` at `dst[i * dst_stride]`. `dst_stride` is not 0.
void mk_convert_strided_dst(
    int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t dst_stride, ptrdiff_t n);

#pragma clang assume_nonnull end

#endif
