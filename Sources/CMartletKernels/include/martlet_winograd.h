/// Dense 3 x 3 convolutions of channels-last images by Winograd's minimal filtering.
#ifndef MARTLET_WINOGRAD_H
#define MARTLET_WINOGRAD_H

#include "martlet_convolution.h"

// Results are computed in tiles of `m` x `m` pixels (`m` is 2 or 4) from (m + 2) x (m + 2) products per pair of channels instead of 9
// m^2. The interpolation points are 0, +-1 and infinity for m = 2, and 0, +-3/4, +-3/2 and infinity for m = 4. With these points, the
// error of a result stays within 4 times that of the direct convolution; with the common points 0, +-1, +-2 it does not.
//
// The functions support convolutions with one group, a 3 x 3 kernel, and strides and dilations of 1. `weights` are packed by
// `mk_winograd_pack_weights`.

/// Size of the packed weights, in floats.
ptrdiff_t mk_winograd_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m);

/// Transforms weights in double precision and packs them to [panel of output channels][place of the tile, row-major]
/// [input channel][column of the panel], with zeros beyond the last channel. The arguments are those of `mk_conv2d_pack_weights`.
void mk_winograd_pack_weights(
  const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m, float *_Nonnull packed);

/// Number of tiles in all images.
ptrdiff_t mk_winograd_tile_count(const mk_conv2d *_Nonnull conv, ptrdiff_t images, ptrdiff_t m);

/// Maximum number of tiles per call, chosen so that they stay in the L2 cache together with a panel of weights.
ptrdiff_t mk_winograd_block_tiles(const mk_conv2d *_Nonnull conv, ptrdiff_t m);

/// Scratch memory for one call with up to `tiles` tiles, in floats.
ptrdiff_t mk_winograd_scratch_count(const mk_conv2d *_Nonnull conv, ptrdiff_t m, ptrdiff_t tiles);

/// Computes tiles `tile0` ..< `tile1`, counted row-major over all images, of panels `panel0` ..< `panel1`. Calls on disjoint parts may
/// run concurrently. Results are bitwise equal for any division of the work.
void mk_winograd_f32(
  const mk_conv2d *_Nonnull conv, ptrdiff_t m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1,
  float *_Nonnull scratch);

#endif
