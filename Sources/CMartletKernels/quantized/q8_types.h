/// Declarations shared by the files of `quantized/`.
#ifndef MARTLET_Q8_TYPES_H
#define MARTLET_Q8_TYPES_H

#include <string.h>

#include "../linear_algebra/tile_types.h"
#include "martlet_quantized.h"

#if MK_HAS_X86_LEVELS
#include <immintrin.h>
#endif

#if MK_HAS_NEON_LEVEL
#include <arm_neon.h>
#endif

enum { MK_Q8_PORTABLE, MK_Q8_AVX2, MK_Q8_AVX_VNNI, MK_Q8_AVX512, MK_Q8_VNNI, MK_Q8_AMX, MK_Q8_NEON, MK_Q8_DOTPROD, MK_Q8_I8MM };

/// Whether a processor with AVX2 and these features runs the kernels for AVX-VNNI. For tests, `q8_avxvnni.c` can be compiled for AVX-512.
#ifdef MARTLET_EVEX_AVX_VNNI
#define MK_Q8_HAS_AVX_VNNI(features) 1
#else
#define MK_Q8_HAS_AVX_VNNI(features) (((features) & MK_CPU_AVX_VNNI) != 0)
#endif

/// The kernel variant of this process.
int mk_q8_level(void);

#define MK_DECLARE_Q8_LEVEL(level)                                                                                                  \
  void mk_q8_conv2d_##level(const mk_q8_conv2d *c, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1, void *s); \
  void mk_q8_depthwise2d_##level(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1);                                             \
  void mk_q4_linear_##level(const mk_q4_linear *l, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);               \
  void mk_q8_in_place_##level(const mk_q8_in_place *l, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1);                    \
  void mk_q4_in_place_##level(const mk_q4_in_place *l, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1);
void mk_q8_winograd_avx2(const mk_q8_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch);
void mk_q8_winograd_avx512(const mk_q8_conv2d *c, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1, void *scratch);
MK_DECLARE_Q8_LEVEL(portable)
MK_DECLARE_Q8_LEVEL(avx2)
MK_DECLARE_Q8_LEVEL(avxvnni)
MK_DECLARE_Q8_LEVEL(avx512)
MK_DECLARE_Q8_LEVEL(vnni)
MK_DECLARE_Q8_LEVEL(amx)
MK_DECLARE_Q8_LEVEL(neon)
MK_DECLARE_Q8_LEVEL(dotprod)
MK_DECLARE_Q8_LEVEL(i8mm)

/// Bytes of an arranged row for 128 steps.
#define MK_Q4_CHUNK_BYTES 192

/// The scale at a position.
static inline float mk_q4_scale_at(const mk_q4_in_place *l, ptrdiff_t place) {
  float scale;
  if (l->scale_dtype == MK_F32) {
    memcpy(&scale, (const char *)l->scales + 4 * place, sizeof scale);
  } else {
    uint16_t high;
    memcpy(&high, (const char *)l->scales + 2 * place, sizeof high);
    const uint32_t bits = (uint32_t)high << 16;
    memcpy(&scale, &bits, sizeof scale);
  }
  return scale;
}

/// As `pack_panel`, for levels with 512-bit vectors.
void mk_q8_pack_panel_vnni(const int8_t *w, ptrdiff_t o_stride, ptrdiff_t k, int8_t *packed, int32_t *sums);

/// Size of a block of packed rows that stays in the L2 cache, in bytes.
#define MK_Q8_BLOCK_BYTES (256 * 1024)
/// Maximum number of rows of a block.
#define MK_Q8_BLOCK_ROWS 256
/// Size of a block of rows that stays in the L1 cache together with its pixels and the weights of a panel.
#define MK_Q8_CACHED_BYTES (10 * 1024)
/// Maximum number of panels for which blocks are that small: each panel is prepared once for every block.
#define MK_Q8_CACHED_PANELS 2

/// Number of rows of such a block: whole tiles of `tile` rows of `bytes` bytes, at least two.
static inline ptrdiff_t mk_q8_cached_rows(ptrdiff_t bytes, ptrdiff_t tile) {
  return mk_max(MK_Q8_CACHED_BYTES / (bytes * tile), 2) * tile;
}

/// Rows of a tile.
#define MK_Q8_TILE 32
/// Size of transformed inputs that stay in the L2 cache, in bytes.
#define MK_Q8_WINOGRAD_BYTES (256 * 1024)

/// Steps of k of one instruction, to whose multiples a row of the kernel is padded; 1 if rows follow one another.
static inline ptrdiff_t mk_q8_unit(int level) {
  if (level == MK_Q8_AVX2 || level == MK_Q8_AVX512) return 2;
  return level == MK_Q8_AVX_VNNI || level == MK_Q8_VNNI ? 4 : 1;
}

/// Steps of k of a column that follow one another in a packed panel.
static inline ptrdiff_t mk_q8_group(int level) { return level == MK_Q8_I8MM ? 8 : mk_q8_unit(level) == 2 ? 2 : 4; }

/// Columns of a part of a panel, which are two vectors of sums; a whole panel if the level has no parts.
static inline ptrdiff_t mk_q8_part(int level) { return level == MK_Q8_AVX2 || level == MK_Q8_AVX_VNNI ? 16 : MK_Q8_PANEL; }

/// Maximum number of rows of a tile of products, by level.
#define MK_Q8_ROWS_AVX2 6
#define MK_Q8_ROWS_AVX_VNNI 6
#define MK_Q8_ROWS_AVX512 12
#define MK_Q8_ROWS_VNNI 14

/// The same for a level with copies (`mk_q8_copy`).
static inline ptrdiff_t mk_q8_tile_rows(int level) {
  switch (level) {
    case MK_Q8_VNNI: return MK_Q8_ROWS_VNNI;
    case MK_Q8_AVX512: return MK_Q8_ROWS_AVX512;
    case MK_Q8_AVX_VNNI: return MK_Q8_ROWS_AVX_VNNI;
    default: return MK_Q8_ROWS_AVX2;
  }
}

/// Size of a number of A in bytes.
static inline ptrdiff_t mk_q8_element(int level) {
  return level == MK_Q8_PORTABLE || level == MK_Q8_AVX2 || level == MK_Q8_AVX512 ? 2 : 1;
}

/// Steps of a row of the kernel, `steps` before padding.
static inline ptrdiff_t mk_q8_run(int level, ptrdiff_t steps) { return mk_round_up(steps, mk_q8_unit(level)); }

/// Steps of k that are crossed together (`q8_crossed.inc`). Widened weights are padded to a multiple.
#define MK_Q8_QUAD 4

/// Memory for the `k` steps of a part of a panel as 16-bit numbers, in bytes; 0 if the level does not widen weights.
static inline ptrdiff_t mk_q8_wide_bytes(int level, ptrdiff_t k) {
  return mk_q8_unit(level) == 2 ? mk_round_up(k, MK_Q8_QUAD) * mk_q8_part(level) * (ptrdiff_t)sizeof(int16_t) : 0;
}

/// Number of rows packed at a time.
static inline ptrdiff_t mk_q8_block_rows(ptrdiff_t row_bytes, ptrdiff_t pixels) {
  const ptrdiff_t fitting = mk_min(MK_Q8_BLOCK_BYTES / row_bytes, MK_Q8_BLOCK_ROWS);
  return mk_round_up(mk_max(1, mk_min(fitting, pixels)), MK_Q8_TILE);
}

/// Distance of gathered rows in elements of `size` bytes. Rows of a tile must not compete for the same sets of the L1 cache.
static inline ptrdiff_t mk_q8_row_pitch(ptrdiff_t k, ptrdiff_t size) {
  const ptrdiff_t bytes = mk_round_up(k * size, 64);
  return (bytes % 512 == 0 ? bytes + 64 : bytes) / size;
}

/// Whether the pixels are the rows of a matrix.
static inline int mk_q8_is_flat(const mk_q8_conv2d *c) {
  return c->kernel_height == 1 && c->kernel_width == 1 && c->stride_y == 1 && c->stride_x == 1 && c->pad_top == 0 && c->pad_left == 0 &&
         c->output_height == c->height && c->output_width == c->width &&
         (c->height == 1 || c->input_row_stride == c->width * c->input_pixel_stride) &&
         (c->images == 1 || c->input_image_stride == c->height * c->width * c->input_pixel_stride);
}

/// Number of vectors of columns if rows are multiplied in pairs (`q8_pairs.inc`), otherwise 0.
static inline ptrdiff_t mk_q8_pair_vectors(const mk_q8_conv2d *c) {
  if (mk_q8_level() != MK_Q8_VNNI && mk_q8_level() != MK_Q8_AVX512) return 0;
  if (c->groups != 1 || c->epilogue.output == MK_Q8_TO_F32 || !mk_q8_is_flat(c)) return 0;
  return c->output_channels > 8 && c->output_channels <= 24 ? mk_divide_up(c->output_channels, 8) : 0;
}

/// Pairs of a tile that is `vectors` vectors of columns wide.
#define MK_Q8_PAIRS(vectors) ((vectors) == 3 ? 8 : 12)

/// Size of the repeated weights of products by pairs.
static inline ptrdiff_t mk_q8_pair_weight_bytes(const mk_q8_conv2d *c) {
  return mk_q8_pair_vectors(c) * 64 * mk_divide_up(c->input_channels, mk_q8_unit(mk_q8_level()));
}

/// Memory for products by pairs in addition to rows: weights, 64 bytes between pairs, and two vectors behind the last one.
static inline ptrdiff_t mk_q8_pair_bytes(const mk_q8_conv2d *c) {
  return mk_q8_pair_vectors(c) == 0 ? 0 : mk_q8_pair_weight_bytes(c) + (MK_Q8_BLOCK_ROWS / 2 + 2) * 64;
}

/// Maximum number of slots of a plane, and of rows of a kernel that reads one.
#define MK_Q8_PLANE_SLOTS 2048
#define MK_Q8_PLANE_KERNEL 16
/// Maximum number of kernel rows merged into one run.
#define MK_Q8_MERGED_ROWS 4

/// Number of kernel rows whose taps are merged column by column into one run for AMX tiles: as many as fit 64 bytes.
static inline ptrdiff_t mk_q8_merged_rows(ptrdiff_t kernel_height, ptrdiff_t kernel_width, ptrdiff_t input_channels) {
  const ptrdiff_t steps = kernel_width * input_channels;
  if (steps == 0 || steps > 64 || kernel_height > MK_Q8_PLANE_KERNEL) return 1;
  return mk_min(mk_min(64 / steps, MK_Q8_MERGED_ROWS), kernel_height);
}

/// Steps of a packed panel. Rows of taps follow one another, padded as `mk_q8_run` says; for AMX tiles, each row of the kernel (or group of merged rows) is a separate padded
/// run. Both are the same if the length of a row is a multiple of 64.
static inline ptrdiff_t mk_q8_padded_steps(int level, ptrdiff_t kernel_height, ptrdiff_t kernel_width, ptrdiff_t input_channels) {
  if (level != MK_Q8_AMX) return mk_round_up(kernel_height * mk_q8_run(level, kernel_width * input_channels), 64);
  const ptrdiff_t merged = mk_q8_merged_rows(kernel_height, kernel_width, input_channels);
  return mk_divide_up(kernel_height, merged) * mk_round_up(merged * kernel_width * input_channels, 64);
}

/// Copied rows of an image with their padding, in which levels without tiles read the rows of A in place.
typedef struct mk_q8_copy {
  /// Output rows for which there are rows at a time; 0 if inputs must be gathered.
  ptrdiff_t rows;
  /// Pixels of a row, distance of rows in elements, and size in bytes.
  ptrdiff_t columns, pitch, bytes;
} mk_q8_copy;

/// Maximum number of runs of output pixels of a copy, each at most `MK_Q8_BLOCK_ROWS` long.
#define MK_Q8_COPY_SEGMENTS 64

/// Number of copied rows for `rows` output rows.
static inline ptrdiff_t mk_q8_copy_rows(const mk_q8_conv2d *c, ptrdiff_t rows) {
  return (rows - 1) * c->stride_y + (c->kernel_height - 1) * c->dilation_y + 1;
}

/// Steps of k of a gathered pixel, padding of the kernel's rows included.
static inline ptrdiff_t mk_q8_gathered_steps(const mk_q8_conv2d *c) {
  return c->kernel_height * mk_q8_run(mk_q8_level(), c->kernel_width * c->input_channels);
}

/// Minimum number of output channels for which pixels of small images are gathered rather than read in a copy.
#define MK_Q8_GATHERED_COLUMNS 64

/// Returns 1 if pixels should be gathered although a copy is possible. A tile reads a copy within one row of the image, so that short rows fill
/// only a part of it, and weights are read more often. Tiles of gathered pixels are full. The pixels of an image, numbers of `size` bytes, must
/// fit a block.
static inline int mk_q8_gathers(const mk_q8_conv2d *c, ptrdiff_t size) {
  const ptrdiff_t width = c->output_width;
  if (4 * width >= 3 * mk_round_up(width, mk_q8_tile_rows(mk_q8_level())) || c->output_channels < MK_Q8_GATHERED_COLUMNS) return 0;
  return c->output_height * width <= mk_min(MK_Q8_BLOCK_ROWS, MK_Q8_BLOCK_BYTES / (mk_q8_row_pitch(mk_q8_gathered_steps(c), size) * size));
}

/// The copy for calls on `pixels` pixels with elements of `size` bytes.
static inline mk_q8_copy mk_q8_copy_of(const mk_q8_conv2d *c, ptrdiff_t size, ptrdiff_t pixels) {
  mk_q8_copy p = {.rows = 0};
  if ((c->kernel_height == 1 && c->kernel_width == 1) || c->dilation_x != 1 || c->groups != 1 || mk_q8_gathers(c, size)) return p;
  p.columns = (c->output_width - 1) * c->stride_x + c->kernel_width;
  p.pitch = mk_q8_row_pitch(p.columns * c->input_channels, size);
  const ptrdiff_t row = p.pitch * size, segments = mk_divide_up(c->output_width, MK_Q8_BLOCK_ROWS);
  const ptrdiff_t fitting = (MK_Q8_BLOCK_BYTES / row - (c->kernel_height - 1) * c->dilation_y - 1) / c->stride_y + 1;
  if (fitting < 1 || segments > MK_Q8_COPY_SEGMENTS) return p;
  p.rows = mk_min(mk_min(fitting, MK_Q8_COPY_SEGMENTS / segments), mk_min(c->output_height, mk_divide_up(pixels, c->output_width) + 1));
  // The last row is read and written a vector too far.
  p.bytes = mk_round_up(mk_q8_copy_rows(c, p.rows) * row + 64, 64);
  return p;
}

/// The padded part of an image that tiles read in place.
typedef struct mk_q8_plane {
  /// Output rows per block; 0 if inputs must be gathered.
  ptrdiff_t rows;
  /// Rows of A from one output row to the next; bytes per row; number of rows with the same index modulo the stride.
  ptrdiff_t slots, pitch, phase_rows;
  /// Number of image rows merged pixel by pixel into one, and size of the plane without the unmerged rows, in bytes.
  ptrdiff_t merged, merged_bytes;
  ptrdiff_t bytes;
} mk_q8_plane;

/// Number of plane rows for `rows` rows of the result, counted by the first of the merged rows.
static inline ptrdiff_t mk_q8_plane_rows(const mk_q8_conv2d *c, ptrdiff_t merged, ptrdiff_t rows) {
  return (rows - 1) * c->stride_y + (c->kernel_height - 1) / merged * merged * c->dilation_y + 1;
}

/// The plane for calls on `pixels` pixels.
static inline mk_q8_plane mk_q8_plane_of(const mk_q8_conv2d *c, ptrdiff_t pixels) {
  mk_q8_plane p = {.rows = 0};
  if ((c->kernel_height == 1 && c->kernel_width == 1) || c->dilation_x != 1 || c->kernel_height > MK_Q8_PLANE_KERNEL) return p;
  p.slots = mk_divide_up((c->output_width - 1) * c->stride_x + c->kernel_width, c->stride_x);
  if (p.slots > MK_Q8_PLANE_SLOTS) return p;
  p.merged = mk_q8_merged_rows(c->kernel_height, c->kernel_width, c->input_channels);
  const ptrdiff_t slot = c->stride_x * c->input_channels * p.merged;
  p.pitch = p.slots * slot;
  const ptrdiff_t fitting = mk_min(MK_Q8_PLANE_SLOTS / p.slots, MK_Q8_BLOCK_BYTES / (p.pitch * c->stride_y));
  p.rows = mk_max(1, mk_min(mk_min(fitting, c->output_height), mk_divide_up(pixels, c->output_width) + 1));
  const ptrdiff_t needed = mk_q8_plane_rows(c, p.merged, p.rows);
  p.phase_rows = mk_divide_up(needed, c->stride_y);
  // The last tile and the last run of each row read beyond the end.
  const ptrdiff_t run = mk_round_up(p.merged * c->kernel_width * c->input_channels, 64);
  p.merged_bytes = mk_round_up(p.phase_rows * c->stride_y * p.pitch + MK_Q8_TILE * slot + run, 64);
  p.bytes = p.merged_bytes;
  // Rows are merged by 32 bytes at a time.
  if (p.merged > 1) p.bytes += mk_round_up((needed + (p.merged - 1) * c->dilation_y) * (p.pitch / p.merged) + 32, 64);
  return p;
}

/// Number of channels of a block of depthwise weights.
#define MK_Q8_DEPTHWISE_BLOCK 32

/// Channels of a block of depthwise weights of 16 bits, which are multiplied in pairs of taps; 0 if weights are bytes.
static inline ptrdiff_t mk_q8_depthwise_pairs(int level, ptrdiff_t kernel_height, ptrdiff_t kernel_width) {
  if (level == MK_Q8_AVX2 || level == MK_Q8_AVX_VNNI) return 16;
  if (level == MK_Q8_AVX512) return 32;
  if (level != MK_Q8_VNNI && level != MK_Q8_AMX) return 0;
  return kernel_height == kernel_width && (kernel_height == 3 || kernel_height == 5) ? 0 : 32;
}

/// Distance of the transformed inputs of two tiles, in elements.
static inline ptrdiff_t mk_q8_winograd_pitch(ptrdiff_t input_channels) { return mk_round_up(input_channels, 32) + 16; }

/// Maximum number of tiles transformed at a time.
static inline ptrdiff_t mk_q8_winograd_tiles(ptrdiff_t input_channels) {
  return mk_max(18, mk_min(96, MK_Q8_WINOGRAD_BYTES / (32 * mk_q8_winograd_pitch(input_channels))));
}

/// 1.5 * 2^23: added to a float of small magnitude, it leaves the number rounded to an integer, ties to even, in the low bits.
#define MK_Q8_MAGIC 12582912.0f
#define MK_Q8_MAGIC_BITS 0x4b400000

MK_INLINE int32_t mk_q8_bits(float value) {
  int32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif
