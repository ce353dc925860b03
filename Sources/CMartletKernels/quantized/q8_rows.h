/// The rows of A that one level's tiles read, as template text: pixels gathered over the taps of the kernel, so that every
/// convolution is a product. `Q8_A` is what the level keeps of a number: `Q8_WIDE` 16-bit integers, `Q8_BIASED` bytes that stand 128
/// too high for int8, `Q8_SIGNED` bytes that stand 128 too low for uint8, `Q8_PLAIN` the bytes of the image.

#if Q8_A == Q8_WIDE
typedef int16_t MK_FN(q8_a);
#else
typedef uint8_t MK_FN(q8_a);
#endif

#if Q8_A == Q8_WIDE
MK_INLINE void q8_copy(MK_FN(q8_a) *to, const uint8_t *from, ptrdiff_t count, int is_unsigned) {
  if (is_unsigned) for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i];
  else for (ptrdiff_t i = 0; i < count; i++) to[i] = (int8_t)from[i];
}

MK_INLINE void q8_fill(MK_FN(q8_a) *to, int32_t value, ptrdiff_t count, int is_unsigned) {
  (void)is_unsigned;
  for (ptrdiff_t i = 0; i < count; i++) to[i] = (int16_t)value;
}
#elif Q8_A == Q8_SIGNED
MK_INLINE void q8_copy(uint8_t *to, const uint8_t *from, ptrdiff_t count, int is_unsigned) {
  const uint8_t flip = is_unsigned ? 0x80 : 0;
  for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i] ^ flip;
}

MK_INLINE void q8_fill(uint8_t *to, int32_t value, ptrdiff_t count, int is_unsigned) {
  memset(to, (value ^ (is_unsigned ? 0x80 : 0)) & 0xff, (size_t)count);
}
#else
MK_INLINE __m512i q8_flip(int is_unsigned) {
  return Q8_A == Q8_BIASED && !is_unsigned ? _mm512_set1_epi8((char)0x80) : _mm512_setzero_si512();
}

MK_INLINE __mmask64 q8_mask(ptrdiff_t count) { return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

MK_INLINE void q8_copy(uint8_t *to, const uint8_t *from, ptrdiff_t count, int is_unsigned) {
  __m512i flip = q8_flip(is_unsigned);
  for (; count > 64; count -= 64, to += 64, from += 64)
    _mm512_storeu_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
  if (count <= 0) return;
  __mmask64 mask = q8_mask(count);
  _mm512_mask_storeu_epi8(to, mask, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip));
}

MK_INLINE void q8_fill(uint8_t *to, int32_t value, ptrdiff_t count, int is_unsigned) {
  __m512i v = _mm512_xor_si512(_mm512_set1_epi8((char)value), q8_flip(is_unsigned));
  for (; count > 64; count -= 64, to += 64) _mm512_storeu_si512(to, v);
  if (count > 0) _mm512_mask_storeu_epi8(to, q8_mask(count), v);
}
#endif

/// Gathers the inputs of the output pixel (`y`, `x`) of one image and group, those of the kernel's rows `pitch` apart.
MK_INLINE void q8_gather(const mk_q8_conv2d *c, const uint8_t *image, ptrdiff_t y, ptrdiff_t x, ptrdiff_t pitch, MK_FN(q8_a) *to) {
  const ptrdiff_t channels = c->input_channels, width = c->kernel_width, pixel = c->input_pixel_stride;
  const int is_unsigned = c->input_is_unsigned;
  const int32_t zero = c->input_zero_point;
  const ptrdiff_t top = y * c->stride_y - c->pad_top, left = x * c->stride_x - c->pad_left;
  if (c->kernel_height == 1 && width == 1) {
    if (top >= 0 && top < c->height && left >= 0 && left < c->width)
      q8_copy(to, image + top * c->input_row_stride + left * pixel, channels, is_unsigned);
    else q8_fill(to, zero, channels, is_unsigned);
    return;
  }
  // Pixels that follow one another make one run of all columns of the kernel.
  const int merged = c->dilation_x == 1 && pixel == channels;
#if Q8_A == Q8_BIASED || Q8_A == Q8_PLAIN
  if (merged && width * channels <= 64 && left >= 0 && left + width <= c->width && top >= 0 &&
      top + (c->kernel_height - 1) * c->dilation_y < c->height) {
    // Short runs inside the image, as those of images of three channels.
    const ptrdiff_t run = width * channels, row = c->dilation_y * c->input_row_stride;
    const __mmask64 mask = q8_mask(run);
    const __m512i flip = q8_flip(is_unsigned);
    const uint8_t *from = image + top * c->input_row_stride + left * channels;
    for (ptrdiff_t i = 0; i < c->kernel_height; i++, from += row, to += pitch)
      _mm512_mask_storeu_epi8(to, mask, _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip));
    return;
  }
#endif
  ptrdiff_t first = mk_min(left < 0 ? -left : 0, width), end = mk_max(first, mk_min(width, c->width - left));
  for (ptrdiff_t i = 0; i < c->kernel_height; i++, to += pitch) {
    ptrdiff_t row = top + i * c->dilation_y;
    if (row < 0 || row >= c->height) {
      q8_fill(to, zero, width * channels, is_unsigned);
      continue;
    }
    const uint8_t *from = image + row * c->input_row_stride;
    if (merged) {
      if (first > 0) q8_fill(to, zero, first * channels, is_unsigned);
      if (end > first) q8_copy(to + first * channels, from + (left + first) * channels, (end - first) * channels, is_unsigned);
      if (end < width) q8_fill(to + end * channels, zero, (width - end) * channels, is_unsigned);
      continue;
    }
    for (ptrdiff_t j = 0; j < width; j++) {
      ptrdiff_t column = left + j * c->dilation_x;
      if (column >= 0 && column < c->width) q8_copy(to + j * channels, from + column * pixel, channels, is_unsigned);
      else q8_fill(to + j * channels, zero, channels, is_unsigned);
    }
  }
}
