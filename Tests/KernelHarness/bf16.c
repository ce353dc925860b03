/// Calls of the kernels of bfloat16: by the processor's unit where it has one, otherwise portable.
#include <stdio.h>
#include <stdlib.h>

#include "CMartletKernels.h"
#include "harness.h"

typedef struct shape {
  ptrdiff_t height, width, inputs, outputs, groups, kernel_y, kernel_x, stride, dilation, pad;
} shape;

static const shape shapes[] = {
  {5, 7, 3, 5, 1, 3, 3, 1, 1, 1},    {9, 6, 4, 33, 1, 3, 3, 2, 1, 1},   {12, 11, 18, 16, 1, 1, 1, 1, 1, 0}, {8, 9, 6, 9, 3, 3, 2, 1, 2, 1},
  {23, 19, 3, 40, 1, 7, 7, 2, 1, 3}, {7, 7, 64, 70, 1, 3, 3, 1, 1, 1},  {6, 6, 5, 8, 1, 1, 1, 2, 1, 0},     {4, 40, 2, 3, 1, 5, 5, 1, 1, 2},
  {14, 14, 70, 24, 1, 3, 3, 3, 1, 1}, {3, 3, 1, 1, 1, 3, 3, 1, 1, 2},   {10, 8, 96, 48, 2, 3, 3, 2, 2, 2},  {28, 1, 40, 64, 1, 1, 1, 1, 1, 0},
  {29, 1, 1024, 31, 1, 1, 1, 1, 1, 0}, {1, 1, 33, 100, 1, 1, 1, 1, 1, 0}, {12, 12, 34, 3, 1, 12, 12, 1, 1, 5}, {16, 30, 32, 64, 1, 1, 1, 1, 1, 0},
};

static ptrdiff_t extent(ptrdiff_t input, ptrdiff_t kernel, const shape *g) {
  return (input + 2 * g->pad - (kernel - 1) * g->dilation - 1) / g->stride + 1;
}

/// Numbers as `dtype`.
static void *converted(float *numbers, ptrdiff_t count, int dtype) {
  void *p = memory(count * 4);
  mk_convert(MK_F32, numbers, 1, dtype, p, count);
  free(numbers);
  return p;
}

static mk_conv2d convolution(const shape *g, int input_dtype, int output_dtype, int activation, int planar) {
  const ptrdiff_t channels = g->inputs * g->groups, results = g->outputs * g->groups;
  const ptrdiff_t height = extent(g->height, g->kernel_y, g), width = extent(g->width, g->kernel_x, g), count = height * width * results;
  return (mk_conv2d){
    .input = converted(floats(g->height * g->width * channels, 1), g->height * g->width * channels, input_dtype),
    .input_row_stride = g->width * (planar ? 1 : channels), .input_pixel_stride = planar ? 1 : channels,
    .height = g->height, .width = g->width, .output = blank(count * 4),
    .output_row_stride = width * results, .output_pixel_stride = results, .output_height = height, .output_width = width,
    .input_channels = g->inputs, .output_channels = g->outputs, .groups = g->groups,
    .kernel_height = g->kernel_y, .kernel_width = g->kernel_x, .stride_y = g->stride, .stride_x = g->stride,
    .dilation_y = g->dilation, .dilation_x = g->dilation, .pad_top = g->pad, .pad_left = g->pad,
    .epilogue = {.bias = floats(results, 1), .residual = activation & 1 ? converted(floats(count, 1), count, output_dtype) : NULL,
                 .activation = activation, .lo = 0.1f, .hi = 0.7f, .alpha = 1},
    .residual_row_stride = width * results, .residual_pixel_stride = results,
  };
}

/// Emits the results as floats. Numbers of half precision may be neighbours.
static void finish(const char *kind, size_t index, int activation, mk_conv2d *c, int output_dtype, double tolerance) {
  const ptrdiff_t count = c->output_height * c->output_row_stride;
  float *results = memory(count * 4);
  mk_convert(output_dtype, c->output, 1, MK_F32, results, count);
  char name[100];
  snprintf(name, sizeof name, "%s %zu, activation %d", kind, index, activation);
  emit(name, 1, tolerance, results, count * 4);
  free(results), free((void *)c->input), free(c->output), free((void *)c->epilogue.bias), free((void *)c->epilogue.residual);
  free((void *)c->weights);
}

static void test_products(void) {
  static const int dtypes[] = {MK_F32, MK_BF16, MK_F16};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int activation = 0; activation <= MK_ACTIVATION_ELU; activation++) {
      const shape *g = &shapes[i];
      const ptrdiff_t taps = g->kernel_y * g->kernel_x;
      const int input_dtype = dtypes[activation % 3], output_dtype = dtypes[activation / 3 % 3];
      const int planar = g->groups == 1 && g->dilation == 1 && g->inputs <= 4 && g->inputs > 1 && g->kernel_x >= 3 && activation % 2 == 0;
      mk_conv2d c = convolution(g, input_dtype, output_dtype, activation, planar);
      float *w = floats(g->groups * g->outputs * g->inputs * taps, 0.3f);
      float *packed = memory(mk_bf16_packed_count(MK_BF16_PLAIN, g->groups, g->outputs, g->inputs, g->kernel_y, g->kernel_x) * 4);
      const ptrdiff_t panels = g->groups * ((g->outputs + MK_BF16_PANEL - 1) / MK_BF16_PANEL);
      mk_bf16_pack_weights(MK_BF16_PLAIN, w, MK_F32, g->inputs * taps, taps, g->kernel_x, 1, g->groups, g->outputs, g->inputs, g->kernel_y,
                           g->kernel_x, 0, panels, packed);
      free(w);
      c.weights = packed;
      mk_bf16_conv2d d = {.conv = c, .terms = MK_BF16_PLAIN, .input_dtype = input_dtype, .output_dtype = output_dtype,
                          .input_channel_stride = planar ? g->height * g->width : 1, .portable = mk_bf16_unit() == MK_BF16_NO_UNIT};
      // Two bands, and two ranges of slots of the second.
      const ptrdiff_t bands[3] = {0, c.output_height / 2, c.output_height};
      for (int band = 0; band < 2; band++) {
        const ptrdiff_t rows = bands[band + 1] - bands[band];
        if (rows == 0) continue;
        void *plane = memory(mk_bf16_plane_bytes(&d, rows));
        const ptrdiff_t units = mk_bf16_unit_count(&d, rows), slots = mk_bf16_slot_count(&d, rows), part = band == 0 ? slots : slots / 3;
        mk_bf16_prepare(&d, 0, bands[band], bands[band + 1], 0, units, plane);
        mk_bf16_conv2d_run(&d, 0, bands[band], bands[band + 1], plane, 0, part, 0, panels);
        mk_bf16_conv2d_run(&d, 0, bands[band], bands[band + 1], plane, part, slots, 0, panels);
        free(plane);
      }
      finish("bfloat16 convolution", i, activation, &c, output_dtype, output_dtype == MK_F32 ? 2e-5 : 8e-3);
    }
}

/// Compared with the direct convolution in single precision.
static void test_winograd(ptrdiff_t m) {
  static const shape images[] = {{5, 7, 18, 5, 1, 3, 3, 1, 1, 1}, {13, 10, 32, 33, 1, 3, 3, 1, 1, 0}, {30, 16, 64, 32, 1, 3, 3, 1, 1, 1},
                                 {2, 3, 44, 64, 1, 3, 3, 1, 1, 2}};
  for (size_t i = 0; i < sizeof images / sizeof *images; i++)
    for (int activation = 0; activation <= MK_ACTIVATION_ELU; activation++) {
      const shape *g = &images[i];
      const int input_dtype = activation % 4 < 2 ? MK_BF16 : MK_F32, output_dtype = activation % 3 ? MK_BF16 : MK_F32;
      const int is_rounded = mk_bf16_unit() == MK_BF16_VECTORS && mk_winograd_bf16_takes(g->inputs);
      mk_conv2d c = convolution(g, input_dtype, output_dtype, activation, 0);
      float *w = floats(g->outputs * g->inputs * 9, 0.1f);
      if (is_rounded) {
        float *packed = memory(mk_winograd_bf16_packed_count(g->outputs, g->inputs, m) * 4);
        mk_winograd_bf16_pack_weights(w, MK_F32, g->inputs * 9, 9, 3, 1, g->outputs, g->inputs, m, packed);
        c.weights = packed;
        const ptrdiff_t tiles = mk_winograd_tile_count(&c, 1, m), block = mk_winograd_bf16_block_tiles(&c, m);
        float *scratch = memory(mk_winograd_bf16_scratch_count(&c, m, block) * 4);
        for (ptrdiff_t tile = 0; tile < tiles; tile += block)
          mk_winograd_bf16(&c, m, input_dtype, output_dtype, tile, tile + block < tiles ? tile + block : tiles, 0,
                           (g->outputs + MK_BF16_PANEL - 1) / MK_BF16_PANEL, scratch);
        free(scratch);
      } else {
        mk_conv2d direct = c;
        const ptrdiff_t inputs = g->height * g->width * g->inputs, results = c.output_height * c.output_row_stride;
        float *input = memory(inputs * 4), *residual = memory(results * 4), *output = memory(results * 4);
        mk_convert(input_dtype, c.input, 1, MK_F32, input, inputs);
        if (c.epilogue.residual != NULL) {
          mk_convert(output_dtype, c.epilogue.residual, 1, MK_F32, residual, results);
          direct.epilogue.residual = residual;
        }
        float *packed = memory(mk_conv2d_packed_count(1, g->outputs, g->inputs, 9) * 4);
        mk_conv2d_pack_weights(w, MK_F32, g->inputs * 9, 9, 3, 1, 1, g->outputs, g->inputs, 3, 3, NULL, packed);
        direct.input = input, direct.output = output, direct.weights = packed;
        float *scratch = memory(mk_conv2d_scratch_count(&direct) * 4);
        mk_conv2d_f32(&direct, 0, c.output_height, 0, mk_gemm_panel_count(g->outputs), scratch);
        mk_convert(MK_F32, output, 1, output_dtype, c.output, results);
        free(input), free(residual), free(output), free(packed), free(scratch);
      }
      free(w);
      finish("bfloat16 winograd", i, activation, &c, output_dtype, m == 2 ? 0.05 : 0.1);
    }
}

void test_bf16(void) {
  test_products();
  test_winograd(2);
  test_winograd(4);
}
