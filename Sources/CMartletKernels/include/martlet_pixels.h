/// Pixels: channel orders, number formats, resampling, chroma, orientation, blending. Functions work on rows or parts of them.
///
/// Samples of 8 bits lie interleaved: a pixel has `step` bytes (1 to 4), and channel c is its byte `places[c]`. Strides count bytes.
/// Nothing is read or written outside of the pixels that the arguments name. Sources and destinations do not overlap unless stated.
/// Results of integers are the same for every processor.
#ifndef MARTLET_PIXELS_H
#define MARTLET_PIXELS_H

#include <stddef.h>
#include <stdint.h>

#include "martlet_dtype.h"

#pragma clang assume_nonnull begin

// MARK: Channels

/// Copies `count` pixels to another channel order: byte c of a result is byte `places[c]` of the source, or 255 where that is -1.
/// `target == source` is allowed if
/// `target_step <= source_step`.
void mk_pixels_reorder(
    const uint8_t *source, int source_step, uint8_t *target, int target_step, const int8_t *places, ptrdiff_t count);

/// `planes[c][i * stride] = pixel[i][places[c]] * scale[c] + bias[c]` for `channels` (1 to 4) planes of `dtype`: `MK_F32`, `MK_F16`, or
/// `MK_U8`, which rounds to nearest, ties to even, and clamps. `stride` counts elements.
void mk_pixels_to_planes(
    const uint8_t *source, int step, int channels, const int8_t *places, const float *scale, const float *bias, int dtype,
    void *_Nonnull const *_Nonnull planes, ptrdiff_t stride, ptrdiff_t count);

/// The other direction: byte `places[c]` of a pixel is `planes[c][i * stride] * scale[c] + bias[c]`, rounded to nearest, ties to even, and
/// clamped; NaN gives 0. `dtype` is `MK_F32`, `MK_F16` or `MK_U8`. Bytes that no channel names become 255.
void mk_planes_to_pixels(
    int dtype, const void *_Nonnull const *_Nonnull planes, ptrdiff_t stride, int channels, const int8_t *places, const float *scale,
    const float *bias, uint8_t *target, int step, ptrdiff_t count);

/// The luma of red, green and blue at bytes `places`: `(19595 R + 38470 G + 7471 B + 32768) >> 16` (ITU-R BT.601).
void mk_pixels_luma(const uint8_t *source, int step, const int8_t *places, uint8_t *target, ptrdiff_t count);

// MARK: Resampling

/// Fractional bits of the fixed-point weights of samples of 8 bits.
enum { MK_RESAMPLE_BITS = 22 };
/// A weight is `high * 2^11 + low`, with `low` from -1024 to 1023, so that both parts fit 16 bits.
enum { MK_RESAMPLE_LOW_BITS = 11 };
/// Tables of weights have a stride that is a multiple of this; what follows a position's weights is 0.
enum { MK_RESAMPLE_TAPS = 8 };

/// Weights of an axis: output position i is the sum over k < `counts[i]` of the samples at `starts[i] + k`, times weight `i * stride + k`.
typedef struct mk_resampling {
  const int32_t *starts;
  const int32_t *counts;
  ptrdiff_t stride;
  /// For samples of 8 bits that are rounded to 8 bits after each axis: both parts of the weights.
  const int16_t *_Nullable high;
  const int16_t *_Nullable low;
  /// For sums in single precision.
  const float *_Nullable weights;
} mk_resampling;

/// Resamples a row: channel c of output pixel `x` (`first` <= x < `end`) is `target[(x - first) * channels + c]`, the rounded sum over the
/// source's bytes `places[c]`. `channels` is 1 to 4. `width` is the number of pixels of the source's row.
void mk_resample_row_u8(
    const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width, ptrdiff_t first,
    ptrdiff_t end, uint8_t *target);

/// The same without rounding, as floats of `channels` (1 or 4) to a pixel. Channels whose place is -1 are 0.
void mk_resample_row_u8_f32(
    const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width, ptrdiff_t first,
    ptrdiff_t end, float *target);

/// The same for floats, `channels` (1 to 4) to a pixel.
void mk_resample_row_f32(
    const mk_resampling *axis, const float *source, int channels, ptrdiff_t first, ptrdiff_t end, float *target);

/// Resamples columns: output row `y` of `axis` from rows of `count` samples, of which `rows` is row `first_row`.
void mk_resample_column_u8(
    const mk_resampling *axis, ptrdiff_t y, const uint8_t *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count,
    uint8_t *target);

/// The same in single precision; the row stride counts floats. `dtype` is that of the result: `MK_F32`, or `MK_U8` or `MK_U16`, which round
/// to nearest, halves away from zero, and clamp.
void mk_resample_column_f32(
    const mk_resampling *axis, ptrdiff_t y, const float *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count, int dtype,
    void *target);

/// Averages boxes of `x_factor` times `y_factor` pixels, each rounded once as Pillow's `Image.reduce` does: output pixel i of a row is the
/// box at pixel `i * x_factor`. `width` pixels are in a row and `height` rows at `source`; the last box may be narrower, the only row of boxes
/// lower than the factor. `step` is 1 to 4 channels.
void mk_pixels_reduce_row(
    const uint8_t *source, ptrdiff_t row_stride, int step, ptrdiff_t width, int x_factor, int height, uint32_t *sums, uint8_t *target);

// MARK: Chroma

/// A matrix from luma and chroma to colours, in fixed point with 13 fractional bits.
typedef struct mk_chroma_matrix {
  /// Subtracted from luma, for samples of 8 bits.
  int16_t luma_offset;
  int16_t luma;
  int16_t red_cr, green_cb, green_cr, blue_cb;
} mk_chroma_matrix;

/// Converts `count` pixels of luma, with a pair of chroma (Cb, Cr) for every two, to red, green, blue and 255. With `bits` 10, samples are the
/// high bits of 16-bit little-endian words.
void mk_chroma_to_pixels(
    const mk_chroma_matrix *matrix, int bits, const void *luma, const void *chroma, uint8_t *target, ptrdiff_t count);

/// A matrix from colours to luma and chroma, in fixed point with 14 fractional bits.
typedef struct mk_luma_matrix {
  int16_t luma_offset;
  int16_t luma[3], cb[3], cr[3];
} mk_luma_matrix;

/// Converts two rows of `count` pixels (red, green, blue at bytes `places`) to luma and, by the mean of each square, chroma. `second` and
/// `second_luma` are NULL for a last row without a partner.
void mk_pixels_to_chroma(
    const mk_luma_matrix *matrix, int bits, const uint8_t *first, const uint8_t *_Nullable second, int step, const int8_t *places,
    void *first_luma, void *_Nullable second_luma, void *chroma, ptrdiff_t count);

// MARK: Arrangement and alpha

/// Copies an image of `width` times `height` pixels of `pixel_bytes` (1 to 16): the pixel at column x of row y goes to
/// `target + x * column_stride + y * row_stride`; strides may be negative.
void mk_pixels_arrange(
    const void *source, ptrdiff_t source_row_stride, ptrdiff_t width, ptrdiff_t height, int pixel_bytes, void *target,
    ptrdiff_t column_stride, ptrdiff_t row_stride);

/// Multiplies the colours of `count` pixels of four bytes by alpha, which is byte `alpha` (0 or 3), rounded as Pillow does. In place allowed.
void mk_pixels_premultiply(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);

/// Divides colours by alpha: `color * 255 / alpha`, rounded down and clamped; unchanged for alpha 0. In place allowed.
void mk_pixels_unpremultiply(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);

/// `target = source + target * (255 - alpha) / 255`, rounded, for premultiplied pixels of four bytes whose alpha is byte `alpha` (0 or 3).
void mk_pixels_blend(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count);

/// `target = source + target * (1 - alpha)` for premultiplied pixels of four floats whose alpha is element `alpha` (0 or 3).
void mk_pixels_blend_f32(const float *source, int alpha, float *target, ptrdiff_t count);

#pragma clang assume_nonnull end

#endif
