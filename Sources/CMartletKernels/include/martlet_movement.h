/// Copies between strided layouts, and fills.
#ifndef MARTLET_COPY_H
#define MARTLET_COPY_H

#include <stddef.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

/// Maximum rank for `mk_copy_strided`.
enum { MK_COPY_MAX_RANK = 16 };

/// Copies the elements of a tensor of the given shape, of `element_size` bytes each (1, 2, 4, 8 or 16), from one strided layout to
/// another.
///
/// Strides count elements and may have any sign. A source stride may be 0 (broadcast); a destination stride must not be 0 on an axis
/// longer than 1. `src` and `dst` point to the element at index (0, …, 0), are aligned to the element and do not overlap. `rank` is at
/// most `MK_COPY_MAX_RANK`. Rank 0 copies one element; an extent of 0 copies nothing. The order of axes does not affect speed: axes are
/// sorted and joined first, contiguous runs use `memcpy`, and transposes are tiled.
void mk_copy_strided(
    int element_size, int rank, const ptrdiff_t *_Nullable shape, const void *src, const ptrdiff_t *_Nullable src_strides,
    void *dst, const ptrdiff_t *_Nullable dst_strides);

/// As `mk_copy_strided`, converting elements as `mk_convert` does: a block at a time is copied to a dense layout, converted, and copied to
/// its place.
void mk_convert_strided(
    int src_dtype, int dst_dtype, int rank, const ptrdiff_t *_Nullable shape, const void *src, const ptrdiff_t *_Nullable src_strides,
    void *dst, const ptrdiff_t *_Nullable dst_strides);

/// Writes `n` copies of the element of `element_size` bytes (1, 2, 4, 8 or 16) at `value`.
void mk_fill(int element_size, const void *value, void *dst, ptrdiff_t n);

#pragma clang assume_nonnull end

#endif
