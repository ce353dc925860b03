/// Declarations shared by the dense and depthwise convolutions.
#ifndef MARTLET_CONV_TYPES_H
#define MARTLET_CONV_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_convolution.h"

#define MK_DECLARE_CONV_LEVEL(level)                                                                                          \
  void mk_conv2d_f32_##level(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t panel0, ptrdiff_t panel1, float *scratch); \
  void mk_depthwise2d_f32_##level(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);  \
  void mk_depthwise2d_f16_##level(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);  \
  void mk_depthwise2d_bf16_##level(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);
MK_DECLARE_CONV_LEVEL(portable)
MK_DECLARE_CONV_LEVEL(avx2)
MK_DECLARE_CONV_LEVEL(avx512)
MK_DECLARE_CONV_LEVEL(neon)
void mk_depthwise2d_bf16_avx512bf16(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1);

/// Size of the strip for planar input, in floats. It is small, because planes are read a few numbers at a time.
#define MK_PLANAR_STRIP_COUNT (24 * 1024)
/// Size of the strip of padded input rows in the L2 cache, in floats, unless one output row needs more.
static inline ptrdiff_t mk_strip_count(const mk_conv2d *c) {
  return c->input_plane_stride != 0 ? MK_PLANAR_STRIP_COUNT : mk_cache_block_bytes() / 2 / (ptrdiff_t)sizeof(float);
}

/// Rows and pixels of input that `rows` output rows cover.
static inline ptrdiff_t mk_covered_rows(const mk_conv2d *c, ptrdiff_t rows) {
  return (rows - 1) * c->stride_y + (c->kernel_height - 1) * c->dilation_y + 1;
}
static inline ptrdiff_t mk_covered_pixels(const mk_conv2d *c) {
  return (c->output_width - 1) * c->stride_x + (c->kernel_width - 1) * c->dilation_x + 1;
}

/// Returns 1 if the input is planar.
static inline int mk_is_planar(const mk_conv2d *c) { return c->input_plane_stride != 0; }

/// Returns 1 if a row of the kernel reaches beyond the left or right edge of the image.
static inline int mk_needs_padding(const mk_conv2d *c) { return c->pad_left > 0 || mk_covered_pixels(c) - c->pad_left > c->width; }

/// Returns 1 if input rows must be copied because of padding or of their type.
static inline int mk_needs_strip(const mk_conv2d *c) { return mk_is_planar(c) || c->input_dtype != MK_F32 || mk_needs_padding(c); }

/// Number of output rows whose input fits the strip; at least one.
static inline ptrdiff_t mk_strip_rows(const mk_conv2d *c) {
  ptrdiff_t row = mk_covered_pixels(c) * c->input_channels, budget = mk_strip_count(c) / mk_max(row, 1);
  ptrdiff_t reach = (c->kernel_height - 1) * c->dilation_y + 1;
  return mk_min(mk_max(1, budget > reach ? (budget - reach) / c->stride_y + 1 : 1), c->output_height);
}

/// Returns 1 if nothing lies between the output rows, nor between those of the residual, so that a product can compute several.
static inline int mk_rows_are_dense(const mk_conv2d *c) {
  return c->output_row_stride == c->output_width * c->output_pixel_stride &&
         c->residual_row_stride == c->output_width * c->residual_pixel_stride;
}

/// Returns 1 if a 1 x 1 kernel reads pixels of the image only, each of which is copied further apart: because of their type, or because
/// they are a multiple of 4 KiB apart and would compete for the same sets of the L1 cache, which has eight ways or more: there are more
/// rows in a tile of AVX-512 alone.
static inline int mk_spreads_pixels(const mk_conv2d *c) {
  return c->kernel_height == 1 && c->kernel_width == 1 && c->groups == 1 && !mk_is_planar(c) && !mk_needs_padding(c) && c->pad_top == 0 &&
         (c->output_height == 0 || (c->output_height - 1) * c->stride_y < c->height) &&
         (c->input_dtype != MK_F32 ||
          (mk_isa() == MK_ISA_AVX512 && c->output_width > 4 && mk_shares_sets(c->stride_x * c->input_pixel_stride)));
}

/// Returns 1 if the pixels of a row are copied in one piece: the kernel is 1 x 1, and they are short enough to fall into different sets
/// of the L1 cache as they are.
static inline int mk_copies_runs(const mk_conv2d *c) {
  return mk_spreads_pixels(c) && c->stride_x * c->input_pixel_stride == c->input_channels && c->input_channels <= 256;
}

/// Numbers in a window of the kernel, and the distance of windows that are copied.
static inline ptrdiff_t mk_window_count(const mk_conv2d *c) { return c->kernel_height * c->kernel_width * c->input_channels; }
static inline ptrdiff_t mk_window_pitch(const mk_conv2d *c) {
  return mk_copies_runs(c) ? c->input_channels : mk_gemm_copied_stride(mk_window_count(c));
}

/// Size of the windows that are copied at a time, in bytes, unless one output row needs more. Where each row is a product of its own,
/// they fit the L1 cache. Windows of several taps need not fit a small L2 cache: they are read in order, and each further band of rows
/// would read all weights again.
static inline ptrdiff_t mk_windows_bytes(const mk_conv2d *c) {
  enum { LEAST_BYTES = 1 << 20 };
  if (!mk_rows_are_dense(c)) return 16 * 1024;
  return c->kernel_height * c->kernel_width == 1 ? mk_cache_block_bytes() / 2 : mk_max(LEAST_BYTES, mk_cache_block_bytes());
}

/// Number of output rows whose windows are copied at a time; at least one.
static inline ptrdiff_t mk_window_rows(const mk_conv2d *c) {
  const ptrdiff_t most = mk_windows_bytes(c) / (ptrdiff_t)sizeof(float) / mk_max(1, c->output_width * mk_window_pitch(c));
  const ptrdiff_t bands = mk_divide_up(c->output_height, mk_max(1, mk_min(most, c->output_height)));
  return mk_max(1, mk_divide_up(c->output_height, mk_max(1, bands)));
}

/// Returns 1 if windows are copied next to each other because tiles of pixels of one output row, or of two halves in two rows, have few
/// rows: those of a 7 x 7 image have 3 and 4 of 6 with AVX2. Few sums at a time do not hide the latency of multiply-adds, and each weight
/// that is loaded serves few of them. A copy must serve several panels.
static inline int mk_joins_rows(const mk_conv2d *c) {
  enum { FEW_ROWS = 4, LEAST_PANELS = 4 };
  if (c->groups != 1 || mk_is_planar(c) || !mk_rows_are_dense(c) || mk_gemm_panel_count(c->output_channels) < LEAST_PANELS) return 0;
  const ptrdiff_t width = c->output_width, height = c->output_height, most = mk_gemm_tile_rows(), band = mk_window_rows(c);
  const ptrdiff_t tiles = mk_divide_up(width, most), splits = 2 * width <= most;
  if ((splits ? 2 * width : width / mk_max(1, tiles)) > FEW_ROWS) return 0;
  const ptrdiff_t apart = splits ? mk_divide_up(height, 2) : height * tiles;
  const ptrdiff_t joined = height / band * mk_divide_up(band * width, most) + mk_divide_up(height % band * width, most);
  return 10 * joined <= 9 * apart;
}

/// Returns 1 if windows are copied and multiplied as the rows of a matrix.
static inline int mk_copies_windows(const mk_conv2d *c) { return mk_spreads_pixels(c) || mk_joins_rows(c); }

/// Size of what is copied of the input, in floats, a multiple of a cache line; 0 if the input is read in place.
static inline ptrdiff_t mk_copied_count(const mk_conv2d *c) {
  if (mk_copies_windows(c)) return mk_round_up(mk_window_rows(c) * c->output_width * mk_window_pitch(c), 16);
  if (!mk_needs_strip(c)) return 0;
  return mk_round_up(mk_covered_rows(c, mk_strip_rows(c)) * mk_covered_pixels(c) * c->input_channels, 16);
}

/// Number of panels of `per_panel` binary16 weights that are converted to float32 at a time.
static inline ptrdiff_t mk_half_weights_block(ptrdiff_t per_panel) {
  return mk_max(1, mk_cache_block_bytes() / 4 / (ptrdiff_t)sizeof(float) / mk_max(per_panel, 1));
}

/// The range `first` ..< `end` of kernel rows inside the input for output row `y`.
static inline void mk_tap_range(ptrdiff_t y, ptrdiff_t stride, ptrdiff_t pad, ptrdiff_t dilation, ptrdiff_t taps, ptrdiff_t extent,
                                ptrdiff_t *first, ptrdiff_t *end) {
  ptrdiff_t origin = y * stride - pad;
  *first = origin < 0 ? mk_min(mk_divide_up(-origin, dilation), taps) : 0;
  *end = origin >= extent ? *first : mk_max(*first, mk_min(taps, (extent - 1 - origin) / dilation + 1));
}

#endif
