/// What the files of `bf16/` share.
#ifndef MARTLET_BF16_TYPES_H
#define MARTLET_BF16_TYPES_H

#include "../gemm/tile_types.h"
#include "martlet_bf16.h"

/// Steps of k of one tile.
#define MK_BF16_STEPS 32
/// Taps whose places in the plane are worked out once for all tiles.
#define MK_BF16_KNOWN_TAPS 128

#if MK_HAS_X86_LEVELS
#define MK_BEGIN_BF16_AMX                                                                                                      \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512bf16,amx-bf16\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_END_BF16_AMX _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#endif

#define MK_DECLARE_BF16_LEVEL(level)                                                                                              \
  void mk_bf16_pack_block_##level(const float *rows, int terms, uint16_t *packed);                                               \
  void mk_bf16_prepare_##level(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0,            \
                               ptrdiff_t unit1, uint16_t *plane);                                                                \
  void mk_bf16_conv2d_run_##level(const mk_bf16_conv2d *d, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const uint16_t *plane,   \
                                  ptrdiff_t slot0, ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1);
MK_DECLARE_BF16_LEVEL(portable)
MK_DECLARE_BF16_LEVEL(amx)

static inline ptrdiff_t mk_bf16_padded(ptrdiff_t steps) { return mk_divide_up(steps, MK_BF16_STEPS) * MK_BF16_STEPS; }

/// Bfloat16 numbers that stand for one factor.
static inline ptrdiff_t mk_bf16_parts(int terms) { return terms == MK_BF16_SPLIT ? 2 : 1; }

/// Inputs of a pixel that planes hold in one row at most.
#define MK_BF16_LONGEST_ROW 1024

/// Whether all taps make one run of steps, so that planes hold a row of inputs for each output pixel: where padding each tap by itself
/// costs much.
static inline int mk_bf16_gathers(ptrdiff_t channels, ptrdiff_t taps) {
  return taps > 1 && taps * channels <= MK_BF16_LONGEST_ROW && 4 * mk_bf16_padded(taps * channels) < 3 * taps * mk_bf16_padded(channels);
}

/// Steps of k of a panel, padding included.
static inline ptrdiff_t mk_bf16_steps(ptrdiff_t channels, ptrdiff_t taps) {
  return mk_bf16_gathers(channels, taps) ? mk_bf16_padded(taps * channels) : taps * mk_bf16_padded(channels);
}

/// How the plane of a band lies: [group][phase y][phase x][row][column][hi, lo][step]. Output pixels are a column apart in it whatever the
/// stride is, because input pixels that are as far apart as the stride says are neighbours: each remainder of the division by the stride is
/// a phase with rows and columns of its own. Output rows follow one another at the plane's width, with slots between them that no pixel
/// belongs to.
typedef struct mk_bf16_layout {
  int gathers;
  /// Steps of a slot, and elements from one slot to the next.
  ptrdiff_t steps, slot;
  ptrdiff_t phases_y, phases_x, rows, width;
  ptrdiff_t slots_per_group;
} mk_bf16_layout;

static inline mk_bf16_layout mk_bf16_layout_of(const mk_bf16_conv2d *d, ptrdiff_t rows) {
  const mk_conv2d *c = &d->conv;
  mk_bf16_layout l;
  ptrdiff_t taps = c->kernel_height * c->kernel_width;
  l.gathers = mk_bf16_gathers(c->input_channels, taps);
  l.steps = mk_bf16_padded(l.gathers ? taps * c->input_channels : c->input_channels);
  l.slot = l.steps * mk_bf16_parts(d->terms);
  // Rows a multiple of 1 KiB apart would share few sets of the L1 cache.
  if (l.slot % 512 == 0) l.slot += 32;
  ptrdiff_t reach_y = (c->kernel_height - 1) * c->dilation_y, reach_x = (c->kernel_width - 1) * c->dilation_x;
  if (l.gathers) reach_y = reach_x = 0;
  l.phases_y = mk_min(c->stride_y, reach_y + 1);
  l.phases_x = mk_min(c->stride_x, reach_x + 1);
  l.rows = rows + reach_y / c->stride_y;
  l.width = c->output_width + reach_x / c->stride_x;
  l.slots_per_group = l.phases_y * l.phases_x * l.rows * l.width;
  return l;
}

/// The bits of `value` rounded to bfloat16, subnormal results as zero.
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

/// What is left of `value` beside `hi`; zero where that is not finite.
static inline uint16_t mk_bf16_rest(float value, uint16_t hi) {
  return (hi & 0x7f80) == 0x7f80 ? 0 : mk_bf16_round(value - mk_bf16_value(hi));
}

#endif
