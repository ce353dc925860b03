/// Single-precision convolutions of channels-last images.
#ifndef MARTLET_CONV_H
#define MARTLET_CONV_H

#include <stddef.h>

#include "martlet_gemm.h"

/// Description of a dense or depthwise convolution. Channels of a pixel are contiguous unless the input is planar. Strides count elements.
typedef struct mk_conv2d {
  /// Images of `height` x `width` pixels.
  const float *_Nonnull input;
  ptrdiff_t input_image_stride, input_row_stride, input_pixel_stride;
  ptrdiff_t height, width;
  /// If not 0, the input is planar: the distance between the planes of consecutive channels; pixels of a row are contiguous. Only for
  /// `mk_conv2d_f32` with one group and no dilation along rows. Weights are packed with the roles of channels and kernel columns swapped.
  ptrdiff_t input_plane_stride;
  float *_Nonnull output;
  ptrdiff_t output_image_stride, output_row_stride, output_pixel_stride;
  ptrdiff_t output_height, output_width;
  /// Input and output channels per group, and the number of groups. A depthwise convolution has 1 and 1, and a group per channel.
  ptrdiff_t input_channels, output_channels, groups;
  ptrdiff_t kernel_height, kernel_width;
  ptrdiff_t stride_y, stride_x, dilation_y, dilation_x;
  /// Zero padding above and on the left. Padding below and on the right follows from the output's extents.
  ptrdiff_t pad_top, pad_left;
  /// Packed by the packing functions.
  const float *_Nonnull weights;
  /// Bias per output channel over all groups. The residual has the output's shape, `residual_*` its strides, which are 0 without one;
  /// `epilogue.residual_row_stride` is not used.
  mk_epilogue epilogue;
  ptrdiff_t residual_image_stride, residual_row_stride, residual_pixel_stride;
  /// For `mk_conv2d_f32` and `mk_winograd_f32`: types of the input, and of the output and the residual: `MK_F32`, `MK_F16` or `MK_BF16`.
  /// The pointers point at such elements; strides count them. Sums are float32 and rounded once. A type other than `MK_F32` allows the output
  /// `MK_CONV_HALF_TAPS` taps, where a row of the kernel in one plane counts as one.
  int input_dtype, output_dtype;
  /// Not 0: weights are packed by `mk_conv2d_pack_halves`, also for `mk_winograd_f32`.
  int weights_are_half;
} mk_conv2d;

/// Maximum number of taps for an output that is not float32.
#define MK_CONV_HALF_TAPS 128

/// Size of the packed weights of a dense or grouped convolution, in floats.
ptrdiff_t mk_conv2d_packed_count(ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t taps);

/// Packs weights to [group][panel of output channels][tap row-major][input channel][column of the panel], with zeros beyond the
/// last channel. The element of output channel `o` (over all groups), input channel `i` and tap (`y`, `x`) is
/// `w[o * o_stride + i * i_stride + y * y_stride + x * x_stride]` of type `dtype` (`MK_F32`, `MK_F64`, `MK_F16`, `MK_BF16`);
/// `w` need not be aligned. `output_channels` and `input_channels` are those of one group. Strides may be negative. `o_scale`, if not
/// NULL, has a factor for each output channel over all groups.
void mk_conv2d_pack_weights(
  const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width,
  const float *_Nullable o_scale, float *_Nonnull packed);

/// As `mk_conv2d_pack_weights`, but packs binary16 numbers in the same layout; exact if the weights consist of binary16 numbers. They take
/// 2 * `mk_conv2d_packed_count` bytes.
void mk_conv2d_pack_halves(
  const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width,
  uint16_t *_Nonnull packed);

/// Scratch memory for one call of `mk_conv2d_f32`, in floats.
ptrdiff_t mk_conv2d_scratch_count(const mk_conv2d *_Nonnull conv);

/// Returns 1 if each call of `mk_conv2d_f32` copies the windows of its rows, whatever its panels: few calls should share a row.
int mk_conv2d_copies_windows(const mk_conv2d *_Nonnull conv);

/// Computes output rows `row0` ..< `row1`, counted over all images, of panels `panel0` ..< `panel1`, counted over all groups
/// (`mk_gemm_panel_count(output_channels)` panels each). Calls on disjoint parts may run concurrently.
void mk_conv2d_f32(
  const mk_conv2d *_Nonnull conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t panel0, ptrdiff_t panel1, float *_Nonnull scratch);

/// Depthwise convolution: output channel c depends on input channel c only. `weights` are [tap row-major][channel], `groups` is
/// the number of channels. Computes output rows `row0` ..< `row1`, counted over all images, of channels `channel0` ..< `channel1`.
/// Calls on disjoint parts may run concurrently.
void mk_depthwise2d_f32(const mk_conv2d *_Nonnull conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);

/// The same for input, output and residual in IEEE binary16 or bfloat16 (the pointers in `conv` point at such elements; strides count
/// them). Computed in single precision and rounded to nearest, ties to even.
void mk_depthwise2d_f16(const mk_conv2d *_Nonnull conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);
void mk_depthwise2d_bf16(const mk_conv2d *_Nonnull conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);

#endif
