/// Matrix products and convolutions of operands rounded to bfloat16, on AMX tiles or by vectors of AVX512-BF16 or of arm64's BF16, with
/// single-precision sums.
#ifndef MARTLET_BF16_H
#define MARTLET_BF16_H

#include <stddef.h>

#include "martlet_convolution.h"

/// How an operand is represented in bfloat16.
enum mk_bf16_terms {
  /// Rounded to bfloat16 (to nearest, ties to even): one product per pair of factors. Relative error of a factor: 2^-9.
  MK_BF16_PLAIN = 1,
  /// As `MK_BF16_SPLIT`, for weights that are binary16 numbers. They are packed as binary16, in half the memory, and split on the fly. Here
  /// hi is rounded with ties away from zero. An infinite weight counts as NaN.
  MK_BF16_SPLIT_HALVES = 2,
  /// Split into hi = round(x) and lo = round(x - hi); a product is hi hi + hi lo + lo hi. Relative error of a factor: 2^-17, or none if it
  /// has at most 16 significant bits, as every binary16 number does. The omitted product lo lo is at most 2^-18 of the whole.
  MK_BF16_SPLIT = 3,
};

/// What multiplies bfloat16 numbers faster than single precision.
enum mk_bf16_unit_kind {
  MK_BF16_NO_UNIT = 0,
  /// AVX512-BF16 if `mk_bf16_vectors_are_fast`: twice as fast, for `MK_BF16_PLAIN` alone. Or BFMMLA of arm64, whose sums are rounded to odd
  /// after each pair of products.
  MK_BF16_VECTORS = 1,
  MK_BF16_TILES = 2,
};

/// The `mk_bf16_unit_kind` of this process. Constant; thread-safe. The first call requests tiles from the operating system, so it should
/// precede the creation of threads.
int mk_bf16_unit(void);

/// Returns 1 if this process can use AMX tiles for bfloat16, else 0.
int mk_bf16_is_fast(void);

/// Slots of a tile of the unit in use: ranges of a multiple of them are fastest.
ptrdiff_t mk_bf16_tile_slots(void);

/// A dense or grouped convolution as in `mk_conv2d`. A matrix product A B is the convolution of an image one pixel wide, with a row for
/// each row of A, with a 1 x 1 kernel.
///
/// Subnormal bfloat16 numbers count as zero. Infinite factors and finite ones above 3.38e38 make every result that they contribute to
/// infinite or NaN; with few channels they may also affect a few preceding pixels. Otherwise semantics are those of `mk_conv2d`. The order
/// of summation is fixed: results do not depend on the number of threads or on how the work is split.
typedef struct mk_bf16_conv2d {
  /// `conv.weights` are packed by `mk_bf16_pack_weights`.
  mk_conv2d conv;
  /// An `mk_bf16_terms`.
  int terms;
  /// Element type of `conv.input`: `MK_F32`, `MK_F16` or `MK_BF16`. The input's strides count elements of this type.
  int input_dtype;
  /// Element type of `conv.output` and of the epilogue's residual. Results are rounded to nearest, ties to even.
  int output_dtype;
  /// Elements from one channel of a pixel to the next. Must be 1 unless the kernel is 1 x 1, or three pixels wide or more over up to four
  /// planes with contiguous pixels, in one group and without dilation along rows.
  ptrdiff_t input_channel_stride;
  /// If not NULL, one factor per channel, applied to the input before rounding. Only for a 1 x 1 kernel over an image one pixel wide.
  const float *_Nullable input_factors;
  /// Not 0: an infinity or NaN may also turn results of the preceding pixel into NaN. This lets products read more inputs in place.
  int shares_non_finite;
  /// Not 0: use the portable C implementation, which rounds operands in the same way. Slow; a reference for tests.
  int portable;
  /// `mk_bf16_scratch_bytes` bytes, aligned to 64 bytes, not used by concurrent calls.
  void *_Nullable scratch;
} mk_bf16_conv2d;

/// Columns of one packed panel.
#define MK_BF16_PANEL 32

/// Size of packed weights, in floats.
ptrdiff_t mk_bf16_packed_count(int terms, ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                               ptrdiff_t kernel_width);

/// Packs panels `panel0` ..< `panel1`, counted over all groups. The weights are described as for `mk_conv2d_pack_weights`. `packed` is the
/// buffer of all panels; for speed, align it to 64 bytes.
///
/// Layout: [group][panel][32 steps of k][lo, hi][half of the columns][pair of steps][column][step]; for binary16 numbers
/// [group][panel][32 steps of k][half of the columns][step][column]. With BFMMLA, fours of steps take the place of pairs. The steps of each
/// tap are padded with zeros to a multiple of 32. If that padding would be large, each row of taps is padded instead.
void mk_bf16_pack_weights(
  int terms, const void *_Nonnull w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
  ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height, ptrdiff_t kernel_width,
  ptrdiff_t panel0, ptrdiff_t panel1, float *_Nonnull packed);

/// A convolution takes two steps. The first rounds the input under a band of output rows of one image and lays it out as a plane. The
/// second multiplies rows of the plane, called slots, by panels of weights. Each output pixel has a slot; some slots are padding.

/// Size of the plane of `rows` output rows in bytes, a multiple of 64; 0 if products read a bfloat16 input in place. For speed, align the
/// plane to 64 bytes.
ptrdiff_t mk_bf16_plane_bytes(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Number of units of work in preparing the plane of `rows` output rows; 0 if there is no plane.
ptrdiff_t mk_bf16_unit_count(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Prepares units `unit0` ..< `unit1` of the plane of output rows `y0` ..< `y1`. Calls on disjoint units may run concurrently.
void mk_bf16_prepare(
  const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, ptrdiff_t unit0, ptrdiff_t unit1,
  void *_Nonnull plane);

/// Scratch memory for one call of `mk_bf16_conv2d_run` in bytes, a multiple of 64; often 0.
ptrdiff_t mk_bf16_scratch_bytes(const mk_bf16_conv2d *_Nonnull conv);

/// Number of slots of `rows` output rows.
ptrdiff_t mk_bf16_slot_count(const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t rows);

/// Multiplies slots `slot0` ..< `slot1` of output rows `y0` ..< `y1` by panels `panel0` ..< `panel1`, counted over all groups. The plane
/// must be complete. Calls on disjoint slots or panels may run concurrently.
void mk_bf16_conv2d_run(
  const mk_bf16_conv2d *_Nonnull conv, ptrdiff_t image, ptrdiff_t y0, ptrdiff_t y1, const void *_Nonnull plane, ptrdiff_t slot0,
  ptrdiff_t slot1, ptrdiff_t panel0, ptrdiff_t panel1);

#endif
