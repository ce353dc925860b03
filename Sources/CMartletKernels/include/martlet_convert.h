/// Conversion of element types.
#ifndef MARTLET_CONVERT_H
#define MARTLET_CONVERT_H

#include <stddef.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// `dst[i] = (dst_dtype) src[i * src_stride]` for `i` in `0 ..< n`, for any pair of `mk_dtype`.
///
/// `src_stride` counts elements and may be 0 (one value for all) or negative; `dst` is contiguous. The ranges must not overlap,
/// except that `dst == src` is allowed when both types have the same size and the stride is 1.
///
/// Semantics are those of PyTorch's `Tensor.to` on x86-64, and the same on every processor:
/// - float to float rounds to nearest, ties to even, directly from the source's precision; NaN stays NaN;
/// - float to int32, int16, int8 truncates to 32 bits, where NaN and values out of range give INT32_MIN, then keeps the low bits;
/// - float to int64, uint32, uint16, uint8 truncates to 64 bits, where NaN and values out of range give INT64_MIN, then keeps the
///   low bits; float to uint64 does the same below 2^63, and above it is exact up to 2^64 and 0 from there on;
/// - integer to integer keeps the low bits; integer to float rounds to nearest;
/// - anything to bool is `!= 0`, so NaN is true; bool to anything is 0 or 1;
/// - complex to real drops the imaginary part; complex to bool looks at both parts.
void mk_convert(int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t n);

/// As `mk_convert`, storing element `i` at `dst[i * dst_stride]`. `dst_stride` is not 0.
void mk_convert_strided_dst(
    int src_dtype, const void *src, ptrdiff_t src_stride, int dst_dtype, void *dst, ptrdiff_t dst_stride, ptrdiff_t n);

#pragma clang assume_nonnull end

#endif
