/// Dense 3 x 3 convolutions of channels-last images by Winograd's minimal filtering.
#ifndef MARTLET_WINOGRAD_H
#define MARTLET_WINOGRAD_H

#include "martlet_convolution.h"

// Results are computed in tiles of `m` x `m` pixels (`m` is 2 or 4) from (m + 2) x (m + 2) products per pair of channels instead of 9
// m^2. The interpolation points are 0, +-1 and infinity for m = 2, and 0, +-3/4, +-3/2 and infinity for m = 4. With these points, the
// error of a result stays within 4 times that of the direct convolution; with the common points 0, +-1, +-2 it does not.
//
// The functions support convolutions with one group, a 3 x 3 kernel, and strides and dilations of 1. `weights` are packed by
// `mk_winograd_pack_weights`, or by `mk_conv2d_pack_halves` if they are binary16 numbers: these are transformed whenever they are used, in
// single precision.

/// Size of the packed weights, in floats.
ptrdiff_t mk_winograd_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m);

/// Transforms weights in double precision and packs them to [panel of output channels][place of the tile, row-major]
/// [input channel][column of the panel], with zeros beyond the last channel. The arguments are those of `mk_conv2d_pack_weights`.
void mk_winograd_pack_weights(
  const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m, float *_Nonnull packed);

/// Number of tiles in all images.
ptrdiff_t mk_winograd_tile_count(const mk_conv2d *_Nonnull conv, ptrdiff_t images, ptrdiff_t m);

/// Maximum number of tiles per call, chosen so that they stay in the L2 cache together with a panel of weights. `weights_are_half` as in
/// `mk_conv2d`.
ptrdiff_t mk_winograd_block_tiles(ptrdiff_t output_channels, ptrdiff_t input_channels, int weights_are_half, ptrdiff_t m);

/// Scratch memory for one call with up to `tiles` tiles, in floats.
ptrdiff_t mk_winograd_scratch_count(const mk_conv2d *_Nonnull conv, ptrdiff_t m, ptrdiff_t tiles);

/// Computes tiles `tile0` ..< `tile1`, counted row-major over all images, of panels `panel0` ..< `panel1`. Calls on disjoint parts may
/// run concurrently. Results are bitwise equal for any division of the work.
void mk_winograd_f32(
  const mk_conv2d *_Nonnull conv, ptrdiff_t m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1,
  float *_Nonnull scratch);

// The same with products of bfloat16 (`MK_BF16_VECTORS`): transforms in single precision, transformed pixels and weights rounded once, sums
// in single precision. The relative error (root of the mean square) is about 2^-8 with m = 2, twice that of direct products of bfloat16, and
// one per cent with m = 4.

/// Returns 1 if this process has the kernels and they take so many input channels: a multiple of 2, on arm64 of 8.
int mk_winograd_bf16_takes(ptrdiff_t input_channels);

/// Size of the packed weights, in floats.
ptrdiff_t mk_winograd_bf16_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m);

/// As `mk_winograd_pack_weights`, to [panel of `MK_BF16_PANEL` channels][place] of panels as `mk_bf16_pack_weights` packs them.
void mk_winograd_bf16_pack_weights(
  const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m, float *_Nonnull packed);

/// As `mk_winograd_block_tiles`.
ptrdiff_t mk_winograd_bf16_block_tiles(const mk_conv2d *_Nonnull conv, ptrdiff_t m);

/// As `mk_winograd_scratch_count`.
ptrdiff_t mk_winograd_bf16_scratch_count(const mk_conv2d *_Nonnull conv, ptrdiff_t m, ptrdiff_t tiles);

/// As `mk_winograd_f32`, with panels of `MK_BF16_PANEL` channels. `conv.input` has the type `input_dtype`, `conv.output` and the residual
/// `output_dtype`: `MK_F32` or `MK_BF16`. Strides count elements of these types.
void mk_winograd_bf16(
  const mk_conv2d *_Nonnull conv, ptrdiff_t m, int input_dtype, int output_dtype, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0,
  ptrdiff_t panel1, float *_Nonnull scratch);

#endif
