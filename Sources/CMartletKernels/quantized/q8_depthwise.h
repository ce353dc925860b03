/// The depthwise convolution of one level, as template text after `q8_finish.h`: weights as `mk_q8_depthwise2d_pack_weights` leaves
/// them for levels without dot products, [tap row-major][channel].

MK_INLINE void q8_depthwise_tap(int32_t *sums, const uint8_t *x, const int8_t *w, int32_t zero, ptrdiff_t count, const int is_unsigned) {
  for (ptrdiff_t j = 0; j < count; j++)
    sums[j] = (int32_t)((uint32_t)sums[j] + (uint32_t)(((is_unsigned ? x[j] : (int8_t)x[j]) - zero) * w[j]));
}

void MK_FN(mk_q8_depthwise2d)(const mk_q8_conv2d *c, ptrdiff_t row0, ptrdiff_t row1) {
  const ptrdiff_t padded = mk_round_up(c->groups, MK_Q8_DEPTHWISE_BLOCK);
  const mk_q8_epilogue *e = &c->epilogue;
  const int32_t none[MK_Q8_PANEL] = {0};
  for (ptrdiff_t row = row0; row < row1; row++) {
    const ptrdiff_t image = row / c->output_height, top = row % c->output_height * c->stride_y - c->pad_top;
    for (ptrdiff_t x = 0; x < c->output_width; x++) {
      const ptrdiff_t left = x * c->stride_x - c->pad_left;
      const ptrdiff_t place = image * c->output_image_stride + row % c->output_height * c->output_row_stride + x * c->output_pixel_stride;
      for (ptrdiff_t channel = 0; channel < c->groups; channel += MK_Q8_PANEL) {
        const ptrdiff_t count = mk_min(MK_Q8_PANEL, c->groups - channel);
        int32_t sums[MK_Q8_PANEL];
        memcpy(sums, e->sum_bias == NULL ? none : e->sum_bias + channel, sizeof sums);
        for (ptrdiff_t i = 0; i < c->kernel_height; i++) {
          const ptrdiff_t input_row = top + i * c->dilation_y;
          if (input_row < 0 || input_row >= c->height) continue;
          for (ptrdiff_t j = 0; j < c->kernel_width; j++) {
            const ptrdiff_t column = left + j * c->dilation_x;
            if (column < 0 || column >= c->width) continue;
            const uint8_t *from = (const uint8_t *)c->input + image * c->input_image_stride + input_row * c->input_row_stride +
                                  column * c->input_pixel_stride + channel;
            const int8_t *w = c->weights + (i * c->kernel_width + j) * padded + channel;
            // Full blocks have a constant count, which the vectoriser likes.
            if (count == MK_Q8_PANEL && !c->input_is_unsigned) q8_depthwise_tap(sums, from, w, c->input_zero_point, MK_Q8_PANEL, 0);
            else if (c->input_is_unsigned) q8_depthwise_tap(sums, from, w, c->input_zero_point, count, 1);
            else q8_depthwise_tap(sums, from, w, c->input_zero_point, count, 0);
          }
        }
        const float *scale = e->scale + channel, *bias = e->bias == NULL ? NULL : e->bias + channel;
        if (e->output == MK_Q8_TO_F32)
          q8_store_f32(sums, none, 0, 1.0f, scale, bias, e, (float *)c->output + place + channel, count);
        else q8_store_int(sums, scale, bias, e, (uint8_t *)c->output + place + channel, count);
      }
    }
  }
}
