/// Products and convolutions of 8-bit and 4-bit integers with exact 32-bit sums.
///
/// Pointers in structures are nullable so that structures can be filled in step by step; kernels require all that do not say "or NULL".
/// A quantised number x represents `(x - zero_point) * scale`. Sums are exact, so every instruction set level gives the same integers. The
/// float32 operations applied to them are the same, in the same order, at every level.
#ifndef MARTLET_QUANTIZED_H
#define MARTLET_QUANTIZED_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_gemm.h"

/// Columns of a packed panel. Arrays of one number per column are padded to whole panels, group by group.
#define MK_Q8_PANEL 32

/// The kernel variant of this process: `portable`, `avx2`, `avx-vnni`, `avx512`, `avx512-vnni`, `amx-int8`, `neon`, `neon-dotprod`
/// or `neon-i8mm`. Constant; thread-safe. The first call requests AMX tiles from the operating system.
const char *_Nonnull mk_q8_level_name(void);

enum mk_q8_output {
  MK_Q8_TO_INT8 = 0,
  MK_Q8_TO_UINT8 = 1,
  MK_Q8_TO_F32 = 2,
};

/// Conversion of a 32-bit sum s over the products of row m and column n to the result.
///
/// Integer results: `clamp(round(s * scale[n] + bias[n]) + zero_point, lowest, highest)`, ties to even. Float32 results:
/// `activation(s * (scale[n] * row_scale[m]) + bias[n])`.
typedef struct mk_q8_epilogue {
  /// An `mk_q8_output`.
  int output;
  /// One factor per column, padded.
  const float *_Nullable scale;
  /// One term per column, padded, or NULL.
  const float *_Nullable bias;
  /// One 32-bit term per column, added to the integer sum, padded, or NULL.
  const int32_t *_Nullable sum_bias;
  /// For integer results.
  int32_t zero_point, lowest, highest;
  /// For float32 results: an `mk_activation` and its parameters.
  int activation;
  float lo, hi;
  /// Scale and zero point of each row of A. If NULL, the scale is 1 and the zero point is the input's.
  const float *_Nullable row_scale;
  const int32_t *_Nullable row_zero_point;
} mk_q8_epilogue;

/// A convolution of channels-last images. With a 1 x 1 kernel and a single image one row high it is a matrix product. Strides count
/// elements.
typedef struct mk_q8_conv2d {
  /// int8, or uint8 if `input_is_unsigned`. Channels of a pixel are contiguous.
  const void *_Nullable input;
  int input_is_unsigned;
  /// Value of padding pixels, and the zero point of the input if there is no `row_zero_point`.
  int32_t input_zero_point;
  ptrdiff_t input_image_stride, input_row_stride, input_pixel_stride;
  ptrdiff_t images, height, width;
  /// Element type given by `epilogue.output`.
  void *_Nullable output;
  ptrdiff_t output_image_stride, output_row_stride, output_pixel_stride;
  ptrdiff_t output_height, output_width;
  /// Input and output channels per group, and the number of groups. A depthwise convolution has 1 and 1, and a group per channel.
  ptrdiff_t input_channels, output_channels, groups;
  ptrdiff_t kernel_height, kernel_width;
  ptrdiff_t stride_y, stride_x, dilation_y, dilation_x;
  ptrdiff_t pad_top, pad_left;
  /// Packed by the packing functions, aligned to 64 bytes.
  const int8_t *_Nullable weights;
  mk_q8_epilogue epilogue;
} mk_q8_conv2d;

/// Size of the packed weights of a dense or grouped convolution, in bytes. They end with one sum per padded column.
ptrdiff_t mk_q8_conv2d_packed_bytes(
  ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width);

/// Packs int8 weights as [group][panel][4 steps of k][column of the panel][step of k], followed by the column sums; some levels take 2 or 8
/// steps, or half a panel, at a time. Columns are padded with zeros to whole panels, and steps to a multiple of 64 (for AMX tiles, at the
/// end of each row of taps). Steps of k run over the taps in row-major order, then over input channels. The weight of output channel `o`
/// (over all groups), input channel `i` and tap (`y`, `x`) is `w[o * o_stride + i * i_stride + y * y_stride + x * x_stride]`. `packed` is
/// aligned to 64 bytes.
void mk_q8_conv2d_pack_weights(
  const int8_t *_Nonnull w, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride, ptrdiff_t groups,
  ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width, int8_t *_Nonnull packed);

/// Scratch memory for one call of `mk_q8_conv2d_run` on `pixels` pixels, in bytes. It must be aligned to 64 bytes.
ptrdiff_t mk_q8_conv2d_scratch_bytes(const mk_q8_conv2d *_Nonnull conv, ptrdiff_t pixels);

/// Computes output pixels `pixel0` ..< `pixel1`, counted over all images, of panels `panel0` ..< `panel1`, counted over all groups.
/// Calls on disjoint parts may run concurrently.
void mk_q8_conv2d_run(
  const mk_q8_conv2d *_Nonnull conv, ptrdiff_t pixel0, ptrdiff_t pixel1, ptrdiff_t panel0, ptrdiff_t panel1, void *_Nonnull scratch);

/// Maximum number of input channels of a Winograd convolution: four times each sum fits 32 bits.
#define MK_Q8_WINOGRAD_CHANNELS 1824

/// Whether this process has a kernel for 3 x 3 convolutions of stride and dilation 1 that takes 4 products per result and channel instead
/// of 9 and gives the same integers.
int mk_q8_winograd_is_supported(ptrdiff_t input_channels);

/// Size of its packed weights in bytes: 3.6 times that of int8.
ptrdiff_t mk_q8_winograd_packed_bytes(ptrdiff_t output_channels, ptrdiff_t input_channels);

/// Transforms and packs the weights `w[o * o_stride + i * i_stride + y * y_stride + x * x_stride]`. `packed` is aligned to 64 bytes.
void mk_q8_winograd_pack_weights(
  const int8_t *_Nonnull w, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride, ptrdiff_t output_channels,
  ptrdiff_t input_channels, int8_t *_Nonnull packed);

/// Scratch memory for one call of `mk_q8_winograd_run` on `tiles` tiles, in bytes. It must be aligned to 64 bytes.
ptrdiff_t mk_q8_winograd_scratch_bytes(const mk_q8_conv2d *_Nonnull conv, ptrdiff_t tiles);

/// Computes tiles `tile0` ..< `tile1` of 2 x 2 results, counted row by row over all images, of panels `panel0` ..< `panel1`. Images have one
/// group, and rows no scales of their own.
void mk_q8_winograd_run(
  const mk_q8_conv2d *_Nonnull conv, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1, void *_Nonnull scratch);

/// Size of the packed weights of a depthwise convolution, in bytes.
ptrdiff_t mk_q8_depthwise2d_packed_bytes(ptrdiff_t channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width);

/// Packs the weights `w[c * c_stride + y * y_stride + x * x_stride]` of channel `c` in an order that depends on the instruction set level.
void mk_q8_depthwise2d_pack_weights(
  const int8_t *_Nonnull w, ptrdiff_t c_stride, ptrdiff_t y_stride, ptrdiff_t x_stride, ptrdiff_t channels, ptrdiff_t kernel_height,
  ptrdiff_t kernel_width, int8_t *_Nonnull packed);

/// Depthwise convolution. `scale`, `bias` and `sum_bias` are padded to a multiple of `MK_Q8_PANEL` channels; row scales are not supported.
/// Computes output rows `row0` ..< `row1`, counted over all images, of all channels.
void mk_q8_depthwise2d_run(const mk_q8_conv2d *_Nonnull conv, ptrdiff_t row0, ptrdiff_t row1);

/// Product of 8-bit rows and a 4-bit matrix that has one scale per block of k:
/// `c[m, n] = activation(row_scale[m] * (sum over blocks b of block_scale[n, b] * (sum over k in b of (a[m, k] - row_zero_point[m]) *
/// w[n, k])) + bias[n])`.
typedef struct mk_q4_linear {
  /// int8. Rows are `a_row_stride` apart; at least `k` rounded up to a multiple of 8 elements of each must be readable.
  const int8_t *_Nullable a;
  ptrdiff_t a_row_stride;
  const float *_Nullable row_scale;
  const int32_t *_Nullable row_zero_point;
  /// Packed by `mk_q4_pack_weights`, aligned to 64 bytes.
  const uint8_t *_Nullable weights;
  float *_Nullable c;
  ptrdiff_t c_row_stride;
  ptrdiff_t k, n, block;
  /// Padded to whole panels, or NULL.
  const float *_Nullable bias;
  int activation;
  float lo, hi;
} mk_q4_linear;

/// Size of a packed matrix, in bytes. `block` is a multiple of 8, or at least `k`.
ptrdiff_t mk_q4_packed_bytes(ptrdiff_t k, ptrdiff_t n, ptrdiff_t block);

/// Packs `n` rows of `k` numbers in -8...7, one per byte, row `j` at `w + j * n_stride`, with the scale `scales[j * s_stride + b]` for
/// block `b`. Layout: [panel][block]([8 steps of k][column][4 bytes, step k in the low half and k + 4 in the high half][scales]), followed
/// by the sum of the scaled weights of each column.
void mk_q4_pack_weights(
  const int8_t *_Nonnull w, ptrdiff_t n_stride, ptrdiff_t k, ptrdiff_t n, ptrdiff_t block, const float *_Nonnull scales,
  ptrdiff_t s_stride, uint8_t *_Nonnull packed);

/// Computes rows `m0` ..< `m1` of panels `panel0` ..< `panel1`.
void mk_q4_linear_run(const mk_q4_linear *_Nonnull linear, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t panel0, ptrdiff_t panel1);

/// Product of 8-bit rows and a 4-bit matrix as `mk_q4_linear`, for a matrix that is read where it lies in a file.
typedef struct mk_q4_in_place {
  /// Rows arranged by `mk_q4_arrange_row`, `a_row_stride` bytes apart.
  const uint8_t *_Nullable a;
  ptrdiff_t a_row_stride;
  const float *_Nullable row_scale;
  const int32_t *_Nullable row_zero_point;
  /// `n` columns of `k / 2` bytes: the low half of byte i is the number of step 2 i, the high half that of step 2 i + 1, with an offset of 8.
  const uint8_t *_Nullable weights;
  /// `n` times `k / block` numbers of type `scale_dtype`: `MK_F32` or `MK_BF16`.
  const void *_Nullable scales;
  int scale_dtype;
  /// The sum of each column's scaled weights, or NULL if all zero points are 0.
  const float *_Nullable column_sums;
  float *_Nullable c;
  ptrdiff_t c_row_stride;
  /// `block` is a multiple of 32, and `k` of `block`.
  ptrdiff_t k, n, block;
  const float *_Nullable bias;
  int activation;
  float lo, hi;
} mk_q4_in_place;

/// Not 0 if this process multiplies rows with a matrix in place at least as fast as with a packed one.
int mk_q4_reads_in_place(void);

/// Size of an arranged row of `k` steps in bytes.
ptrdiff_t mk_q4_arranged_bytes(ptrdiff_t k);

/// Arranges a row of `k` numbers for `mk_q4_in_place_run`, in chunks of 128 steps: 64 of even positions, 64 of odd ones, and -8 times the sums
/// of eight following ones.
void mk_q4_arrange_row(const int8_t *_Nonnull a, ptrdiff_t k, uint8_t *_Nonnull arranged);

/// Computes columns `n0` ..< `n1` of rows `m0` ..< `m1`. `n0` is a multiple of 4, and so is `n1` unless it is `n`.
void mk_q4_in_place_run(const mk_q4_in_place *_Nonnull product, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1);

/// Computes the sums of the scaled weights of columns `n0` ..< `n1`.
void mk_q4_column_sums(const mk_q4_in_place *_Nonnull product, ptrdiff_t n0, ptrdiff_t n1, float *_Nonnull sums);

/// Product of 8-bit rows and an 8-bit matrix that is read where it lies in a file:
/// `c[m, n] = activation(row_scale[m] * scale[n] * (sum over k of (a[m, k] - row_zero_point[m]) * w[n, k]) + bias[n])`. Sums are exact. Zero points
/// are numbers of 8 bits.
typedef struct mk_q8_in_place {
  /// int8; rows are `a_row_stride` apart.
  const int8_t *_Nullable a;
  ptrdiff_t a_row_stride;
  const float *_Nullable row_scale;
  const int32_t *_Nullable row_zero_point;
  /// `n` columns of `k` contiguous numbers.
  const int8_t *_Nullable weights;
  /// `scale_count` numbers: one for each column, or one for all.
  const float *_Nullable scales;
  ptrdiff_t scale_count;
  float *_Nullable c;
  ptrdiff_t c_row_stride;
  ptrdiff_t k, n;
  const float *_Nullable bias;
  int activation;
  float lo, hi;
} mk_q8_in_place;

/// Not 0 if this process multiplies `rows` rows with a matrix in place at least about as fast as with a packed one.
int mk_q8_reads_in_place(ptrdiff_t rows);

/// Computes columns `n0` ..< `n1` of rows `m0` ..< `m1`. `n0` is a multiple of 4, and so is `n1` unless it is `n`. `k` is at most 60,000.
void mk_q8_in_place_run(const mk_q8_in_place *_Nonnull product, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0, ptrdiff_t n1);

/// Quantisation of the sum or product of two quantised operands.
typedef struct mk_q8_binary {
  int32_t a_zero_point, b_zero_point;
  float a_scale, b_scale;
  /// Reciprocal of the result's scale; `a_scale` and `b_scale` are then the operands' own scales. If 0, the result's scale is folded into
  /// the others: for a sum `a_scale` and `b_scale` are divided by it; for a product `a_scale` is the product of the scales divided by it.
  float inverse_scale;
  int32_t zero_point, lowest, highest;
} mk_q8_binary;

/// `y[i] = clamp(round(((a[i] - a0) * a_scale + (b[i] - b0) * b_scale) * inverse_scale) + zero_point)` in float32, ties to even.
/// `y` may be `a` or `b`.
///
/// If `inverse_scale` is 0, it is omitted and the sum is computed as XNNPACK does: scales are fixed-point numbers, the larger one with 21
/// bits, and ties are rounded up. Float32 is used only if the larger scale is outside 2^-10...2^8.
void mk_q8_add(const mk_q8_binary *_Nonnull op, const int8_t *_Nonnull a, const int8_t *_Nonnull b, int8_t *_Nonnull y, ptrdiff_t count);

/// `y[i] = clamp(round((a[i] - a0) * a_scale * ((b[i] - b0) * b_scale) * inverse_scale) + zero_point)` in float32, ties to even. If
/// `inverse_scale` is 0, `clamp(round((a[i] - a0) * (b[i] - b0) * a_scale) + zero_point)`. `y` may be `a` or `b`.
void mk_q8_mul(const mk_q8_binary *_Nonnull op, const int8_t *_Nonnull a, const int8_t *_Nonnull b, int8_t *_Nonnull y, ptrdiff_t count);

/// `y[i] = clamp(round((x[i] - a0) * a_scale * factors[i] * inverse_scale) + zero_point)` in float32, ties to even, for each of `pixels` dense
/// rows of `channels` elements. `inverse_scale` is not 0. NaN becomes `lowest`. `y` may be `x`.
void mk_q8_scale(
  const mk_q8_binary *_Nonnull op, const int8_t *_Nonnull x, const float *_Nonnull factors, int8_t *_Nonnull y, ptrdiff_t pixels,
  ptrdiff_t channels);

/// `y[i] = clamp(round(x[i] * inverse_scale) + zero_point, lowest, highest)`; NaN becomes `lowest`.
void mk_q8_quantize(
  const float *_Nonnull x, float inverse_scale, int32_t zero_point, int32_t lowest, int32_t highest, int8_t *_Nonnull y, ptrdiff_t count);

/// The minimum and maximum of `count` numbers and 0.
void mk_q8_range(const float *_Nonnull x, ptrdiff_t count, float *_Nonnull low, float *_Nonnull high);

/// `y[i] = (x[i] - zero_point) * scale`.
void mk_q8_dequantize(const int8_t *_Nonnull x, float scale, int32_t zero_point, float *_Nonnull y, ptrdiff_t count);

/// `y[i] = table[x[i] + 128]`. `y` may be `x`.
void mk_q8_map(const int8_t *_Nonnull table, const int8_t *_Nonnull x, int8_t *_Nonnull y, ptrdiff_t count);

/// Pooling of channels-last images; windows are clipped to the image. Strides count elements.
typedef struct mk_q8_pool2d {
  const int8_t *_Nullable input;
  ptrdiff_t input_image_stride, input_row_stride, input_pixel_stride, height, width;
  int8_t *_Nullable output;
  ptrdiff_t output_image_stride, output_row_stride, output_pixel_stride, output_height, output_width;
  ptrdiff_t channels, kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top, pad_left;
  /// Of an average: the scale of the input divided by the result's; zero points; bounds.
  float scale;
  int32_t input_zero_point, zero_point, lowest, highest;
  /// Of an average: what sums are divided by, or 0 for the number of elements that the window meets.
  ptrdiff_t divisor;
} mk_q8_pool2d;

/// Maxima of output rows `row0` ..< `row1`, counted over all images. Every window meets the image.
void mk_q8_max_pool2d(const mk_q8_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// Averages, quantised.
void mk_q8_average_pool2d(const mk_q8_pool2d *_Nonnull pool, ptrdiff_t row0, ptrdiff_t row1);

/// `y[r, i] = clamp(round(exp(scale * (x[r, i] - max x[r, :])) / sum * inverse_scale) + zero_point)` for rows of `count` contiguous
/// elements. `exponentials` are `exp(-scale * d)` for d = 0 ..< 256.
void mk_q8_softmax_rows(
  const int8_t *_Nonnull x, ptrdiff_t rows, ptrdiff_t count, const float *_Nonnull exponentials, float inverse_scale,
  int32_t zero_point, int32_t lowest, int32_t highest, int8_t *_Nonnull y);

#endif
