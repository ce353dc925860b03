#include "martlet_movement.h"

#include <assert.h>
#include <string.h>

#include "martlet_convert.h"

#include "../simd/loop.h"
#include "../simd/levels.h"

/// `dst[i * dst_stride + j] = src[j * src_stride + i]` for i in 0 ..< rows, j in 0 ..< cols.
typedef void (*transpose)(
    ptrdiff_t rows, ptrdiff_t cols, const void *src, ptrdiff_t src_stride, void *dst, ptrdiff_t dst_stride);

/// A transpose in which one extent is fixed and the other is `n`.
typedef void (*short_transpose)(ptrdiff_t n, const void *src, ptrdiff_t src_stride, void *dst, ptrdiff_t dst_stride);

/// A transpose in square tiles, and the side of a tile. Both extents must be at least as large.
typedef struct {
  transpose run;
  ptrdiff_t side;
} tiled_transpose;

/// Transposes, indexed by log2 of the element size.
typedef struct {
  tiled_transpose small[4], large[4];
  /// The second index selects 2, 3 or 4 columns (`interleave`) or rows (`separate`).
  short_transpose interleave[4][3], separate[4][3];
} transposes;

#define MK_FN(name) name##_portable
#define MK_VECTOR_BYTES 16
#include "transpose.inc"
#undef MK_VECTOR_BYTES
#undef MK_FN

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define MK_FN(name) name##_avx2
#define MK_VECTOR_BYTES 32
#include "transpose.inc"
#undef MK_VECTOR_BYTES
#undef MK_FN
MK_END_AVX2
MK_BEGIN_AVX512
#define MK_FN(name) name##_avx512
#define MK_VECTOR_BYTES 64
#include "transpose.inc"
#undef MK_VECTOR_BYTES
#undef MK_FN
MK_END_AVX512
#endif

#if MK_HAS_NEON_LEVEL
#define MK_FN(name) name##_neon
#define MK_VECTOR_BYTES 16
#include "transpose.inc"
#undef MK_VECTOR_BYTES
#undef MK_FN
#endif

MK_DEFINE_CHOSEN_LEVEL(transposes)

typedef struct {
  uint64_t low, high;
} element_16;

#define ELEMENT_TYPES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t) X(16, element_16)

static int log2_of_size(int element_size) {
  return element_size == 1 ? 0 : element_size == 2 ? 1 : element_size == 4 ? 2 : element_size == 8 ? 3 : 4;
}

void mk_fill(int element_size, const void *value, void *dst, ptrdiff_t n) {
  assert(log2_of_size(element_size) < 4 || element_size == 16);
  assert(n >= 0);
  switch (element_size) {
#define MK_X(bytes, T)                                                 \
  case bytes: {                                                        \
    T element;                                                         \
    memcpy(&element, value, sizeof element);                           \
    T *to = dst;                                                       \
    for (ptrdiff_t i = 0; i < n; i++) to[i] = element;                 \
    break;                                                             \
  }
    ELEMENT_TYPES(MK_X)
#undef MK_X
    default: break;
  }
}

/// One axis of a copy; strides count elements.
typedef struct {
  ptrdiff_t extent, src_stride, dst_stride;
} axis;

static ptrdiff_t magnitude(ptrdiff_t value) { return value < 0 ? -value : value; }

/// Copies along one axis.
static void copy_line(int size, axis line, const char *src, char *dst) {
  ptrdiff_t n = line.extent, src_stride = line.src_stride, dst_stride = line.dst_stride;
  if (dst_stride == 1 && src_stride == 1) {
    memcpy(dst, src, (size_t)(n * size));
    return;
  }
  if (dst_stride == 1 && src_stride == 0) {
    mk_fill(size, src, dst, n);
    return;
  }
  switch (size) {
#define MK_X(bytes, T)                                                                                   \
  case bytes: {                                                                                          \
    const T *from = (const T *)src;                                                                      \
    T *to = (T *)dst;                                                                                    \
    for (ptrdiff_t i = 0; i < n; i++) to[i * dst_stride] = from[i * src_stride];                         \
    break;                                                                                               \
  }
    ELEMENT_TYPES(MK_X)
#undef MK_X
    default: break;
  }
}

/// `dst[i * rows.dst_stride + j] = src[j * cols.src_stride + i]`: `cols` is contiguous in the destination, `rows` in the source.
static void copy_transposed(int size, axis rows, axis cols, const char *src, char *dst) {
  int index = log2_of_size(size);
  const transposes *level = chosen_level();
  if (index < 4) {
    if (cols.extent >= 2 && cols.extent <= 4) {
      level->interleave[index][cols.extent - 2](rows.extent, src, cols.src_stride, dst, rows.dst_stride);
      return;
    }
    if (rows.extent >= 2 && rows.extent <= 4) {
      level->separate[index][rows.extent - 2](cols.extent, src, cols.src_stride, dst, rows.dst_stride);
      return;
    }
    ptrdiff_t least = rows.extent < cols.extent ? rows.extent : cols.extent;
    tiled_transpose tiled = least >= level->large[index].side ? level->large[index] : level->small[index];
    if (least >= tiled.side) {
      tiled.run(rows.extent, cols.extent, src, cols.src_stride, dst, rows.dst_stride);
      return;
    }
  }
  // One side is short: the inner loop runs along the other.
  int cols_inside = cols.extent >= rows.extent;
  axis outer = cols_inside ? rows : cols, inner = cols_inside ? cols : rows;
  // Process the long side in bands, so that the passes over the short side share cached data.
  const ptrdiff_t band = 1024;
  for (ptrdiff_t start = 0; start < inner.extent; start += band) {
    axis part = inner;
    part.extent = inner.extent - start < band ? inner.extent - start : band;
    for (ptrdiff_t k = 0; k < outer.extent; k++) {
      ptrdiff_t from = start * inner.src_stride + k * outer.src_stride, to = start * inner.dst_stride + k * outer.dst_stride;
      copy_line(size, part, src + from * size, dst + to * size);
    }
  }
}

/// Drops axes of extent 1, reverses axes with negative destination strides (moving the base addresses), sorts axes by decreasing
/// destination stride, and joins neighbours that form a single axis in both layouts. Returns the new rank.
static int simplify(int rank, axis *axes, ptrdiff_t *src_offset, ptrdiff_t *dst_offset) {
  int count = 0;
  for (int k = 0; k < rank; k++) {
    axis current = axes[k];
    if (current.extent == 1) continue;
    assert(current.dst_stride != 0);
    if (current.dst_stride < 0) {
      *src_offset += (current.extent - 1) * current.src_stride;
      *dst_offset += (current.extent - 1) * current.dst_stride;
      current.src_stride = -current.src_stride;
      current.dst_stride = -current.dst_stride;
    }
    int place = count++;
    while (place > 0 && (axes[place - 1].dst_stride < current.dst_stride ||
                         (axes[place - 1].dst_stride == current.dst_stride &&
                          magnitude(axes[place - 1].src_stride) < magnitude(current.src_stride)))) {
      axes[place] = axes[place - 1];
      place -= 1;
    }
    axes[place] = current;
  }
  int joined = 0;
  for (int k = 0; k < count; k++) {
    axis current = axes[k];
    axis *previous = joined > 0 ? &axes[joined - 1] : NULL;
    if (previous != NULL && previous->dst_stride == current.dst_stride * current.extent &&
        previous->src_stride == current.src_stride * current.extent) {
      previous->extent *= current.extent;
      previous->dst_stride = current.dst_stride;
      previous->src_stride = current.src_stride;
    } else {
      axes[joined++] = current;
    }
  }
  return joined;
}

void mk_copy_strided(
    int element_size, int rank, const ptrdiff_t *shape, const void *src, const ptrdiff_t *src_strides, void *dst,
    const ptrdiff_t *dst_strides) {
  assert(log2_of_size(element_size) < 4 || element_size == 16);
  assert(rank >= 0 && rank <= MK_COPY_MAX_RANK);
  axis axes[MK_COPY_MAX_RANK];
  for (int k = 0; k < rank; k++) {
    assert(shape[k] >= 0);
    if (shape[k] == 0) return;
    axes[k] = (axis){.extent = shape[k], .src_stride = src_strides[k], .dst_stride = dst_strides[k]};
  }
  ptrdiff_t src_offset = 0, dst_offset = 0;
  int count = simplify(rank, axes, &src_offset, &dst_offset);
  const char *from = (const char *)src + src_offset * element_size;
  char *to = (char *)dst + dst_offset * element_size;
  if (count == 0) {
    memcpy(to, from, (size_t)element_size);
    return;
  }

  // A kernel copies the innermost one or two axes; the others are loops.
  axis inner = axes[--count], rows = {.extent = 1};
  int is_transpose = 0;
  if (inner.dst_stride == 1 && inner.src_stride != 1 && inner.src_stride != 0) {
    for (int k = 0; k < count && !is_transpose; k++) {
      if (axes[k].src_stride != 1) continue;
      is_transpose = 1;
      rows = axes[k];
      for (int next = k + 1; next < count; next++) axes[next - 1] = axes[next];
      count -= 1;
    }
  }
  ptrdiff_t position[MK_COPY_MAX_RANK] = {0};
  for (;;) {
    if (is_transpose)
      copy_transposed(element_size, rows, inner, from, to);
    else
      copy_line(element_size, inner, from, to);
    int k = count - 1;
    for (; k >= 0; k--) {
      from += axes[k].src_stride * element_size;
      to += axes[k].dst_stride * element_size;
      if (++position[k] < axes[k].extent) break;
      from -= axes[k].extent * axes[k].src_stride * element_size;
      to -= axes[k].extent * axes[k].dst_stride * element_size;
      position[k] = 0;
    }
    if (k < 0) return;
  }
}

/// Elements that are converted at a time.
enum { BLOCK_COUNT = 2048 };

/// Chooses the part of the axes that is converted at a time. It has long runs in the source and in the destination.
static void choose_block(int count, const axis *axes, ptrdiff_t *block) {
  ptrdiff_t left = BLOCK_COUNT;
  int inner = count - 1, contiguous = inner;
  for (int k = 0; k < count; k++) {
    block[k] = 1;
    if (axes[inner].src_stride != 1 && axes[k].src_stride == 1) contiguous = k;
  }
  if (contiguous != inner) {
    const ptrdiff_t side = 32, runs = axes[contiguous].extent < side ? axes[contiguous].extent : side;
    block[inner] = axes[inner].extent < left / runs ? axes[inner].extent : left / runs;
    left /= block[inner];
    block[contiguous] = axes[contiguous].extent < left ? axes[contiguous].extent : left;
    return;
  }
  for (int k = inner; k >= 0; k--) {
    block[k] = axes[k].extent < left ? axes[k].extent : left;
    left /= block[k];
    if (block[k] < axes[k].extent) break;
  }
}

/// Converts one block of `extents`: it is copied to a dense block, unless it is dense already, converted, and copied to its place, unless
/// the destination is dense.
static void convert_block(int src_dtype, const char *src, int dst_dtype, char *dst, int rank, const axis *axes, const ptrdiff_t *extents) {
  char gathered[BLOCK_COUNT * 16] __attribute__((aligned(64))), converted[BLOCK_COUNT * 16] __attribute__((aligned(64)));
  ptrdiff_t dense[MK_COPY_MAX_RANK], src_strides[MK_COPY_MAX_RANK], dst_strides[MK_COPY_MAX_RANK], count = 1;
  int is_src_dense = 1, is_dst_dense = 1;
  for (int k = rank - 1; k >= 0; k--) {
    dense[k] = count;
    src_strides[k] = axes[k].src_stride;
    dst_strides[k] = axes[k].dst_stride;
    if (extents[k] > 1) {
      is_src_dense &= src_strides[k] == count;
      is_dst_dense &= dst_strides[k] == count;
    }
    count *= extents[k];
  }
  if (!is_src_dense) {
    mk_copy_strided((int)mk_dtype_size(src_dtype), rank, extents, src, src_strides, gathered, dense);
    src = gathered;
  }
  mk_convert(src_dtype, src, 1, dst_dtype, is_dst_dense ? dst : converted, count);
  if (!is_dst_dense) mk_copy_strided((int)mk_dtype_size(dst_dtype), rank, extents, converted, dense, dst, dst_strides);
}

void mk_convert_strided(
    int src_dtype, int dst_dtype, int rank, const ptrdiff_t *shape, const void *src, const ptrdiff_t *src_strides, void *dst,
    const ptrdiff_t *dst_strides) {
  const ptrdiff_t src_size = mk_dtype_size(src_dtype), dst_size = mk_dtype_size(dst_dtype);
  assert(src_size != 0 && dst_size != 0 && rank >= 0 && rank <= MK_COPY_MAX_RANK);
  axis axes[MK_COPY_MAX_RANK];
  for (int k = 0; k < rank; k++) {
    assert(shape[k] >= 0);
    if (shape[k] == 0) return;
    axes[k] = (axis){.extent = shape[k], .src_stride = src_strides[k], .dst_stride = dst_strides[k]};
  }
  ptrdiff_t src_offset = 0, dst_offset = 0;
  int count = simplify(rank, axes, &src_offset, &dst_offset);
  const char *from = (const char *)src + src_offset * src_size;
  char *to = (char *)dst + dst_offset * dst_size;
  if (count == 0 || (count == 1 && axes[0].dst_stride == 1)) {
    mk_convert(src_dtype, from, count == 0 ? 1 : axes[0].src_stride, dst_dtype, to, count == 0 ? 1 : axes[0].extent);
    return;
  }
  ptrdiff_t block[MK_COPY_MAX_RANK], position[MK_COPY_MAX_RANK] = {0}, extents[MK_COPY_MAX_RANK];
  choose_block(count, axes, block);
  for (;;) {
    for (int k = 0; k < count; k++) extents[k] = axes[k].extent - position[k] < block[k] ? axes[k].extent - position[k] : block[k];
    convert_block(src_dtype, from, dst_dtype, to, count, axes, extents);
    int k = count - 1;
    for (; k >= 0; k--) {
      from += extents[k] * axes[k].src_stride * src_size;
      to += extents[k] * axes[k].dst_stride * dst_size;
      position[k] += extents[k];
      if (position[k] < axes[k].extent) break;
      from -= axes[k].extent * axes[k].src_stride * src_size;
      to -= axes[k].extent * axes[k].dst_stride * dst_size;
      position[k] = 0;
    }
    if (k < 0) return;
  }
}
