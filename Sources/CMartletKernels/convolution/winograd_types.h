/// Declarations shared by the files of the Winograd convolution.
#ifndef MARTLET_WINOGRAD_TYPES_H
#define MARTLET_WINOGRAD_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_winograd.h"

#define MK_DECLARE_WINOGRAD_LEVEL(level)                                                                                        \
  void mk_winograd_f32_##level(const mk_conv2d *c, ptrdiff_t m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1, \
                               float *scratch);                                                                                 \
  void mk_winograd_weights_##level(const float *taps, ptrdiff_t channels, ptrdiff_t m, float *packed);
MK_DECLARE_WINOGRAD_LEVEL(portable)
MK_DECLARE_WINOGRAD_LEVEL(avx2)
MK_DECLARE_WINOGRAD_LEVEL(avx512)
MK_DECLARE_WINOGRAD_LEVEL(neon)

/// Distance between the `tiles` x `width` matrices of consecutive places, in elements. It is never a multiple of a page, because the
/// places would then share few sets of the L1 cache.
static inline ptrdiff_t mk_winograd_place_stride(ptrdiff_t tiles, ptrdiff_t width) { return (tiles * width + 15) / 16 * 16 + 16; }

/// Number of channels whose binary16 taps are transformed at a time, for panels of `width` columns. The result stays in the L2 cache.
static inline ptrdiff_t mk_winograd_channel_block(ptrdiff_t channels, ptrdiff_t places, ptrdiff_t width) {
  return mk_max(1, mk_min(channels, 64 * 1024 / (places * width)));
}

/// Size of the transformed weights of such a block, in floats.
static inline ptrdiff_t mk_winograd_weights_count(ptrdiff_t channels, ptrdiff_t places, ptrdiff_t width) {
  return places * mk_winograd_place_stride(mk_winograd_channel_block(channels, places, width), width);
}

#endif
