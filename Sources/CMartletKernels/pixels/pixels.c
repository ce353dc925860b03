#include "martlet_pixels.h"

#include <assert.h>

#include "../simd/levels.h"
#include "martlet_convert.h"
#include "pixels_types.h"

static void check_places(int step, int channels, const int8_t *places) {
  assert(step >= 1 && step <= 4 && channels >= 1 && channels <= 4);
  for (int c = 0; c < channels; c++) assert(places[c] >= -1 && places[c] < step);
  (void)step, (void)channels, (void)places;
}

// MARK: Channels

void mk_pixels_reorder(
    const uint8_t *source, int source_step, uint8_t *target, int target_step, const int8_t *places, ptrdiff_t count) {
  check_places(source_step, target_step, places);
  assert(count >= 0);
  MK_CALL_LEVEL(mk_pixels_reorder, source, source_step, target, target_step, places, count);
}

enum { BLOCK = 256 };

void mk_pixels_to_planes(
    const uint8_t *source, int step, int channels, const int8_t *places, const float *scale, const float *bias, int dtype,
    void *const *planes, ptrdiff_t stride, ptrdiff_t count) {
  check_places(step, channels, places);
  assert(count >= 0 && stride > 0 && (dtype == MK_F32 || dtype == MK_F16 || dtype == MK_U8));
  if (dtype == MK_F32) {
    MK_CALL_LEVEL(mk_pixels_to_floats, source, step, channels, places, scale, bias, (float *const *)planes, stride, count);
    return;
  }
  float block[4][BLOCK];
  float *const blocks[4] = {block[0], block[1], block[2], block[3]};
  for (ptrdiff_t start = 0; start < count; start += BLOCK) {
    ptrdiff_t n = count - start < BLOCK ? count - start : BLOCK;
    MK_CALL_LEVEL(mk_pixels_to_floats, source + start * step, step, channels, places, scale, bias, blocks, 1, n);
    for (int c = 0; c < channels; c++) {
      if (dtype == MK_F16) {
        mk_convert_strided_dst(MK_F32, block[c], 1, MK_F16, (uint16_t *)planes[c] + start * stride, stride, n);
        continue;
      }
      uint8_t bytes[BLOCK];
      uint8_t *plane = (uint8_t *)planes[c] + start * stride;
      MK_CALL_LEVEL(mk_floats_to_bytes, block[c], stride == 1 ? plane : bytes, n);
      if (stride != 1)
        for (ptrdiff_t i = 0; i < n; i++) plane[i * stride] = bytes[i];
    }
  }
}

void mk_planes_to_pixels(
    int dtype, const void *const *planes, ptrdiff_t stride, int channels, const int8_t *places, const float *scale, const float *bias,
    uint8_t *target, int step, ptrdiff_t count) {
  check_places(step, channels, places);
  assert(count >= 0 && stride > 0 && (dtype == MK_F32 || dtype == MK_F16 || dtype == MK_U8));
  if (dtype == MK_F32) {
    MK_CALL_LEVEL(mk_floats_to_pixels, (const float *const *)planes, stride, channels, places, scale, bias, target, step, count);
    return;
  }
  float block[4][BLOCK];
  const float *const blocks[4] = {block[0], block[1], block[2], block[3]};
  for (ptrdiff_t start = 0; start < count; start += BLOCK) {
    ptrdiff_t n = count - start < BLOCK ? count - start : BLOCK;
    for (int c = 0; c < channels; c++) {
      const char *samples = (const char *)planes[c] + start * stride * mk_dtype_size(dtype);
      mk_convert(dtype, samples, stride, MK_F32, block[c], n);
    }
    MK_CALL_LEVEL(mk_floats_to_pixels, blocks, 1, channels, places, scale, bias, target + start * step, step, n);
  }
}

void mk_pixels_luma(const uint8_t *source, int step, const int8_t *places, uint8_t *target, ptrdiff_t count) {
  check_places(step, 3, places);
  assert(count >= 0);
  MK_CALL_LEVEL(mk_pixels_luma, source, step, places, target, count);
}

// MARK: Resampling

static void check_axis(const mk_resampling *axis, ptrdiff_t first, ptrdiff_t end) {
  assert(axis->stride > 0 && axis->stride % MK_RESAMPLE_TAPS == 0 && first >= 0 && first <= end);
  (void)axis, (void)first, (void)end;
}

void mk_resample_row_u8(
    const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width, ptrdiff_t first,
    ptrdiff_t end, uint8_t *target) {
  check_places(step, channels, places);
  check_axis(axis, first, end);
  assert(axis->high != NULL && axis->low != NULL);
  MK_CALL_LEVEL(mk_resample_row_u8, axis, source, step, places, channels, width, first, end, target);
}

void mk_resample_row_u8_f32(
    const mk_resampling *axis, const uint8_t *source, int step, const int8_t *places, int channels, ptrdiff_t width, ptrdiff_t first,
    ptrdiff_t end, float *target) {
  check_places(step, channels, places);
  check_axis(axis, first, end);
  assert(axis->weights != NULL && (channels == 1 || channels == 4));
  MK_CALL_LEVEL(mk_resample_row_u8_f32, axis, source, step, places, channels, width, first, end, target);
}

void mk_resample_row_f32(const mk_resampling *axis, const float *source, int channels, ptrdiff_t first, ptrdiff_t end, float *target) {
  check_axis(axis, first, end);
  assert(axis->weights != NULL && channels >= 1 && channels <= 4);
  MK_CALL_LEVEL(mk_resample_row_f32, axis, source, channels, first, end, target);
}

void mk_resample_column_u8(
    const mk_resampling *axis, ptrdiff_t y, const uint8_t *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count,
    uint8_t *target) {
  check_axis(axis, y, y);
  assert(axis->high != NULL && axis->low != NULL && axis->starts[y] >= first_row && count >= 0);
  MK_CALL_LEVEL(mk_resample_column_u8, axis, y, rows, row_stride, first_row, count, target);
}

void mk_resample_column_f32(
    const mk_resampling *axis, ptrdiff_t y, const float *rows, ptrdiff_t row_stride, ptrdiff_t first_row, ptrdiff_t count, int dtype,
    void *target) {
  check_axis(axis, y, y);
  assert(axis->weights != NULL && axis->starts[y] >= first_row && count >= 0);
  assert(dtype == MK_F32 || dtype == MK_U8 || dtype == MK_U16);
  MK_CALL_LEVEL(mk_resample_column_f32, axis, y, rows, row_stride, first_row, count, dtype, target);
}

void mk_pixels_reduce_row(
    const uint8_t *source, ptrdiff_t row_stride, int step, ptrdiff_t width, int x_factor, int height, uint32_t *sums, uint8_t *target) {
  assert(step >= 1 && step <= 4 && width > 0 && x_factor > 0 && height > 0 && (int64_t)x_factor * height < 1 << 16);
  MK_CALL_LEVEL(mk_pixels_reduce_row, source, row_stride, step, width, x_factor, height, sums, target);
}

// MARK: Chroma

void mk_chroma_to_pixels(
    const mk_chroma_matrix *matrix, int bits, const void *luma, const void *chroma, uint8_t *target, ptrdiff_t count) {
  assert((bits == 8 || bits == 10) && count >= 0);
  MK_CALL_LEVEL(mk_chroma_to_pixels, matrix, bits, luma, chroma, target, count);
}

void mk_pixels_to_chroma(
    const mk_luma_matrix *matrix, int bits, const uint8_t *first, const uint8_t *second, int step, const int8_t *places, void *first_luma,
    void *second_luma, void *chroma, ptrdiff_t count) {
  check_places(step, 3, places);
  assert((bits == 8 || bits == 10) && count >= 0 && (second == NULL) == (second_luma == NULL));
  MK_CALL_LEVEL(mk_pixels_to_chroma, matrix, bits, first, second, step, places, first_luma, second_luma, chroma, count);
}

// MARK: Arrangement and alpha

/// One tile. `pixel_bytes` is known to the compiler.
#define ARRANGE(pixel_bytes)                                                                     \
  for (ptrdiff_t y = top; y < bottom; y++) {                                                     \
    const char *from = (const char *)source + y * source_row_stride + left * (pixel_bytes);      \
    char *to = (char *)target + left * column_stride + y * row_stride;                           \
    for (ptrdiff_t x = left; x < right; x++, from += (pixel_bytes), to += column_stride)         \
      __builtin_memcpy(to, from, (size_t)(pixel_bytes));                                         \
  }

void mk_pixels_arrange(
    const void *source, ptrdiff_t source_row_stride, ptrdiff_t width, ptrdiff_t height, int pixel_bytes, void *target,
    ptrdiff_t column_stride, ptrdiff_t row_stride) {
  assert(width >= 0 && height >= 0 && pixel_bytes >= 1 && pixel_bytes <= 16);
  // The rows of a tile and the columns that they become fit the first cache.
  enum { TILE = 32 };
  for (ptrdiff_t top = 0; top < height; top += TILE) {
    ptrdiff_t bottom = height - top < TILE ? height : top + TILE;
    for (ptrdiff_t left = 0; left < width; left += TILE) {
      ptrdiff_t right = width - left < TILE ? width : left + TILE;
      switch (pixel_bytes) {
        case 1: ARRANGE(1) break;
        case 3: ARRANGE(3) break;
        case 4: ARRANGE(4) break;
        default: ARRANGE(pixel_bytes) break;
      }
    }
  }
}
#undef ARRANGE

void mk_pixels_premultiply(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count) {
  assert((alpha == 0 || alpha == 3) && count >= 0);
  MK_CALL_LEVEL(mk_pixels_premultiply, source, alpha, target, count);
}

void mk_pixels_unpremultiply(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count) {
  assert((alpha == 0 || alpha == 3) && count >= 0);
  MK_CALL_LEVEL(mk_pixels_unpremultiply, source, alpha, target, count);
}

void mk_pixels_blend(const uint8_t *source, int alpha, uint8_t *target, ptrdiff_t count) {
  assert((alpha == 0 || alpha == 3) && count >= 0);
  MK_CALL_LEVEL(mk_pixels_blend, source, alpha, target, count);
}

void mk_pixels_blend_f32(const float *source, int alpha, float *target, ptrdiff_t count) {
  assert((alpha == 0 || alpha == 3) && count >= 0);
  MK_CALL_LEVEL(mk_pixels_blend_f32, source, alpha, target, count);
}
