/// Calls of the kernels on pixels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"
#include "harness.h"

/// A table of random windows with both kinds of weights; `memory` is to be freed.
static mk_resampling resampling(ptrdiff_t input, ptrdiff_t output, void **memory) {
  ptrdiff_t stride = (input < 24 ? input : 24) + MK_RESAMPLE_TAPS - 1;
  stride -= stride % MK_RESAMPLE_TAPS;
  char *block = blank(output * (8 + stride * 8));
  memset(block, 0, (size_t)(output * (8 + stride * 8)));
  *memory = block;
  int32_t *starts = (int32_t *)block, *counts = starts + output;
  float *weights = (float *)(counts + output);
  int16_t *high = (int16_t *)(weights + output * stride), *low = high + output * stride;
  for (ptrdiff_t i = 0; i < output; i++) {
    ptrdiff_t most = input < stride ? input : stride;
    counts[i] = (int32_t)(1 + (ptrdiff_t)(next() % (uint64_t)most));
    starts[i] = (int32_t)(next() % (uint64_t)(input - counts[i] + 1));
    for (ptrdiff_t k = 0; k < counts[i]; k++) {
      int32_t weight = (int32_t)(number() * (1 << MK_RESAMPLE_BITS) / (float)counts[i] * 2);
      int32_t part = (weight + (1 << (MK_RESAMPLE_LOW_BITS - 1))) >> MK_RESAMPLE_LOW_BITS;
      high[i * stride + k] = (int16_t)part;
      low[i * stride + k] = (int16_t)(weight - part * (1 << MK_RESAMPLE_LOW_BITS));
      weights[i * stride + k] = (float)weight / (1 << MK_RESAMPLE_BITS);
    }
  }
  return (mk_resampling){.starts = starts, .counts = counts, .stride = stride, .high = high, .low = low, .weights = weights};
}

static const int8_t pixel_orders[][4] = {{0, 1, 2, -1}, {2, 1, 0, -1}, {1, 2, 0, 2}, {0, 0, 0, 0}};
static const ptrdiff_t pixel_counts[] = {1, 2, 3, 5, 6, 7, 15, 16, 17, 31, 33, 64, 100, 257};

void test_resampling(void) {
  char name[112];
  for (size_t c = 0; c < sizeof pixel_counts / sizeof *pixel_counts; c++) {
    ptrdiff_t input = pixel_counts[c];
    for (ptrdiff_t output = 1; output < 40; output += 6) {
      void *table;
      mk_resampling axis = resampling(input, output, &table);
      // The end of the pixels is the end of the memory, so that a checker sees what is read beyond it.
      for (int step = 1; step <= 4; step++) {
        uint8_t *pixels = (uint8_t *)bytes_of(input * step);
        for (int channels = 1; channels <= 4; channels++) {
          int8_t places[4];
          for (int k = 0; k < 4; k++) places[k] = (int8_t)((k + channels) % step);
          ptrdiff_t first = output / 3;
          uint8_t *row = blank(output * channels);
          mk_resample_row_u8(&axis, pixels, step, places, channels, input, first, output, row);
          snprintf(name, sizeof name, "resample row u8 %td to %td step %d channels %d", input, output, step, channels);
          emit(name, 0, 0, row, output * channels);
          if (channels == 1 || channels == 4) {
            float *sums = blank(output * channels * 4);
            mk_resample_row_u8_f32(&axis, pixels, step, places, channels, input, first, output, sums);
            snprintf(name, sizeof name, "resample row u8 f32 %td to %td step %d channels %d", input, output, step, channels);
            emit(name, 1, 1e-4, sums, output * channels * 4);
            free(sums);
          }
          free(row);
        }
        free(pixels);
      }
      for (int channels = 1; channels <= 4; channels++) {
        float *samples = floats(input * channels, 1), *sums = blank(output * channels * 4);
        mk_resample_row_f32(&axis, samples, channels, 0, output, sums);
        snprintf(name, sizeof name, "resample row f32 %td to %td channels %d", input, output, channels);
        emit(name, 1, 1e-5, sums, output * channels * 4);
        free(samples), free(sums);
      }
      for (ptrdiff_t count = 1; count < 150; count += count < 40 ? 5 : 47) {
        uint8_t *rows = (uint8_t *)bytes_of(input * count), *row = blank(count);
        float *samples = floats(input * count, 300), *sums = blank(count * 4);
        mk_resample_column_u8(&axis, output / 2, rows, count, 0, count, row);
        snprintf(name, sizeof name, "resample column u8 %td to %td count %td", input, output, count);
        emit(name, 0, 0, row, count);
        mk_resample_column_f32(&axis, output / 2, samples, count, 0, count, MK_F32, sums);
        snprintf(name, sizeof name, "resample column f32 %td to %td count %td", input, output, count);
        emit(name, 1, 1e-5, sums, count * 4);
        // Whole numbers times whole weights: sums are exact, and so is their rounding.
        for (ptrdiff_t i = 0; i < input * count; i++) samples[i] = rows[i];
        float *weights = (float *)axis.weights;
        for (ptrdiff_t i = 0; i < output * axis.stride; i++) weights[i] = (float)(int)(weights[i] * 8) / 8;
        mk_resample_column_f32(&axis, output / 2, samples, count, 0, count, MK_U8, row);
        snprintf(name, sizeof name, "resample column f32 to u8 %td to %td count %td", input, output, count);
        emit(name, 0, 0, row, count);
        free(rows), free(row), free(samples), free(sums);
      }
      free(table);
    }
  }
}

void test_pixels(void) {
  char name[112];
  const float scale[4] = {0.5f, -2, 1, 0.25f}, bias[4] = {1, 300, 0, -3};
  for (size_t c = 0; c < sizeof pixel_counts / sizeof *pixel_counts; c++) {
    ptrdiff_t count = pixel_counts[c];
    for (int step = 1; step <= 4; step++) {
      uint8_t *pixels = (uint8_t *)bytes_of(count * step);
      for (size_t o = 0; o < sizeof pixel_orders / sizeof *pixel_orders; o++) {
        int8_t places[4], known[4];
        for (int k = 0; k < 4; k++) {
          places[k] = pixel_orders[o][k] < step ? pixel_orders[o][k] : -1;
          known[k] = places[k] >= 0 ? places[k] : 0;
        }
        for (int target = 1; target <= 4; target++) {
          uint8_t *result = blank(count * target);
          mk_pixels_reorder(pixels, step, result, target, places, count);
          snprintf(name, sizeof name, "reorder %td pixels of %d to %d order %zu", count, step, target, o);
          emit(name, 0, 0, result, count * target);
          free(result);
        }
        for (int type = 0; type < 3; type++) {
          int dtype = type == 0 ? MK_F32 : type == 1 ? MK_F16 : MK_U8;
          for (ptrdiff_t stride = 1; stride <= 3; stride += 2) {
            ptrdiff_t bytes = count * stride * mk_dtype_size(dtype);
            char *block = blank(4 * bytes);
            void *planes[4] = {block, block + bytes, block + 2 * bytes, block + 3 * bytes};
            mk_pixels_to_planes(pixels, step, 4, known, scale, bias, dtype, planes, stride, count);
            snprintf(name, sizeof name, "planes of %td pixels of %d order %zu type %d stride %td", count, step, o, dtype, stride);
            // Scales and biases are such that nothing is rounded in single precision.
            emit(name, 0, 0, block, 4 * bytes);
            uint8_t *back = blank(count * step);
            mk_planes_to_pixels(dtype, (const void *const *)planes, stride, step, (const int8_t[4]){0, 1, 2, 3}, scale, bias, back, step, count);
            snprintf(name, sizeof name, "pixels of %td planes of %d order %zu type %d stride %td", count, step, o, dtype, stride);
            emit(name, 0, 0, back, count * step);
            free(block), free(back);
          }
        }
        uint8_t *luma = blank(count);
        mk_pixels_luma(pixels, step, known, luma, count);
        snprintf(name, sizeof name, "luma of %td pixels of %d order %zu", count, step, o);
        emit(name, 0, 0, luma, count);
        free(luma);
      }
      uint8_t *boxes = (uint8_t *)bytes_of(7 * count * step), *means = blank(count * step);
      uint32_t *sums = blank(count * step * 4);
      for (int height = 1; height <= 7; height += 3)
        for (int factor = 1; factor <= 9; factor += 4) {
          mk_pixels_reduce_row(boxes, count * step, step, count, factor, height, sums, means);
          snprintf(name, sizeof name, "boxes of %d by %d from %td pixels of %d", factor, height, count, step);
          emit(name, 0, 0, means, (count + factor - 1) / factor * step);
        }
      free(boxes), free(means), free(sums), free(pixels);
    }
    const mk_chroma_matrix matrix = {16, 9539, 13075, -3209, -6660, 16525};
    const mk_luma_matrix back = {16, {4207, 8260, 1604}, {-2428, -4768, 7196}, {7196, -6026, -1170}};
    for (int bits = 8; bits <= 10; bits += 2) {
      ptrdiff_t pairs = (count + 1) / 2 * 2, bytes = bits == 8 ? 1 : 2;
      uint8_t *luma = (uint8_t *)bytes_of(2 * count * bytes), *chroma = (uint8_t *)bytes_of(pairs * bytes), *pixels = blank(8 * count);
      mk_chroma_to_pixels(&matrix, bits, luma, chroma, pixels, count);
      snprintf(name, sizeof name, "colours of %td samples of %d bits", count, bits);
      emit(name, 0, 0, pixels, 4 * count);
      uint8_t *second = (uint8_t *)bytes_of(4 * count);
      mk_pixels_to_chroma(
          &back, bits, pixels, second, 4, pixel_orders[1], luma, luma + count * bytes, chroma, count);
      snprintf(name, sizeof name, "luma of %td colours in %d bits", count, bits);
      emit(name, 0, 0, luma, 2 * count * bytes);
      emit(name, 0, 0, chroma, pairs * bytes);
      mk_pixels_to_chroma(&back, bits, second, NULL, 4, pixel_orders[0], luma, NULL, chroma, count);
      emit(name, 0, 0, luma, count * bytes);
      emit(name, 0, 0, chroma, pairs * bytes);
      free(luma), free(chroma), free(pixels), free(second);
    }
    for (int alpha = 0; alpha <= 3; alpha += 3) {
      uint8_t *source = (uint8_t *)bytes_of(4 * count), *target = (uint8_t *)bytes_of(4 * count);
      mk_pixels_blend(source, alpha, target, count);
      snprintf(name, sizeof name, "blend of %td pixels with alpha %d", count, alpha);
      emit(name, 0, 0, target, 4 * count);
      mk_pixels_premultiply(source, alpha, target, count);
      emit(name, 0, 0, target, 4 * count);
      mk_pixels_unpremultiply(source, alpha, target, count);
      emit(name, 0, 0, target, 4 * count);
      float *over = floats(4 * count, 1), *under = floats(4 * count, 1);
      mk_pixels_blend_f32(over, alpha, under, count);
      emit(name, 1, 1e-6, under, 16 * count);
      free(source), free(target), free(over), free(under);
    }
    for (int bytes = 1; bytes <= 16; bytes += bytes < 4 ? 1 : 4) {
      uint8_t *source = (uint8_t *)bytes_of(3 * count * bytes), *turned = blank(3 * count * bytes);
      mk_pixels_arrange(source, count * bytes, count, 3, bytes, turned + 2 * bytes, 3 * bytes, -bytes);
      snprintf(name, sizeof name, "turned %td pixels of %d", count, bytes);
      emit(name, 0, 0, turned, 3 * count * bytes);
      free(source), free(turned);
    }
  }
}
