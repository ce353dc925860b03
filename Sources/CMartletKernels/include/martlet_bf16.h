/// Matrix products and convolutions of operands rounded to bfloat16, on AMX tiles, with single-precision sums.
#ifndef MARTLET_BF16_H
#define MARTLET_BF16_H

#include <stddef.h>

#include "martlet_convolution.h"

/// What takes an operand's place.
enum mk_bf16_terms {
  /// It, rounded to bfloat16 (to nearest, halves to even): one product. Relative error of a factor: 2^-9.
  MK_BF16_PLAIN = 1,
  /// The same as `MK_BF16_SPLIT`, but for weights that are binary16 numbers and packed as such, in half the memory: products split them
  /// where they pass. Theirs are halves away from zero in hi. Infinite ones count as NaN.
  MK_BF16_SPLIT_HALVES = 2,
  /// Two bfloat16 numbers, hi = round(x) and lo = round(x - hi), and the products hi hi + hi lo + lo hi. Relative error of a factor: 2^-17;
  /// none if it has at most 16 significant bits, as every binary16 number has. What is lost beyond that is lo lo, 2^-18 of the product.
  MK_BF16_SPLIT = 3,
};

/// Whether this process has tiles for bfloat16; constant; thread-safe. The first call asks the operating system for them, so make it before
/// creating threads. Never under a `MARTLET_ISA` that names a level.
int mk_bf16_is_fast(void);

/// A dense or grouped convolution as in `mk_conv2d`, and any product with packed right-hand side: a kernel of 1 x 1 over an image of one
/// column with as many rows as A.
///
/// Subnormal bfloat16 numbers count as zero; finite factors of more than 3.38e38 and infinite ones make what they touch infinite or NaN,
/// with few channels also results of the few pixels before. All else is as in `mk_conv2d`. An element's sum is always made in the same
/// order, so neither threads nor the way in which work is cut up change a bit of it.
typedef struct mk_bf16_conv2d {
  /// Its `weights` are those of `mk_bf16_pack_weights`.
  mk_conv2d conv;
  /// An `mk_bf16_terms`.
  int terms;
  /// `MK_F32`, `MK_F16` or `MK_BF16`: what `conv.input` points at. Its strides count elements of this type.
  int input_dtype;
  /// The same for what `conv.output` and the epilogue's residual point at. Results are rounded to nearest, halves to even.
  int output_dtype;
  /// Distance of a pixel's channels. Other than 1 only for kernels of 1 x 1.
  ptrdiff_t input_channel_stride;
  /// If not NULL, what the channels of all pixels are multiplied with before they are rounded: for a kernel of 1 x 1 over an image of one
  /// column.
  const float *_Nullable input_factors;
  /// Not 0: an infinity or NaN may also make a NaN of the results of the pixel before, which lets products read more inputs in place.
  int shares_non_finite;
  /// Not 0: plain C does the work, with operands rounded alike. It is there to test against, and slow.
  int portable;
  /// `mk_bf16_scratch_bytes` of memory, aligned to 64 bytes, that no other call uses meanwhile.
  void *_Nullable scratch;
} mk_bf16_conv2d;

/// Columns of one packed panel.
#define MK_BF16_PANEL 32

/// Floats' worth of memory that packed weights take.
ptrdiff_t mk_bf16_packed_count(int terms, ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                               ptrdiff_t kernel_width);

/// Packs weights, described as for `mk_conv2d_pack_weights`, of panels `panel0` ..< `panel1`, counted over all groups, into the memory of
/// all of them, which is best aligned to 64 bytes. Layout: [group][panel][32 steps of k][lo, hi][half of the columns][pair of steps]
/// [column][step], or of binary16 numbers [group][panel][32 steps of k][half of the columns][step][column]; the steps of a tap are filled
/// up with zeros to a multiple of 32; where that would cost much, those of a row of taps.
void mk_bf16_pack_weights(
  int terms, const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width,
  ptrdiff_t panel0, ptrdiff_t panel1, float *_Nonnull packed);

/// The work goes in two steps. First the input that a band of output rows of one image covers is rounded and laid out as a plane, then the
/// products are made: rows of the plane, called slots, by panels of weights. Slots are output pixels, and some that belong to none.

/// Bytes of the plane of `rows` output rows, a multiple of 64; 0 where products read a bfloat16 input in place. Best aligned to 64 bytes.
ptrdiff_t mk_bf16_plane_bytes(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Parts that the making of the plane of `rows` output rows can be cut into; 0 for no plane.
ptrdiff_t mk_bf16_unit_count(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Makes parts `unit0` ..< `unit1` of the plane of output rows `y0` ..< `y1`. Calls on disjoint parts may run at the same time.
void mk_bf16_prepare(
  const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
  void *_Nonnull plane);

/// Bytes of memory that a call of `mk_bf16_conv2d_run` needs for itself, a multiple of 64; often 0.
ptrdiff_t mk_bf16_scratch_bytes(const mk_bf16_conv2d *_Nonnull conv);

/// Slots of `rows` output rows.
ptrdiff_t mk_bf16_slot_count(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Computes slots `slot0` ..< `slot1` of output rows `y0` ..< `y1`, whose plane is ready, by panels `panel0` ..< `panel1`, counted over all
/// groups. Calls on disjoint parts may run at the same time. Ranges of a multiple of 32 slots are best.
void mk_bf16_conv2d_run(
  const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const void *_Nonnull plane, ptrdiff_t slot0,
  ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
