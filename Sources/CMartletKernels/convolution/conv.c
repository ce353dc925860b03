#include "martlet_convolution.h"

#include <assert.h>

#include "conv_types.h"
#include "pack_taps.h"

ptrdiff_t mk_conv2d_packed_count(ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t taps) {
  return groups * mk_gemm_packed_count(taps * input_channels, output_channels);
}

void mk_conv2d_pack_weights(const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                            ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                            ptrdiff_t kernel_width, const float *o_scale, float *packed) {
  assert(groups > 0 && output_channels >= 0 && input_channels >= 0 && kernel_height > 0 && kernel_width > 0);
  ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype);
  const mk_taps taps = {dtype, o_stride, i_stride, y_stride, x_stride, input_channels, kernel_height, kernel_width, input_channels};
  for (ptrdiff_t group = 0; group < groups; group++)
    for (ptrdiff_t column = 0; column < output_channels; column += width) {
      ptrdiff_t channel = group * output_channels + column;
      mk_pack_taps((const char *)w + channel * o_stride * size, &taps, mk_min(width, output_channels - column),
                   o_scale == NULL ? NULL : o_scale + channel, packed);
      packed += taps.height * taps.width * input_channels * width;
    }
}

ptrdiff_t mk_conv2d_scratch_count(const mk_conv2d *c) {
  if (mk_spreads_pixels(c)) return mk_spread_rows(c) * c->output_width * mk_spread_pitch(c);
  if (!mk_needs_strip(c)) return 0;
  return mk_covered_rows(c, mk_strip_rows(c)) * mk_covered_pixels(c) * c->input_channels;
}

static void check(const mk_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  assert(c->output_height > 0 && c->output_width > 0 && c->kernel_height > 0 && c->kernel_width > 0);
  assert(c->stride_y > 0 && c->stride_x > 0 && c->dilation_y > 0 && c->dilation_x > 0 && c->pad_top >= 0 && c->pad_left >= 0);
  assert(0 <= row0 && row0 <= row1 && mk_epilogue_is_valid(&c->epilogue));
  (void)c, (void)row0, (void)row1;
}

void mk_conv2d_f32(const mk_conv2d *conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t panel0, ptrdiff_t panel1, float *scratch) {
  check(conv, row0, row1);
  assert(!mk_is_planar(conv) || (conv->groups == 1 && conv->dilation_x == 1 && conv->input_pixel_stride == 1));
  assert(0 <= panel0 && panel0 <= panel1 && panel1 <= conv->groups * mk_gemm_panel_count(conv->output_channels));
  MK_CALL_LEVEL(mk_conv2d_f32, conv, row0, row1, panel0, panel1, scratch);
}

void mk_depthwise2d_f32(const mk_conv2d *conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  check(conv, row0, row1);
  assert(conv->input_channels == 1 && conv->output_channels == 1);
  assert(0 <= channel0 && channel0 <= channel1 && channel1 <= conv->groups);
  MK_CALL_LEVEL(mk_depthwise2d_f32, conv, row0, row1, channel0, channel1);
}

void mk_depthwise2d_f16(const mk_conv2d *conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  check(conv, row0, row1);
  assert(conv->input_channels == 1 && conv->output_channels == 1);
  assert(0 <= channel0 && channel0 <= channel1 && channel1 <= conv->groups);
  MK_CALL_LEVEL(mk_depthwise2d_f16, conv, row0, row1, channel0, channel1);
}

void mk_depthwise2d_bf16(const mk_conv2d *conv, ptrdiff_t row0, ptrdiff_t row1, ptrdiff_t channel0, ptrdiff_t channel1) {
  check(conv, row0, row1);
  assert(conv->input_channels == 1 && conv->output_channels == 1);
  assert(0 <= channel0 && channel0 <= channel1 && channel1 <= conv->groups);
#if MK_HAS_X86_LEVELS
  if (mk_isa() == MK_ISA_AVX512 && (mk_cpu_features() & MK_CPU_AVX512_BF16)) {
    mk_depthwise2d_bf16_avx512bf16(conv, row0, row1, channel0, channel1);
    return;
  }
#endif
  MK_CALL_LEVEL(mk_depthwise2d_bf16, conv, row0, row1, channel0, channel1);
}
