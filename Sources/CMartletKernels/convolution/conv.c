#include "martlet_convolution.h"

#include <assert.h>

#include "conv_types.h"
#include "martlet_convert.h"
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

/// Numbers that are packed as floats at a time before they become binary16.
enum { FLOATS = 160 * 32 };

/// Packs one panel of binary16 numbers, the first channel of which is at `w`.
static void pack_panel(const char *w, const mk_taps *t, ptrdiff_t columns, uint16_t *packed) {
  const ptrdiff_t width = mk_gemm_panel_width(), taps = t->height * t->width, step = FLOATS / (taps * width);
  if (taps == 1 || step == 0) {
    for (ptrdiff_t tap = 0; tap < taps; tap++)
      mk_pack_panel_of_halves(w + (tap / t->width * t->y_stride + tap % t->width * t->x_stride) * mk_dtype_size(t->dtype), t->dtype, t->i_stride,
                              t->o_stride, t->channels, columns, packed + tap * t->channels * width);
    return;
  }
  _Alignas(64) float floats[FLOATS];
  mk_taps part = *t;
  for (ptrdiff_t channel = 0; channel < t->channels; channel += step) {
    part.channels = part.tap_stride = mk_min(step, t->channels - channel);
    const ptrdiff_t count = part.channels * width;
    mk_pack_taps(w + channel * t->i_stride * mk_dtype_size(t->dtype), &part, columns, NULL, floats);
    for (ptrdiff_t tap = 0; tap < taps; tap++)
      mk_convert(MK_F32, floats + tap * count, 1, MK_F16, packed + (tap * t->channels + channel) * width, count);
  }
}

void mk_conv2d_pack_halves(const void *w, int dtype, ptrdiff_t o_stride, ptrdiff_t i_stride, ptrdiff_t y_stride, ptrdiff_t x_stride,
                           ptrdiff_t groups, ptrdiff_t output_channels, ptrdiff_t input_channels, ptrdiff_t kernel_height,
                           ptrdiff_t kernel_width, uint16_t *packed) {
  assert(groups > 0 && output_channels >= 0 && input_channels >= 0 && kernel_height > 0 && kernel_width > 0);
  ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(dtype);
  const mk_taps taps = {dtype, o_stride, i_stride, y_stride, x_stride, input_channels, kernel_height, kernel_width, input_channels};
  for (ptrdiff_t group = 0; group < groups; group++)
    for (ptrdiff_t column = 0; column < output_channels; column += width) {
      pack_panel((const char *)w + (group * output_channels + column) * o_stride * size, &taps, mk_min(width, output_channels - column), packed);
      packed += taps.height * taps.width * input_channels * width;
    }
}

ptrdiff_t mk_conv2d_scratch_count(const mk_conv2d *c) {
  ptrdiff_t count = mk_copied_count(c);
  if (c->weights_are_half) {
    ptrdiff_t per_panel = c->kernel_height * c->kernel_width * c->input_channels * mk_gemm_panel_width();
    count += mk_copies_windows(c) ? mk_gemm_scratch_count(mk_window_count(c), c->output_channels, 0, 0, 1)
                                  : mk_min(mk_half_weights_block(per_panel), mk_gemm_panel_count(c->output_channels)) * per_panel;
  }
  return count;
}

int mk_conv2d_copies_windows(const mk_conv2d *c) { return mk_copies_windows(c); }

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
  assert(conv->output_dtype == MK_F32 ||
         conv->kernel_height * (mk_is_planar(conv) ? conv->input_channels : conv->kernel_width) <= MK_CONV_HALF_TAPS);
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
