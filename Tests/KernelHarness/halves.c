/// Products, convolutions and attention whose operands and results are float16 or bfloat16. Each must round what the float32 function makes
/// of the same numbers; only Winograd's transformation of float16 weights is less precise than that of float32 ones.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"
#include "harness.h"

/// Random numbers of a type, as such and as float32.
typedef struct numbers {
  float *wide;
  void *narrow;
  ptrdiff_t count;
} numbers;

static numbers numbers_of(int dtype, ptrdiff_t count) {
  numbers n = {.wide = floats(count, 1), .narrow = memory(count * 4), .count = count};
  mk_convert(MK_F32, n.wide, 1, dtype, n.narrow, count);
  mk_convert(dtype, n.narrow, 1, MK_F32, n.wide, count);
  return n;
}

static void release(numbers n) { free(n.wide), free(n.narrow); }

/// Records results of type `dtype`, and requires them to be the rounded `wide` ones, if not NULL. What was not written stays as it was.
static void finish(const char *name, int dtype, const void *results, const float *wide, ptrdiff_t count) {
  float *back = memory(count * 4);
  if (wide != NULL) {
    const ptrdiff_t size = mk_dtype_size(dtype);
    char *rounded = memory(count * 4), *untouched = blank(count * 4);
    mk_convert(MK_F32, wide, 1, dtype, rounded, count);
    for (ptrdiff_t i = 0; i < count; i++) {
      if (memcmp(wide + i, untouched, 4) == 0) memcpy(rounded + i * size, untouched, (size_t)size);
    }
    require(memcmp(results, rounded, (size_t)(count * size)) == 0, name);
    free(rounded), free(untouched);
  }
  mk_convert(dtype, results, 1, MK_F32, back, count);
  emit(name, 1, dtype == MK_BF16 ? 8e-3 : 1e-3, back, count * 4);
  free(back);
}

static void test_products(void) {
  static const ptrdiff_t shapes[][3] = {{1, 1, 1}, {1, 33, 70}, {2, 17, 9}, {3, 64, 31}, {4, 40, 65}, {5, 8, 16}, {13, 31, 33},
                                        {14, 32, 64}, {28, 96, 48}, {29, 100, 130}, {61, 3, 1700}, {6, 1, 0}, {200, 70, 96}, {33, 65, 1024},
                                        {450, 70, 24}, {2500, 33, 20}, {40, 1, 33}, {67, 1, 16}, {9, 1, 7}, {21, 1, 2049}};
  static const int dtypes[] = {MK_F16, MK_BF16, MK_F32};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int variant = 0; variant < 18; variant++) {
      const ptrdiff_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2], gap = variant % 4 == 3 ? 3 : 0;
      const int a_dtype = dtypes[variant % 3], c_dtype = dtypes[variant / 3 % 3], activation = variant % (MK_ACTIVATION_ELU + 1);
      const int b_is_half = variant < 9, is_scaled = variant % 5 == 4, has_residual = variant & 1;
      numbers a = numbers_of(a_dtype, m * (k + gap)), b = numbers_of(MK_F16, k * n), residual = numbers_of(c_dtype, m * n);
      float *bias = floats(n, 1), *factors = floats(k, 1), *packed = memory(mk_gemm_packed_count(k, n) * 4);
      uint16_t *halves = memory(mk_gemm_packed_count(k, n) * 2);
      const ptrdiff_t panels = mk_gemm_panel_count(n), pitch = n == 1 && variant % 2 == 0 ? 1 : n + 3, count = m * pitch;
      mk_gemm_pack_b(b.narrow, MK_F16, 1, k, k, n, 0, panels, NULL, packed);
      mk_gemm_pack_halves(b.narrow, MK_F16, 1, k, k, n, 0, panels, halves);
      float *wide = blank(count * 4);
      void *narrow = blank(count * 4);
      mk_gemm g = {.a = a.wide, .a_row_stride = k + gap, .a_k_stride = 1, .b = packed, .c = wide, .c_row_stride = pitch, .k = k, .n = n,
                   .a_scale = is_scaled ? factors : NULL};
      g.epilogue = (mk_epilogue){.bias = bias, .residual = has_residual ? residual.wide : NULL, .residual_row_stride = n,
                                 .activation = activation, .lo = 0.1f, .hi = 0.7f, .alpha = 0.5f};
      g.scratch = memory(mk_gemm_scratch_count(k, n, m, 1, 1) * 4);
      mk_gemm_f32(&g, 0, m, 0, panels);
      mk_gemm h = g;
      h.a = a.narrow, h.a_dtype = a_dtype, h.c = narrow, h.c_dtype = c_dtype;
      if (b_is_half) h.b = (const float *)(const void *)halves, h.b_is_half = 1;
      if (has_residual) h.epilogue.residual = residual.narrow;
      mk_gemm_f32(&h, 0, m, 0, panels);
      char name[100];
      snprintf(name, sizeof name, "gemm of types %d and %d, %td x %td x %td, variant %d", a_dtype, c_dtype, m, n, k, variant);
      finish(name, c_dtype, narrow, wide, count);
      release(a), release(b), release(residual);
      free(bias), free(factors), free(packed), free(halves), free(wide), free(narrow), free(g.scratch);
    }
}

static void test_convolutions(void) {
  // Images, height, width, input and output channels, groups, kernel's height and width, stride, dilation, padding, planar. Rows of results of
  // kernels of one pixel with stride 1 are apart, as in a phase of a transposed convolution.
  static const ptrdiff_t geometries[][12] = {
    {1, 5, 7, 3, 5, 1, 3, 3, 1, 1, 1, 0},   {2, 9, 6, 4, 33, 1, 3, 3, 2, 1, 1, 1},  {1, 12, 11, 17, 16, 1, 1, 1, 2, 1, 0, 0},
    {1, 8, 9, 6, 9, 3, 3, 2, 1, 2, 1, 0},   {1, 23, 19, 3, 40, 1, 7, 7, 2, 1, 3, 1}, {1, 7, 7, 64, 70, 1, 3, 3, 1, 1, 1, 0},
    {2, 14, 14, 70, 64, 1, 3, 3, 1, 1, 1, 0}, {1, 4, 40, 2, 3, 1, 5, 5, 1, 1, 2, 1}, {1, 9, 10, 20, 24, 1, 3, 3, 1, 1, 0, 0},
    {1, 15, 15, 2, 8, 1, 11, 11, 1, 1, 5, 0}, {2, 9, 12, 1024, 20, 1, 1, 1, 2, 1, 0, 0},
    {2, 13, 40, 33, 20, 1, 1, 1, 1, 1, 0, 0}, {2, 13, 7, 37, 130, 1, 3, 3, 2, 1, 1, 0}, {1, 5, 2, 300, 129, 1, 3, 2, 1, 1, 1, 0},
  };
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
    for (int dtype = MK_F16; dtype <= MK_BF16; dtype++) {
      const ptrdiff_t *g = geometries[i], taps = g[6] * g[7], channels = g[3] * g[5], results = g[4] * g[5];
      const ptrdiff_t height = (g[1] + 2 * g[10] - (g[6] - 1) * g[9] - 1) / g[8] + 1, width = (g[2] + 2 * g[10] - (g[7] - 1) * g[9] - 1) / g[8] + 1;
      const ptrdiff_t row = (g[6] * g[7] * g[8] == 1 ? 2 : 1) * width * results;
      const ptrdiff_t panels = g[5] * mk_gemm_panel_count(g[4]), count = g[0] * height * row, is_planar = g[11];
      numbers x = numbers_of(dtype, g[0] * g[1] * g[2] * channels), w = numbers_of(MK_F16, results * g[3] * taps);
      numbers residual = numbers_of(dtype, count);
      float *bias = floats(results, 1), *wide = blank(count * 4), *packed = memory(mk_conv2d_packed_count(g[5], g[4], g[3], taps) * 4);
      uint16_t *halves = memory(mk_conv2d_packed_count(g[5], g[4], g[3], taps) * 2);
      void *narrow = blank(count * 4);
      // Strides of output channel, input channel, row and column; planes have columns in place of channels.
      const ptrdiff_t o = g[3] * taps, along = is_planar ? 1 : taps, across = is_planar ? taps : 1;
      const ptrdiff_t inner = is_planar ? g[7] : g[3], columns = is_planar ? g[3] : g[7];
      mk_conv2d_pack_weights(w.narrow, MK_F16, o, along, g[7], across, g[5], g[4], inner, g[6], columns, NULL, packed);
      mk_conv2d_pack_halves(w.narrow, MK_F16, o, along, g[7], across, g[5], g[4], inner, g[6], columns, halves);
      mk_conv2d c = {
        .input = x.wide, .input_image_stride = g[1] * g[2] * channels, .input_row_stride = g[2] * (is_planar ? 1 : channels),
        .input_pixel_stride = is_planar ? 1 : channels, .input_plane_stride = is_planar ? g[1] * g[2] : 0, .height = g[1], .width = g[2],
        .output = wide, .output_image_stride = height * row, .output_row_stride = row,
        .output_pixel_stride = results, .output_height = height, .output_width = width, .input_channels = g[3], .output_channels = g[4],
        .groups = g[5], .kernel_height = g[6], .kernel_width = g[7], .stride_y = g[8], .stride_x = g[8], .dilation_y = g[9],
        .dilation_x = g[9], .pad_top = g[10], .pad_left = g[10], .weights = packed,
        .epilogue = {.bias = bias, .residual = residual.wide, .activation = i % 2 ? MK_ACTIVATION_GELU_TANH : MK_ACTIVATION_HARDSWISH,
                     .lo = -1, .alpha = 1},
        .residual_image_stride = height * row, .residual_row_stride = row, .residual_pixel_stride = results,
      };
      mk_conv2d h = c;
      h.input = x.narrow, h.output = narrow, h.epilogue.residual = residual.narrow;
      h.weights = (const float *)(const void *)halves, h.weights_are_half = 1, h.input_dtype = h.output_dtype = dtype;
      float *scratch = memory(mk_conv2d_scratch_count(&c) * 4), *half_scratch = memory(mk_conv2d_scratch_count(&h) * 4);
      mk_conv2d_f32(&c, 0, g[0] * height, 0, panels, scratch);
      mk_conv2d_f32(&h, 0, g[0] * height, 0, panels, half_scratch);
      char name[100];
      snprintf(name, sizeof name, "convolution %zu of type %d", i, dtype);
      finish(name, dtype, narrow, wide, count);
      free(scratch), free(half_scratch);
      for (ptrdiff_t m = 2; m <= 4 && taps == 9 && g[5] == 1 && g[8] == 1 && !is_planar; m += 2) {
        const ptrdiff_t tiles = mk_winograd_tile_count(&h, g[0], m), first = tiles / 2;
        memset(narrow, 0x41, (size_t)count * 4);
        scratch = memory(mk_winograd_scratch_count(&h, m, tiles) * 4);
        mk_winograd_f32(&h, m, 0, first, 0, panels, scratch);
        mk_winograd_f32(&h, m, first, tiles, 0, panels, scratch);
        free(scratch);
        float *back = memory(count * 4);
        mk_convert(dtype, narrow, 1, MK_F32, back, count);
        const double unit = dtype == MK_F16 ? 1.0 / 2048 : 1.0 / 256;
        int agrees = 1;
        for (ptrdiff_t e = 0; e < count; e++) {
          const double difference = (double)back[e] - (double)wide[e], size = wide[e] < 0 ? -(double)wide[e] : (double)wide[e];
          agrees &= difference * difference <= (unit * size + 1e-4) * (unit * size + 1e-4);
        }
        snprintf(name, sizeof name, "winograd %zu of side %td and type %d", i, m, dtype);
        require(agrees, name);
        finish(name, dtype, narrow, NULL, count);
        free(back);
      }
      release(x), release(w), release(residual);
      free(bias), free(wide), free(packed), free(halves), free(narrow);
    }
}

static void test_attention(void) {
  static const ptrdiff_t shapes[][4] = {{1, 9, 5, 7}, {3, 33, 64, 64}, {7, 7, 17, 9}, {20, 300, 32, 40}, {2, 700, 20, 70}, {5, 1, 8, 8}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int variant = 0; variant < 4; variant++) {
      const int causal = variant & 1, dtype = variant & 2 ? MK_BF16 : MK_F16;
      const ptrdiff_t queries = shapes[i][0], keys = shapes[i][1], depth = shapes[i][2], values = shapes[i][3];
      numbers q = numbers_of(dtype, queries * depth), k = numbers_of(dtype, keys * depth), v = numbers_of(dtype, keys * values);
      float *mask = floats(queries * keys, 1), *wide = blank(queries * values * 4);
      void *narrow = blank(queries * values * 4);
      mk_attention a = {.q = q.wide, .q_row_stride = depth, .k = k.wide, .k_row_stride = depth, .v = v.wide, .v_row_stride = values,
                        .output = wide, .output_row_stride = values, .mask = causal ? NULL : mask, .mask_row_stride = keys,
                        .queries = queries, .keys = keys, .depth = depth, .value_depth = values, .scale = 0.3f, .causal = causal,
                        .causal_offset = keys - queries > 0 ? keys - queries : 0};
      float *scratch = memory(mk_attention_scratch_count(&a) * 4);
      mk_attention_f32(&a, 0, queries, scratch);
      free(scratch);
      a.q = q.narrow, a.k = k.narrow, a.v = v.narrow, a.output = narrow, a.query_dtype = a.key_dtype = a.output_dtype = dtype;
      scratch = memory(mk_attention_scratch_count(&a) * 4);
      mk_attention_f32(&a, 0, queries, scratch);
      free(scratch);
      char name[100];
      snprintf(name, sizeof name, "attention %zu of type %d, causal %d", i, dtype, causal);
      finish(name, dtype, narrow, wide, queries * values);
      release(q), release(k), release(v);
      free(mask), free(wide), free(narrow);
    }
}

void test_halves(void) {
  test_products();
  test_convolutions();
  test_attention();
}
