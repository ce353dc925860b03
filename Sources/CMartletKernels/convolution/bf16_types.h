/// Declarations shared by the bfloat16 convolutions and products (`bf16*`).
#ifndef MARTLET_BF16_TYPES_H
#define MARTLET_BF16_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_bf16.h"
#include "martlet_movement.h"

/// Steps of k of one tile.
#define MK_BF16_STEPS 32
/// Number of taps whose offsets in the plane are computed once for all tiles.
#define MK_BF16_KNOWN_TAPS 128

#define MK_DECLARE_BF16_LEVEL(level)                                                                                              \
  void mk_bf16_pack_block_##level(const float *rows, int terms, uint16_t *packed);                                               \
  void mk_bf16_prepare_##level(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0,            \
                               ptrdiff_t unit1, uint16_t *plane);                                                                \
  void mk_bf16_conv2d_run_##level(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const uint16_t *plane,   \
                                  ptrdiff_t slot0, ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1);
MK_DECLARE_BF16_LEVEL(portable)
MK_DECLARE_BF16_LEVEL(avx512)
MK_DECLARE_BF16_LEVEL(amx)
MK_DECLARE_BF16_LEVEL(neon)

static inline ptrdiff_t mk_bf16_padded(ptrdiff_t steps) { return mk_divide_up(steps, MK_BF16_STEPS) * MK_BF16_STEPS; }

/// Slots of the largest tile of vectors.
#if MK_HAS_NEON_LEVEL
#define MK_BF16_VECTOR_SLOTS 16
#else
#define MK_BF16_VECTOR_SLOTS 14
#endif
/// Steps of a slot that vectors read at a time.
#if MK_HAS_NEON_LEVEL
#define MK_BF16_VECTOR_STEPS 8
#else
#define MK_BF16_VECTOR_STEPS 2
#endif

/// Returns 1 if the convolution is computed by vectors.
static inline int mk_bf16_uses_vectors(const mk_bf16_conv2d *d) { return !d->portable && mk_bf16_unit() == MK_BF16_VECTORS; }

/// Number of bfloat16 numbers that represent one factor.
static inline ptrdiff_t mk_bf16_parts(int terms) { return terms == MK_BF16_PLAIN ? 1 : 2; }

/// Steps of a column that follow one another in packed weights.
static inline ptrdiff_t mk_bf16_group(int terms) {
  return MK_HAS_NEON_LEVEL && terms == MK_BF16_PLAIN && mk_bf16_unit() == MK_BF16_VECTORS ? 4 : 2;
}

/// Number of 16-bit values that a packed weight takes.
static inline ptrdiff_t mk_bf16_packed_parts(int terms) { return terms == MK_BF16_SPLIT ? 2 : 1; }

/// Returns 1 if the taps of a kernel row form one run of steps, because padding every tap would be too expensive. Neighbouring pixels are
/// then contiguous in the plane, and a run starts at each of them.
static inline int mk_bf16_has_runs(ptrdiff_t channels, ptrdiff_t kernel_width) {
  return kernel_width > 1 && 4 * mk_bf16_padded(kernel_width * channels) < 3 * kernel_width * mk_bf16_padded(channels);
}

/// Steps of one tap, or of one run, padding included.
static inline ptrdiff_t mk_bf16_tap_steps(ptrdiff_t channels, ptrdiff_t kernel_width) {
  return mk_bf16_padded(mk_bf16_has_runs(channels, kernel_width) ? kernel_width * channels : channels);
}

/// Steps of k of a panel, padding included.
static inline ptrdiff_t mk_bf16_steps(ptrdiff_t channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width) {
  return kernel_height * (mk_bf16_has_runs(channels, kernel_width) ? 1 : kernel_width) * mk_bf16_tap_steps(channels, kernel_width);
}

/// Zeros after the last pixel of a plane of runs. The last run reads them and multiplies them by zero weights.
#define MK_BF16_RUN_TAIL 64

/// Distance between consecutive pixels, in elements, if pixels are evenly spaced.
static inline ptrdiff_t mk_bf16_pixel_stride(const mk_conv2d *c) { return c->width == 1 ? c->input_row_stride : c->input_pixel_stride; }

/// Most channels of images in planes.
#define MK_BF16_MOST_PLANES 4

/// Returns 1 if channels need not be neighbours: for 1 x 1 kernels, and for planes of a few channels with contiguous pixels.
static inline int mk_bf16_takes_planes(const mk_bf16_conv2d *d) {
  const mk_conv2d *c = &d->conv;
  return (c->kernel_height == 1 && c->kernel_width == 1) ||
         (c->groups == 1 && c->input_channels <= MK_BF16_MOST_PLANES && c->input_pixel_stride == 1 && c->dilation_x == 1 &&
          mk_bf16_has_runs(c->input_channels, c->kernel_width));
}

/// Returns 1 if the image is a plain matrix with one pixel per row, and the kernel and the padding leave it as it is.
static inline int mk_bf16_is_matrix(const mk_bf16_conv2d *d) {
  const mk_conv2d *c = &d->conv;
  return c->width == 1 && c->output_width == 1 && c->kernel_height == 1 && c->kernel_width == 1 && c->stride_y == 1 && c->groups == 1 &&
         c->pad_top == 0 && c->pad_left == 0 && c->output_height <= c->height && d->input_channel_stride == 1;
}

/// Maximum number of input channels for products that read the input in place.
#define MK_BF16_LONGEST_PIXEL 1024

/// Returns 1 if the padding steps of a pixel may read the first channels of the next one (they are multiplied by zero). With fewer
/// channels, the last row of a tile could reach beyond the following tile.
static inline int mk_bf16_runs_on(const mk_bf16_conv2d *d) {
  return d->shares_non_finite && d->conv.input_channels >= MK_BF16_STEPS / 2 && mk_bf16_pixel_stride(&d->conv) == d->conv.input_channels;
}

/// Returns 1 if tiles can read the pixels of a bfloat16 input in place: the pixels are whole steps, not too long for a copy of the last
/// ones, and do not map to few sets of the L1 cache.
static inline int mk_bf16_suits_tiles(const mk_bf16_conv2d *d) {
  const ptrdiff_t channels = d->conv.input_channels;
  return (channels % MK_BF16_STEPS == 0 || mk_bf16_runs_on(d)) && channels <= MK_BF16_LONGEST_PIXEL &&
         mk_bf16_pixel_stride(&d->conv) % 512 != 0;
}

/// The same for vectors, which read a few channels of fewer pixels at a time.
static inline int mk_bf16_suits_vectors(const mk_bf16_conv2d *d) {
  return d->conv.input_channels % MK_BF16_VECTOR_STEPS == 0 && mk_bf16_pixel_stride(&d->conv) % 1024 != 0;
}

/// Returns 1 if products read the input in place, without a plane: it is bfloat16 already and evenly spaced.
static inline int mk_bf16_is_direct(const mk_bf16_conv2d *d) {
  const mk_conv2d *c = &d->conv;
  const int is_even = c->height == 1 || c->width == 1 || c->input_row_stride == c->width * c->input_pixel_stride;
  return d->input_dtype == MK_BF16 && d->terms == MK_BF16_PLAIN && d->input_channel_stride == 1 && c->groups == 1 && is_even &&
         c->kernel_height == 1 && c->kernel_width == 1 && c->stride_y == 1 && c->stride_x == 1 && c->pad_top == 0 && c->pad_left == 0 &&
         c->output_height == c->height && c->output_width == c->width && c->input_channels > 0 && d->input_factors == NULL &&
         (mk_bf16_uses_vectors(d) ? mk_bf16_suits_vectors(d) : mk_bf16_suits_tiles(d));
}

/// Number of weights in 32 steps of a panel.
#define MK_BF16_BLOCK (MK_BF16_STEPS * MK_BF16_PANEL)

/// Number of split blocks kept if few tiles of slots use them: the current one and the next.
#define MK_BF16_KEPT_BLOCKS 2

/// Returns 1 if all `blocks` split blocks of a panel are kept for `slots` slots. For few slots, splitting again is faster than reading
/// split weights from the L2 cache, since the binary16 numbers have only just been fetched.
static inline int mk_bf16_keeps_panel(ptrdiff_t blocks, ptrdiff_t slots) { return blocks <= 8 || slots > 64; }

/// Layout of the plane of a band: [group][phase y][phase x][row][column][hi, lo][step], or with runs [group][hi, lo][phase y][row][pixel]
/// [channel]. Consecutive output pixels are one column apart whatever the stride. Without runs, input pixels one stride apart are
/// neighbours: each remainder modulo the stride is a phase with its own rows and columns. With runs, a column is `stride_x` pixels, or a
/// separate run if taps are dilated. Output rows are one plane width apart; the slots in between are padding. If products read the input
/// in place, the input itself is the plane.
typedef struct mk_bf16_layout {
  int has_runs, is_direct;
  /// Number of taps (or runs), and steps of each.
  ptrdiff_t taps, steps;
  /// Strides in elements: between slots, from the high part to the low part, and between groups.
  ptrdiff_t slot, lo, group;
  ptrdiff_t phases_y, phases_x, rows, width;
} mk_bf16_layout;

static inline mk_bf16_layout mk_bf16_layout_of(const mk_bf16_conv2d *d, ptrdiff_t rows) {
  const mk_conv2d *c = &d->conv;
  mk_bf16_layout l;
  const ptrdiff_t parts = mk_bf16_parts(d->terms);
  const ptrdiff_t reach_y = (c->kernel_height - 1) * c->dilation_y, reach_x = (c->kernel_width - 1) * c->dilation_x;
  l.has_runs = mk_bf16_has_runs(c->input_channels, c->kernel_width);
  l.is_direct = mk_bf16_is_direct(d);
  l.steps = mk_bf16_tap_steps(c->input_channels, c->kernel_width);
  l.phases_y = mk_min(c->stride_y, reach_y + 1);
  l.rows = rows + reach_y / c->stride_y;
  if (l.has_runs) {
    const int overlap = c->dilation_x == 1;
    l.taps = c->kernel_height;
    l.phases_x = 1;
    l.slot = overlap ? c->stride_x * c->input_channels : l.steps;
    l.width = c->output_width + (overlap ? reach_x / c->stride_x : 0);
    l.lo = mk_bf16_padded(l.phases_y * l.rows * l.width * l.slot + MK_BF16_RUN_TAIL);
    l.group = parts * l.lo;
    return l;
  }
  l.taps = c->kernel_height * c->kernel_width;
  l.lo = l.steps;
  if (l.is_direct) {
    l.slot = mk_bf16_pixel_stride(c);
    l.phases_x = 1;
    l.width = c->output_width;
    l.group = 0;
    return l;
  }
  l.slot = l.steps * parts;
  // Rows a multiple of 1 KiB apart would share few sets of the L1 cache.
  if (l.slot % 512 == 0) l.slot += 32;
  l.phases_x = mk_min(c->stride_x, reach_x + 1);
  l.width = c->output_width + reach_x / c->stride_x;
  l.group = l.phases_y * l.phases_x * l.rows * l.width * l.slot;
  return l;
}

/// A tile of sums computed by vectors: slots by a panel's columns.
typedef struct mk_bf16_vector_tile {
  /// The slots' first elements.
  const uint16_t *rows[MK_BF16_VECTOR_SLOTS];
  const uint16_t *weights;
  /// Taps or runs with their offsets, steps of each, a multiple of `MK_BF16_VECTOR_STEPS`, and distance of the weights of consecutive taps.
  /// Offsets beyond `MK_BF16_KNOWN_TAPS` follow from `conv` and `layout`.
  ptrdiff_t taps, steps, tap_weights;
  const ptrdiff_t *offsets;
  const mk_bf16_conv2d *conv;
  const mk_bf16_layout *layout;
  /// Weights to prefetch, and cache lines of them with each 32 steps.
  const uint16_t *next;
  ptrdiff_t fetch_lines;
  /// Sums by rows of `MK_BF16_PANEL`, if the tile does not store results itself.
  float *sums;
  /// Where the tile stores results itself.
  const ptrdiff_t *places, *residual_places;
  ptrdiff_t column;
} mk_bf16_vector_tile;

/// Weights in a cache line.
#define MK_BF16_LINE 32

/// Lets each of `tiles` tiles that use `count` weights prefetch an equal part of the `count` weights behind them, if those `exist`. With few
/// tiles, products would wait for the next weights.
static inline void mk_bf16_prefetch(mk_bf16_vector_tile *t, ptrdiff_t count, ptrdiff_t tiles, int exist) {
  t->next = t->weights + count;
  t->fetch_lines = exist ? mk_divide_up(MK_BF16_BLOCK / MK_BF16_LINE, tiles) : 0;
}

/// Advances to the part that the next tile prefetches.
static inline void mk_bf16_prefetch_on(mk_bf16_vector_tile *t, ptrdiff_t count) {
  t->next += t->fetch_lines * (count / MK_BF16_BLOCK) * MK_BF16_LINE;
}

/// Writes the sums of a tile of 0 < `slots` <= `MK_BF16_VECTOR_SLOTS` slots by 16 columns, or 32 if there are more than 16. On arm64, an odd
/// number of slots may be followed by sums of another one.
void mk_bf16_vector_sums(const mk_bf16_vector_tile *tile, ptrdiff_t slots, ptrdiff_t columns);

/// A panel of weights that is multiplied by tiles of slots.
typedef struct mk_bf16_panel {
  const uint16_t *packed;
  /// Destination of the split blocks if `packed` holds binary16 numbers: a ring of `kept` blocks. They are valid already unless `is_new`.
  uint16_t *split;
  ptrdiff_t kept;
  int is_new;
  /// Data to prefetch meanwhile, and cache lines per step.
  const uint16_t *next;
  ptrdiff_t fetch_lines;
} mk_bf16_panel;

/// The bits of `value` rounded to bfloat16. Subnormal results are flushed to zero.
static inline uint16_t mk_bf16_round(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  if ((bits & 0x7f800000) == 0) return (uint16_t)(bits >> 16 & 0x8000);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float mk_bf16_value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}

/// The high part of the binary16 number `value` under `MK_BF16_SPLIT_HALVES`; the low part is the remainder.
static inline uint16_t mk_bf16_half_hi(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x8000) >> 16);
}

/// The remainder of `value` after `hi`, as bfloat16; zero if `hi` is not finite.
static inline uint16_t mk_bf16_rest(float value, uint16_t hi) {
  return (hi & 0x7f80) == 0x7f80 ? 0 : mk_bf16_round(value - mk_bf16_value(hi));
}

#endif
