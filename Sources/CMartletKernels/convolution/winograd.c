#include "martlet_winograd.h"

#include <assert.h>

#include "pack_taps.h"
#include "winograd_types.h"

/// Size of the transformed input of one call, in floats.
static ptrdiff_t input_block(void) { return mk_cache_block_bytes() / 4 / (ptrdiff_t)sizeof(float); }
/// Size of the transformed input if the weights exceed this part of the L2 cache or are transformed in each call, in floats.
static ptrdiff_t long_input_block(void) { return mk_cache_block_bytes() / (ptrdiff_t)sizeof(float); }
/// Number of channels whose taps are transformed at a time.
#define PACK_CHANNELS 8

ptrdiff_t mk_winograd_packed_count(ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m) {
  return (m + 2) * (m + 2) * mk_gemm_packed_count(input_channels, output_channels);
}

void mk_winograd_pack_weights(const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride,
                              ptrdiff_t x_stride, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t m, float *packed) {
  assert((m == 2 || m == 4) && output_channels >= 0 && input_channels >= 0);
  enum { MAX_WIDTH = 32 };
  ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype), places = (m + 2) * (m + 2);
  assert(width <= MAX_WIDTH);
  float taps[9 * PACK_CHANNELS * MAX_WIDTH], transformed[36 * PACK_CHANNELS * MAX_WIDTH];
  for (ptrdiff_t column = 0; column < output_channels; column += width) {
    for (ptrdiff_t channel = 0; channel < input_channels; channel += PACK_CHANNELS) {
      ptrdiff_t count = mk_min(PACK_CHANNELS, input_channels - channel);
      const mk_taps part = {dtype, o_stride, i_stride, y_stride, x_stride, count, 3, 3, count};
      mk_pack_taps((const char *)w + (column * o_stride + channel * i_stride) * size, &part, mk_min(width, output_channels - column), NULL,
                   taps);
      MK_CALL_LEVEL(mk_winograd_weights, taps, count, m, transformed);
      for (ptrdiff_t place = 0; place < places; place++) {
        float *to = packed + (place * input_channels + channel) * width;
        for (ptrdiff_t i = 0; i < count * width; i++) to[i] = transformed[place * count * width + i];
      }
    }
    packed += places * input_channels * width;
  }
}

ptrdiff_t mk_winograd_tile_count(const mk_conv2d *c, ptrdiff_t images, ptrdiff_t m) {
  return images * mk_divide_up(c->output_height, m) * mk_divide_up(c->output_width, m);
}

ptrdiff_t mk_winograd_block_tiles(ptrdiff_t output_channels, ptrdiff_t input_channels, int weights_are_half, ptrdiff_t m) {
  ptrdiff_t places = (m + 2) * (m + 2), rows = mk_gemm_tile_rows();
  // Large weights are read again in each call, and binary16 ones transformed again.
  int is_long = weights_are_half || mk_winograd_packed_count(output_channels, input_channels, m) > long_input_block();
  ptrdiff_t budget = is_long ? long_input_block() : input_block();
  ptrdiff_t tiles = budget / (places * mk_max(1, input_channels));
  // Leave room for the products of one panel.
  tiles = mk_min(tiles, input_block() / (places * mk_gemm_panel_width()));
  return mk_max(rows, tiles / rows * rows);
}

ptrdiff_t mk_winograd_scratch_count(const mk_conv2d *c, ptrdiff_t m, ptrdiff_t tiles) {
  ptrdiff_t places = (m + 2) * (m + 2);
  return places * (mk_winograd_place_stride(tiles, c->input_channels) + mk_winograd_place_stride(tiles, mk_gemm_panel_width()) +
                   c->input_channels) + 16 +
         (c->weights_are_half ? mk_winograd_weights_count(c->input_channels, places, mk_gemm_panel_width()) : 0);
}

void mk_winograd_f32(const mk_conv2d *c, ptrdiff_t m, ptrdiff_t tile0, ptrdiff_t tile1, ptrdiff_t panel0, ptrdiff_t panel1,
                     float *scratch) {
  assert((m == 2 || m == 4) && c->groups == 1 && c->kernel_height == 3 && c->kernel_width == 3);
  assert(c->stride_y == 1 && c->stride_x == 1 && c->dilation_y == 1 && c->dilation_x == 1 && c->pad_top >= 0 && c->pad_left >= 0);
  assert(0 <= tile0 && tile0 <= tile1 && 0 <= panel0 && panel0 <= panel1 && panel1 <= mk_gemm_panel_count(c->output_channels));
  assert(mk_epilogue_is_valid(&c->epilogue));
  if (tile0 == tile1 || panel0 == panel1) return;
  MK_CALL_LEVEL(mk_winograd_f32, c, m, tile0, tile1, panel0, panel1, scratch);
}
