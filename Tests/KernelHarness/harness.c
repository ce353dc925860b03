/// Runs the C kernels over odd shapes and compares what their variants for different processors make of the same numbers.
///
///     harness steps                                lists the values of MARTLET_ISA for what this processor has
///     MARTLET_ISA=portable harness record FILE     records every result of the variant that the process uses
///     MARTLET_ISA=avx2 harness accuracy            compares functions of one number with the C library; status 1 if one is less exact than promised
///     harness compare FILE FILE                    compares two such files; its status is 1 where results differ too much
///
/// Integers must be equal; floats may differ by the tolerance that the call states, relative to the largest magnitude of the result.
/// No Swift is needed, so that an emulator can run it for another architecture (run-arm64.sh).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"
#include "harness.h"

typedef struct record {
  char name[112];
  /// 0: bytes; 1: floats.
  int64_t is_float;
  double tolerance;
  /// Of what follows.
  int64_t bytes;
} record;

static FILE *output;

void emit(const char *name, int is_float, double tolerance, const void *data, ptrdiff_t bytes) {
  record r = {.is_float = is_float, .tolerance = tolerance, .bytes = bytes};
  snprintf(r.name, sizeof r.name, "%s", name);
  if (fwrite(&r, sizeof r, 1, output) != 1 || (bytes > 0 && fwrite(data, (size_t)bytes, 1, output) != 1)) abort();
}

static int unmet;

void require(int condition, const char *name) {
  if (condition) return;
  fprintf(stderr, "%s: not what is required\n", name);
  unmet++;
}

static uint64_t state = 88172645463325252u;

uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/// From -1 to 1.
float number(void) { return (float)((double)(next() >> 40) / (1 << 23) - 1); }

void *memory(ptrdiff_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (size_t)(bytes > 0 ? bytes : 1)) != 0) abort();
  return p;
}

float *floats(ptrdiff_t count, float scale) {
  float *p = memory(count * 4);
  for (ptrdiff_t i = 0; i < count; i++) p[i] = scale * number();
  return p;
}

/// A copy at an address that is not aligned; `base` is to be freed.
static const void *unaligned_copy(const void *source, ptrdiff_t bytes, void **base) {
  *base = memory(bytes + 1);
  return memcpy((char *)*base + 1, source, (size_t)bytes);
}

int8_t *bytes_of(ptrdiff_t count) {
  int8_t *p = memory(count);
  for (ptrdiff_t i = 0; i < count; i++) p[i] = (int8_t)next();
  return p;
}

/// A result's memory with a pattern, so that what must not be written is compared too.
void *blank(ptrdiff_t bytes) {
  void *p = memory(bytes);
  memset(p, 0x41, (size_t)bytes);
  return p;
}

static void test_gemm(void) {
  static const ptrdiff_t shapes[][3] = {{1, 1, 1}, {1, 33, 70}, {2, 17, 9}, {3, 64, 31}, {4, 40, 65}, {5, 8, 16}, {7, 15, 128},
                                        {13, 31, 33}, {14, 32, 64}, {29, 100, 130}, {33, 3, 700}, {6, 1, 0}, {29, 70, 1024},
                                        {14, 64, 2048}, {33, 65, 1024}, {40, 70, 1024}, {55, 300, 2048}, {37, 1, 41}, {50, 1, 100}};
  static const int dtypes[] = {MK_F32, MK_F64, MK_F16, MK_BF16};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int activation = 0; activation <= MK_ACTIVATION_ELU; activation++) {
      const ptrdiff_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
      const int dtype = dtypes[activation % 4], transposed = activation & 1;
      float *a = floats(m * k, 1), *b = floats(k * n, 1), *bias = floats(n, 1), *residual = floats(m * n, 1);
      void *weights = memory(k * n * 8);
      mk_convert(MK_F32, b, 1, dtype, weights, k * n);
      float *packed = memory(mk_gemm_packed_count(k, n) * 4), *c = blank(m * (n + 3) * 4);
      void *odd;
      mk_gemm_pack_b(unaligned_copy(weights, k * n * 8, &odd), dtype, transposed ? 1 : n, transposed ? k : 1, k, n, 0, mk_gemm_panel_count(n),
                     activation % 3 == 0 ? bias : NULL, packed);
      mk_gemm g = {.a = a, .a_row_stride = k, .a_k_stride = 1, .b = packed, .c = c, .c_row_stride = n + 3, .k = k, .n = n};
      g.epilogue = (mk_epilogue){.bias = bias, .residual = activation & 1 ? residual : NULL, .residual_row_stride = n,
                                 .activation = activation, .lo = 0.1f, .hi = 0.7f, .alpha = 0.5f};
      float *factors = s % 3 == 2 ? floats(k, 1) : NULL, *scratch = memory(mk_gemm_scratch_count(k, n, m, factors != NULL, 0) * 4);
      g.a_scale = factors, g.scratch = scratch;
      mk_gemm_f32(&g, 0, m, 0, mk_gemm_panel_count(n));
      free(factors), free(scratch);
      char name[100];
      snprintf(name, sizeof name, "gemm %td x %td x %td, activation %d", m, n, k, activation);
      emit(name, 1, 1e-5, c, m * (n + 3) * 4);
      free(a), free(b), free(bias), free(residual), free(weights), free(odd), free(packed), free(c);
    }
}

typedef struct geometry {
  ptrdiff_t images, height, width, inputs, outputs, groups, kernel_y, kernel_x, stride, dilation, pad;
} geometry;

static const geometry geometries[] = {
  {1, 5, 7, 3, 5, 1, 3, 3, 1, 1, 1},   {2, 9, 6, 4, 33, 1, 3, 3, 2, 1, 1},  {1, 12, 11, 17, 16, 1, 1, 1, 1, 1, 0},
  {1, 8, 9, 6, 9, 3, 3, 2, 1, 2, 1},   {1, 23, 19, 3, 40, 1, 7, 7, 2, 1, 3}, {1, 7, 7, 64, 70, 1, 3, 3, 1, 1, 1},
  {2, 6, 6, 5, 8, 1, 1, 1, 2, 1, 0},   {1, 4, 40, 2, 3, 1, 5, 5, 1, 1, 2},   {1, 14, 14, 70, 24, 1, 3, 3, 3, 1, 1},
  {1, 3, 3, 1, 1, 1, 3, 3, 1, 1, 2},   {2, 10, 8, 96, 48, 2, 3, 3, 2, 2, 2},
  {2, 6, 30, 512, 40, 1, 1, 1, 2, 1, 0}, {1, 10, 14, 512, 33, 1, 1, 1, 2, 1, 0},
  // Rows of few pixels, which form tiles together; in the last one not all at once.
  {2, 7, 7, 37, 70, 1, 3, 3, 1, 1, 1}, {1, 15, 14, 19, 130, 1, 3, 2, 2, 1, 1}, {1, 9, 9, 12, 130, 1, 3, 3, 1, 2, 2},
  {1, 5, 2, 40, 129, 1, 1, 1, 1, 1, 0}, {1, 13, 13, 300, 130, 1, 3, 3, 1, 1, 1},
};

static const geometry channelwise[] = {
  {1, 5, 7, 1, 1, 3, 3, 3, 1, 1, 1},  {2, 9, 11, 1, 1, 16, 3, 3, 2, 1, 1}, {1, 12, 13, 1, 1, 33, 5, 5, 1, 1, 2},
  {1, 12, 13, 1, 1, 40, 5, 5, 2, 1, 2}, {1, 9, 9, 1, 1, 17, 3, 3, 1, 2, 2}, {1, 6, 20, 1, 1, 70, 7, 2, 1, 1, 1},
  {1, 8, 9, 1, 1, 35, 7, 7, 1, 1, 3}, {1, 2, 140, 1, 1, 24, 3, 3, 1, 1, 1}, {2, 2, 2, 1, 1, 32, 5, 5, 1, 1, 4}, {1, 7, 7, 1, 1, 49, 3, 3, 1, 3, 3},
  {1, 11, 10, 1, 1, 23, 3, 3, 2, 1, 0}, {1, 9, 14, 1, 1, 18, 3, 3, 3, 1, 1},
  {1, 9, 11, 1, 1, 70, 3, 3, 1, 1, 1}, {2, 8, 5, 1, 1, 96, 3, 3, 2, 1, 1}, {1, 1, 1, 1, 1, 32, 3, 3, 1, 1, 1}, {1, 2, 7, 1, 1, 64, 3, 3, 1, 1, 1},
  {1, 6, 6, 1, 1, 33, 3, 3, 2, 1, 0}, {1, 5, 4, 1, 1, 40, 3, 3, 1, 1, 0},
};

/// For integers: matrix rows, first layers, Winograd tiles, crossed products of odd numbers of steps, images narrower than a tile, pairs of
/// rows; and depthwise rows longer than what is widened at a time, blocks of channels that overlap, more than one block, and strides without
/// a kernel of their own.
static const geometry integer_geometries[] = {
  {1, 13, 15, 40, 72, 1, 1, 1, 1, 1, 0},  {3, 5, 9, 64, 16, 1, 1, 1, 1, 1, 0},    {1, 17, 18, 3, 32, 1, 3, 3, 2, 1, 1},
  {2, 22, 25, 47, 40, 1, 3, 3, 1, 1, 1},  {1, 9, 8, 64, 32, 1, 3, 3, 1, 1, 0},    {1, 14, 300, 1, 1, 24, 3, 3, 1, 1, 1},
  {2, 11, 6, 1, 1, 72, 5, 5, 1, 1, 2},    {1, 11, 10, 1, 1, 100, 5, 5, 2, 1, 2},  {1, 9, 7, 1, 1, 48, 3, 3, 3, 1, 1},
  {1, 5, 9, 1, 1, 96, 3, 3, 1, 1, 1},     {1, 6, 7, 37, 50, 1, 1, 1, 1, 1, 0},    {2, 9, 10, 35, 49, 2, 1, 1, 2, 1, 0},
  {1, 7, 600, 12, 64, 1, 3, 3, 2, 1, 1},  {1, 9, 9, 24, 56, 2, 3, 3, 1, 1, 0},
  {2, 8, 15, 20, 66, 1, 3, 3, 2, 1, 1},   {1, 9, 13, 30, 24, 1, 1, 1, 1, 1, 0},   {2, 7, 11, 67, 17, 1, 1, 1, 1, 1, 0},
  {1, 13, 9, 256, 20, 1, 1, 1, 1, 1, 0},  {1, 8, 9, 33, 9, 1, 1, 1, 1, 1, 0},     {1, 13, 14, 1, 1, 70, 5, 5, 1, 2, 4},
  {1, 5, 11, 9001, 10, 1, 1, 1, 1, 1, 0}, {1, 16, 11, 1, 1, 66, 5, 5, 3, 1, 2},   {1, 7, 90, 1, 1, 64, 5, 5, 1, 1, 2},
  {2, 7, 91, 1, 1, 8, 5, 5, 2, 1, 1},    {2, 7, 7, 1, 1, 150, 3, 3, 1, 1, 1},    {1, 6, 5, 1, 1, 65, 5, 5, 1, 1, 6},
  {1, 4, 200, 1, 1, 70, 3, 3, 1, 1, 0},  {2, 9, 30, 1, 1, 33, 5, 5, 1, 1, 2},     {2, 9, 14, 1, 1, 81, 3, 3, 2, 1, 1},
  {1, 4, 3, 1, 1, 64, 3, 3, 2, 1, 3},    {1, 7, 1, 1, 1, 40, 3, 3, 2, 1, 1},
};

static ptrdiff_t extent(ptrdiff_t input, ptrdiff_t kernel, const geometry *g) {
  return (input + 2 * g->pad - (kernel - 1) * g->dilation - 1) / g->stride + 1;
}

static mk_conv2d convolution(const geometry *g) {
  const ptrdiff_t channels = g->inputs * g->groups, results = g->outputs * g->groups;
  const ptrdiff_t height = extent(g->height, g->kernel_y, g), width = extent(g->width, g->kernel_x, g);
  const mk_conv2d c = {
    .input = floats(g->images * g->height * g->width * channels, 1),
    .input_image_stride = g->height * g->width * channels, .input_row_stride = g->width * channels, .input_pixel_stride = channels,
    .height = g->height, .width = g->width,
    .output = blank(g->images * height * width * results * 4),
    .output_image_stride = height * width * results, .output_row_stride = width * results, .output_pixel_stride = results,
    .output_height = height, .output_width = width,
    .input_channels = g->inputs, .output_channels = g->outputs, .groups = g->groups,
    .kernel_height = g->kernel_y, .kernel_width = g->kernel_x, .stride_y = g->stride, .stride_x = g->stride,
    .dilation_y = g->dilation, .dilation_x = g->dilation, .pad_top = g->pad, .pad_left = g->pad, .weights = NULL,
    .epilogue = {.bias = floats(results, 1), .residual = floats(g->images * height * width * results, 1), .activation = 1, .lo = -2,
                 .hi = 2, .alpha = 1},
    .residual_image_stride = height * width * results, .residual_row_stride = width * results, .residual_pixel_stride = results,
  };
  return c;
}

static void finish_convolution(const char *kind, size_t index, mk_conv2d *c, const geometry *g, float *weights, double tolerance) {
  char name[100];
  snprintf(name, sizeof name, "%s %zu", kind, index);
  emit(name, 1, tolerance, c->output, g->images * c->output_image_stride * 4);
  free((void *)c->input), free(c->output), free((void *)c->epilogue.bias), free((void *)c->epilogue.residual), free(weights);
  free((void *)c->weights);
}

static void test_conv(void) {
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
    const geometry *g = &geometries[i];
    const ptrdiff_t taps = g->kernel_y * g->kernel_x;
    mk_conv2d c = convolution(g);
    float *w = floats(g->groups * g->outputs * g->inputs * taps, 1);
    float *packed = memory(mk_conv2d_packed_count(g->groups, g->outputs, g->inputs, taps) * 4);
    void *odd;
    mk_conv2d_pack_weights(unaligned_copy(w, g->groups * g->outputs * g->inputs * taps * 4, &odd), MK_F32, g->inputs * taps, taps,
                           g->kernel_x, 1, g->groups, g->outputs, g->inputs, g->kernel_y, g->kernel_x, NULL, packed);
    free(odd);
    c.weights = packed;
    float *scratch = memory(mk_conv2d_scratch_count(&c) * 4);
    mk_conv2d_f32(&c, 0, g->images * c.output_height, 0, g->groups * mk_gemm_panel_count(g->outputs), scratch);
    free(scratch);
    finish_convolution("convolution", i, &c, g, w, 1e-5);
  }
  // Images in planes, and weights with columns of the kernel in place of channels.
  for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
    const geometry *g = &geometries[i];
    if (g->groups != 1 || g->dilation != 1) continue;
    const ptrdiff_t taps = g->kernel_y * g->kernel_x;
    mk_conv2d c = convolution(g);
    c.input_plane_stride = g->height * g->width;
    c.input_row_stride = g->width;
    c.input_pixel_stride = 1;
    float *w = floats(g->outputs * g->inputs * taps, 1);
    float *packed = memory(mk_conv2d_packed_count(1, g->outputs, g->inputs, taps) * 4);
    mk_conv2d_pack_weights(w, MK_F32, g->inputs * taps, 1, g->kernel_x, taps, 1, g->outputs, g->kernel_x, g->kernel_y, g->inputs, NULL,
                           packed);
    c.weights = packed;
    float *scratch = memory(mk_conv2d_scratch_count(&c) * 4);
    mk_conv2d_f32(&c, 0, g->images * c.output_height, 0, mk_gemm_panel_count(g->outputs), scratch);
    free(scratch);
    finish_convolution("planes", i, &c, g, w, 1e-5);
  }
  static const geometry winograd[] = {
    {1, 9, 11, 5, 20, 1, 3, 3, 1, 1, 1}, {2, 8, 8, 33, 70, 1, 3, 3, 1, 1, 1}, {1, 5, 6, 16, 3, 1, 3, 3, 1, 1, 0},
  };
  for (size_t i = 0; i < sizeof winograd / sizeof *winograd; i++)
    for (ptrdiff_t m = 2; m <= 4; m += 2) {
      const geometry *g = &winograd[i];
      mk_conv2d c = convolution(g);
      float *w = floats(g->outputs * g->inputs * 9, 1), *packed = memory(mk_winograd_packed_count(g->outputs, g->inputs, m) * 4);
      void *odd;
      mk_winograd_pack_weights(unaligned_copy(w, g->outputs * g->inputs * 36, &odd), MK_F32, g->inputs * 9, 9, 3, 1, g->outputs, g->inputs, m, packed);
      c.weights = packed;
      free(odd);
      const ptrdiff_t tiles = mk_winograd_tile_count(&c, g->images, m);
      float *scratch = memory(mk_winograd_scratch_count(&c, m, tiles) * 4);
      mk_winograd_f32(&c, m, 0, tiles, 0, mk_gemm_panel_count(g->outputs), scratch);
      free(scratch);
      finish_convolution("winograd", i * 10 + (size_t)m, &c, g, w, 1e-4);
    }
}

/// Depthwise convolutions with each activation and element type: in parts of the rows and channels, the residual once in the result's own
/// memory, and weights, pixels and results that are infinite or not numbers.
static void test_depthwise(void) {
  static const struct { int dtype; double tolerance; void (*run)(const mk_conv2d *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t); } types[] = {
    {MK_F32, 1e-5, mk_depthwise2d_f32}, {MK_F16, 2e-3, mk_depthwise2d_f16}, {MK_BF16, 2e-2, mk_depthwise2d_bf16},
  };
  for (size_t i = 0; i < sizeof channelwise / sizeof *channelwise; i++)
    for (int variant = 0; variant < 3 * (MK_ACTIVATION_ELU + 1); variant++) {
      const geometry *g = &channelwise[i];
      const int activation = variant / 3, dtype = types[variant % 3].dtype;
      mk_conv2d c = convolution(g);
      float *weights = floats(g->kernel_y * g->kernel_x * g->groups, 1);
      const ptrdiff_t results = g->images * c.output_image_stride, inputs = g->images * c.input_image_stride;
      if (variant % 2) {
        float *x = (float *)(uintptr_t)c.input;
        x[next() % (uint64_t)inputs] = NAN, x[next() % (uint64_t)inputs] = INFINITY, x[next() % (uint64_t)inputs] = -INFINITY;
        weights[next() % (uint64_t)g->groups] = INFINITY;
      }
      void *input = memory(inputs * 4), *residual = memory(results * 4), *output = blank(results * 4);
      mk_convert(MK_F32, c.input, 1, dtype, input, inputs);
      mk_convert(MK_F32, c.epilogue.residual, 1, dtype, residual, results);
      if (variant % 4 == 1) memcpy(output, residual, (size_t)results * 4);
      mk_conv2d d = c;
      d.input = input, d.output = output, d.weights = weights;
      d.epilogue.residual = variant % 4 == 1 ? output : variant % 4 == 2 ? residual : NULL;
      if (variant % 5 == 0) d.epilogue.bias = NULL;
      d.epilogue.activation = activation;
      d.epilogue.alpha = variant % 7 ? 1 : 0.5f;
      const ptrdiff_t rows = g->images * c.output_height, row = rows / 2, channel = g->groups * 2 / 3;
      types[variant % 3].run(&d, 0, row, 0, g->groups);
      types[variant % 3].run(&d, row, rows, 0, channel);
      types[variant % 3].run(&d, row, rows, channel, g->groups);
      mk_convert(dtype, output, 1, MK_F32, c.output, results);
      char name[100];
      snprintf(name, sizeof name, "depthwise of type %d, activation %d,", dtype, activation);
      finish_convolution(name, i, &c, g, weights, types[variant % 3].tolerance);
      free(input), free(residual), free(output);
    }
}

static void test_attention(void) {
  static const ptrdiff_t shapes[][4] = {{1, 9, 5, 7}, {3, 33, 64, 64}, {7, 7, 17, 9}, {20, 300, 32, 40}, {5, 1, 8, 8}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int causal = 0; causal < 2; causal++) {
      const ptrdiff_t queries = shapes[i][0], keys = shapes[i][1], depth = shapes[i][2], values = shapes[i][3];
      float *q = floats(queries * depth, 1), *k = floats(keys * depth, 1), *v = floats(keys * values, 1), *mask = floats(queries * keys, 1);
      float *y = blank(queries * values * 4);
      const mk_attention a = {.q = q, .q_row_stride = depth, .k = k, .k_row_stride = depth, .v = v, .v_row_stride = values, .output = y,
                              .output_row_stride = values, .mask = causal ? NULL : mask, .mask_row_stride = keys, .queries = queries,
                              .keys = keys, .depth = depth, .value_depth = values, .scale = 0.3f, .causal = causal,
                              .causal_offset = keys - queries > 0 ? keys - queries : 0};
      float *scratch = memory(mk_attention_scratch_count(&a) * 4);
      mk_attention_f32(&a, 0, queries, scratch);
      char name[100];
      snprintf(name, sizeof name, "attention %zu, causal %d", i, causal);
      emit(name, 1, 1e-5, y, queries * values * 4);
      free(q), free(k), free(v), free(mask), free(y), free(scratch);
    }
}

static void test_pooling(void) {
  for (ptrdiff_t channels = 1; channels <= 40; channels += 13) {
    enum { height = 9, width = 7, rows = 5, columns = 4 };
    ptrdiff_t starts[5], counts[5], divisors[5];
    for (int i = 0; i < 5; i++) starts[i] = i == 0 ? 0 : 2 * i - 1, counts[i] = i == 0 ? 2 : i < 3 ? 3 : 1, divisors[i] = 3;
    float *x = floats(height * width * channels, 1), *y = blank(rows * columns * channels * 4);
    x[3 * channels] = NAN;
    int64_t *where = blank(rows * columns * channels * 8);
    mk_pool2d p = {.input = x, .input_image_stride = height * width * channels, .input_row_stride = width * channels,
                   .input_pixel_stride = channels, .output = y, .output_image_stride = rows * columns * channels,
                   .output_row_stride = columns * channels, .output_pixel_stride = channels, .output_height = rows,
                   .output_width = columns, .channels = channels, .rows = {starts, counts, 1, divisors},
                   .columns = {starts, counts, 1, divisors}, .indices = where, .indices_image_stride = rows * columns * channels,
                   .indices_row_stride = columns * channels, .indices_pixel_stride = channels, .input_width = width, .dtype = MK_F32};
    mk_max_pool2d(&p, 0, rows);
    emit("maximum pooling", 1, 0, y, rows * columns * channels * 4);
    emit("maximum pooling, places", 0, 0, where, rows * columns * channels * 8);
    mk_average_pool2d(&p, 0, rows);
    emit("average pooling", 1, 1e-6, y, rows * columns * channels * 4);
    float *into = blank(height * width * channels * 4);
    const mk_pool_gradient2d g = {.pool = &p, .result = into, .result_image_stride = height * width * channels,
                                  .result_row_stride = width * channels, .result_pixel_stride = channels, .input_height = height};
    mk_max_pool_gradient2d(&g, 0, 0, channels);
    emit("gradient of maximum pooling", 1, 1e-6, into, height * width * channels * 4);
    mk_average_pool_gradient2d(&g, 0, channels / 2, channels);
    mk_average_pool_gradient2d(&g, 0, 0, channels / 2);
    emit("gradient of average pooling", 1, 1e-6, into, height * width * channels * 4);
    free(into);
    float *mean = blank(channels * 4);
    mk_mean_rows(x, MK_F32, channels, height * width, channels, mean);
    emit("mean of rows", 1, 1e-6, mean, channels * 4);
    free(x), free(y), free(where), free(mean);
  }
}

static void test_pointwise(void) {
  enum { most = 37 };
  for (ptrdiff_t n = 1; n <= most; n += 9) {
    float *x = floats(n, 6), *a = floats(n, 3), *b = floats(n, 3), *y = blank(n * 4);
    int64_t *p = memory(n * 8), *q = memory(n * 8), *r = blank(n * 8);
    double *d = memory(n * 8), *e = memory(n * 8), *f = blank(n * 8);
    for (ptrdiff_t i = 0; i < n; i++) p[i] = (int64_t)next() >> 20, q[i] = (int64_t)next() >> 50, d[i] = x[i], e[i] = a[i];
    if (n > 10) x[3] = INFINITY, x[4] = -INFINITY, x[5] = NAN, x[6] = 0, x[7] = -0.0f, x[8] = 1e-40f, x[9] = 100;
    char name[100];
    for (int op = 0; op < MK_UNARY_COUNT; op++) {
      snprintf(name, sizeof name, "%s of %td", mk_unary_name(op), n);
      // Element by element: a relative error of each. 1e-5 covers the neighbourhood of zeros of sine and logarithm.
      if (mk_unary_f32(op, n, x, y) == 0)
        for (ptrdiff_t i = 0; i < n; i++) emit(name, 1, 1e-5, y + i, 4);
      if (mk_unary_i64(op, n, p, r) == 0) emit(name, 0, 0, r, n * 8);
    }
    for (int op = 0; op < MK_BINARY_COUNT; op++)
      for (int scalar = 0; scalar < 2; scalar++) {
        snprintf(name, sizeof name, "%s of %td, stride %d", mk_binary_name(op), n, !scalar);
        if (mk_binary_f32(op, n, a, 1, b, !scalar, y) == 0)
          for (ptrdiff_t i = 0; i < n; i++) emit(name, 1, 1e-5, y + i, 4);
        if (mk_binary_i64(op, n, p, 1, q, !scalar, r) == 0) emit(name, 0, 0, r, n * 8);
        if (mk_binary_f64(op, n, d, 1, e, !scalar, f) == 0) emit(name, 0, 0, f, n * 8);
      }
    for (int op = 0; op < MK_TERNARY_COUNT; op++) {
      snprintf(name, sizeof name, "%s of %td", mk_ternary_name(op), n);
      if (mk_ternary_f32(op, n, x, 1, a, 1, b, 1, y) == 0) emit(name, 1, 1e-6, y, n * 4);
    }
    free(x), free(a), free(b), free(y), free(p), free(q), free(r), free(d), free(e), free(f);
  }
}

static void test_rows(void) {
  static const ptrdiff_t widths[] = {1, 3, 4, 15, 17, 64, 130, 1000};
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    const ptrdiff_t rows = 5, n = widths[w];
    float *x = floats(rows * n, 4), *gamma = floats(n, 1), *beta = floats(n, 1), *y = blank(rows * n * 4), *z = blank((rows + n) * 4);
    int64_t *places = blank((rows + n) * 8);
    for (int log = 0; log < 2; log++) {
      mk_softmax_rows_f32(rows, n, x, n, y, n, log);
      emit("softmax of rows", 1, 1e-5, y, rows * n * 4);
      mk_softmax_cols_f32(1, rows, n, x, y, log);
      emit("softmax of columns", 1, 1e-5, y, rows * n * 4);
    }
    mk_layer_norm_rows_f32(rows, n, x, gamma, beta, 1e-5, y, z, NULL);
    emit("layer norm", 1, 1e-5, y, rows * n * 4);
    mk_rms_norm_rows_f32(rows, n, x, gamma, 1e-5, y);
    emit("rms norm", 1, 1e-5, y, rows * n * 4);
    mk_scale_shift_rows_f32(rows, n, x, gamma, beta, y);
    emit("scale and shift", 1, 1e-6, y, rows * n * 4);
    for (int op = 0; op < MK_REDUCE_COUNT; op++) {
      char name[100];
      snprintf(name, sizeof name, "%s of rows of %td", mk_reduce_name(op), n);
      mk_reduce_rows_f32(op, rows, n, n, x, z);
      // Products of a thousand numbers leave float's range now and then, with each order of their own.
      if (op != MK_REDUCE_PROD || n < 20) emit(name, 1, 1e-5, z, rows * 4);
      mk_reduce_cols_f32(op, rows, n, n, x, z);
      emit(name, 1, 1e-5, z, n * 4);
    }
    for (int most = 0; most < 2; most++) {
      mk_arg_rows_f32(most, rows, n, n, x, places);
      emit("place of the extreme in rows", 0, 0, places, rows * 8);
      mk_arg_cols_f32(most, rows, n, n, x, places);
      emit("place of the extreme in columns", 0, 0, places, n * 8);
    }
    free(x), free(gamma), free(beta), free(y), free(z), free(places);
  }
}

static void test_convert(void) {
  enum { count = 45 };
  float *x = floats(count, 70000);
  x[0] = NAN, x[1] = INFINITY, x[2] = -INFINITY, x[3] = 1e-7f, x[4] = 65520, x[5] = 3e9f, x[6] = -1e20f, x[7] = 2.5f;
  for (int from = MK_F32; from <= MK_C128; from++) {
    _Alignas(16) char source[count * 16], result[count * 16];
    memset(source, 0, sizeof source);
    mk_convert(MK_F32, x, 1, from, source, count);
    void *odd;
    const void *moved = unaligned_copy(source, sizeof source, &odd);
    for (int to = MK_F32; to <= MK_C128; to++) {
      memset(result, 0x41, sizeof result);
      mk_convert(from, moved, 1, to, result, count);
      // NaN has many forms.
      if (to == MK_F32) emit("conversion", 1, 0, result, count * 4);
      else if (to == MK_F16 || to == MK_BF16 || to == MK_F64 || to >= MK_C64) {
        float back[count];
        mk_convert(to, result, 1, MK_F32, back, count);
        emit("conversion", 1, 0, back, sizeof back);
      } else emit("conversion", 0, 0, result, count * mk_dtype_size(to));
    }
    free(odd);
  }
  free(x);
  static const int sizes[] = {1, 2, 4, 8, 16};
  for (int s = 0; s < 5; s++) {
    const ptrdiff_t shape[] = {3, 19, 21}, from[] = {19 * 21, 1, 19}, to[] = {19 * 21, 21, 1};
    int8_t *source = bytes_of(3 * 19 * 21 * sizes[s]), *result = blank(3 * 19 * 21 * sizes[s]);
    mk_copy_strided(sizes[s], 3, shape, source, from, result, to);
    emit("transposition", 0, 0, result, 3 * 19 * 21 * sizes[s]);
    free(source), free(result);
  }
  for (int planes = 0; planes < 2; planes++)
    for (ptrdiff_t channels = 3; channels <= 48; channels *= 2) {
      const ptrdiff_t shape[] = {channels, 711}, planar[] = {720, 1}, pixels[] = {1, channels + 2}, count = 720 * (channels + 2);
      float *numbers = floats(count, 70000), *result = blank(count * 4);
      uint16_t *halves = blank(count * 2);
      mk_convert_strided(MK_F32, MK_F16, 2, shape, numbers, planes ? planar : pixels, halves, planes ? pixels : planar);
      emit("conversion of planes", 0, 0, halves, count * 2);
      mk_convert_strided(MK_F16, MK_F32, 2, shape, halves, planes ? pixels : planar, result, planes ? planar : pixels);
      emit("conversion to planes", 0, 0, result, count * 4);
      free(numbers), free(halves), free(result);
    }
}

/// Number of bytes behind a kernel's scratch memory that it must not change.
#define GUARD 4096

/// Scratch memory of `size` bytes.
static uint8_t *guarded(ptrdiff_t size) {
  uint8_t *p = memory(size + GUARD);
  memset(p + size, 0x5a, GUARD);
  return p;
}

/// Frees scratch memory. Ends the process if the bytes behind it have changed.
static void free_guarded(uint8_t *p, ptrdiff_t size, const char *name) {
  for (ptrdiff_t i = size; i < size + GUARD; i++)
    if (p[i] != 0x5a) {
      fprintf(stderr, "%s: wrote beyond its scratch memory\n", name);
      exit(1);
    }
  free(p);
}

static void quantized_conv(const geometry *g, size_t i) {
  const int is_dense = g->inputs * g->outputs > 1 || g->groups == 1;
  // Signed results with a bias; unsigned ones; factors above 1; float32 results; signed results without a bias; signed results without bounds,
  // from pixels with gaps between them.
  for (int variant = 0; variant < 6; variant++) {
    const uint64_t before = state;
    const int to_float = variant == 3;
    const ptrdiff_t channels = g->inputs * g->groups, results = g->outputs * g->groups, taps = g->kernel_y * g->kernel_x;
    const ptrdiff_t height = extent(g->height, g->kernel_y, g), width = extent(g->width, g->kernel_x, g);
    const ptrdiff_t padded = is_dense ? g->groups * ((g->outputs + 31) / 32 * 32) : (g->groups + 31) / 32 * 32;
    const ptrdiff_t pixel = channels + (variant == 5 ? 3 : 0);
    int8_t *x = bytes_of(g->images * g->height * g->width * pixel), *w = bytes_of(results * g->inputs * taps);
    const ptrdiff_t size = g->images * height * width * results * (to_float ? 4 : 1);
    void *y = blank(size);
    float *scale = memory(padded * 4), *bias = floats(padded, 3);
    int32_t *sum_bias = memory(padded * 4);
    for (ptrdiff_t j = 0; j < padded; j++) {
      scale[j] = (variant == 2 ? 1.5f : 0.002f) * (2 + number());
      sum_bias[j] = (int32_t)(next() >> 52);
    }
    mk_q8_conv2d c = {
      .input = x, .input_is_unsigned = variant == 1, .input_zero_point = variant == 1 ? 120 : -7,
      .input_image_stride = g->height * g->width * pixel, .input_row_stride = g->width * pixel, .input_pixel_stride = pixel,
      .images = g->images, .height = g->height, .width = g->width, .output = y, .output_image_stride = height * width * results,
      .output_row_stride = width * results, .output_pixel_stride = results, .output_height = height, .output_width = width,
      .input_channels = g->inputs, .output_channels = g->outputs, .groups = g->groups, .kernel_height = g->kernel_y,
      .kernel_width = g->kernel_x, .stride_y = g->stride, .stride_x = g->stride, .dilation_y = g->dilation, .dilation_x = g->dilation,
      .pad_top = g->pad, .pad_left = g->pad,
      .epilogue = {.output = to_float ? MK_Q8_TO_F32 : variant == 1 ? MK_Q8_TO_UINT8 : MK_Q8_TO_INT8, .scale = scale,
                   .bias = variant == 0 ? bias : NULL, .sum_bias = variant == 0 ? NULL : sum_bias,
                   .zero_point = variant == 1 ? 130 : 4, .lowest = variant == 1 ? 3 : variant == 5 ? -128 : -120,
                   .highest = variant == 1 ? 250 : 127,
                   .activation = MK_ACTIVATION_CLAMP, .lo = -5, .hi = 1e9f},
    };
    char name[100];
    snprintf(name, sizeof name, "int8 %s %zu, variant %d", is_dense ? "convolution" : "depthwise", i, variant);
    int8_t *packed;
    if (is_dense) {
      packed = memory(mk_q8_conv2d_packed_bytes(g->groups, g->outputs, g->inputs, g->kernel_y, g->kernel_x));
      mk_q8_conv2d_pack_weights(w, g->inputs * taps, taps, g->kernel_x, 1, g->groups, g->outputs, g->inputs, g->kernel_y, g->kernel_x,
                                packed);
      c.weights = packed;
      const ptrdiff_t pixels = g->images * height * width, panels = g->groups * ((g->outputs + 31) / 32), part = pixels * 2 / 3;
      const ptrdiff_t scratch_size = mk_q8_conv2d_scratch_bytes(&c, pixels);
      uint8_t *scratch = guarded(scratch_size);
      // In three parts, of which one begins within a row.
      mk_q8_conv2d_run(&c, 0, part, 0, panels, scratch);
      mk_q8_conv2d_run(&c, part, pixels, 0, 1, scratch);
      mk_q8_conv2d_run(&c, part, pixels, 1, panels, scratch);
      free_guarded(scratch, scratch_size, name);
      if (g->groups == 1 && g->kernel_y == 3 && g->kernel_x == 3 && g->stride == 1 && g->dilation == 1) {
        // The same results another way, where the level has one.
        if (mk_q8_winograd_is_supported(g->inputs)) {
          memset(y, 0x55, (size_t)size);
          free(packed);
          packed = memory(mk_q8_winograd_packed_bytes(g->outputs, g->inputs));
          mk_q8_winograd_pack_weights(w, g->inputs * taps, taps, g->kernel_x, 1, g->outputs, g->inputs, packed);
          c.weights = packed;
          const ptrdiff_t tiles = g->images * ((height + 1) / 2) * ((width + 1) / 2), some = tiles * 2 / 3;
          const ptrdiff_t winograd_size = mk_q8_winograd_scratch_bytes(&c, tiles);
          scratch = guarded(winograd_size);
          mk_q8_winograd_run(&c, 0, some, 0, panels, scratch);
          mk_q8_winograd_run(&c, some, tiles, 0, 1, scratch);
          mk_q8_winograd_run(&c, some, tiles, 1, panels, scratch);
          free_guarded(scratch, winograd_size, name);
        }
        emit("int8 Winograd convolution", 0, 0, y, size);
      }
    } else {
      packed = memory(mk_q8_depthwise2d_packed_bytes(g->groups, g->kernel_y, g->kernel_x));
      mk_q8_depthwise2d_pack_weights(w, taps, g->kernel_x, 1, g->groups, g->kernel_y, g->kernel_x, packed);
      c.weights = packed;
      mk_q8_depthwise2d_run(&c, 0, g->images * height);
    }
    emit(name, 0, 0, y, size);
    free(x), free(w), free(y), free(scale), free(bias), free(sum_bias), free(packed);
    // The data of other tests do not depend on the last ones.
    if (variant >= 4) state = before;
  }
}

static void test_quantized_conv(void) {
  const size_t dense = sizeof geometries / sizeof *geometries, channels = sizeof channelwise / sizeof *channelwise;
  for (size_t i = 0; i < dense; i++) quantized_conv(&geometries[i], i);
  for (size_t i = 0; i < channels; i++) quantized_conv(&channelwise[i], dense + i);
  // The data of other tests do not depend on these.
  const uint64_t before = state;
  for (size_t i = 0; i < sizeof integer_geometries / sizeof *integer_geometries; i++)
    quantized_conv(&integer_geometries[i], dense + channels + i);
  state = before;
}

static void test_quantized_rest(void) {
  for (ptrdiff_t n = 1; n <= 200; n = n * 2 + 1) {
    int8_t *a = bytes_of(n), *b = bytes_of(n), *y = blank(n), *table = bytes_of(256);
    float *x = floats(n, 300), *z = blank(n * 4);
    for (int variant = 0; variant < 2; variant++) {
      const mk_q8_binary op = {.a_zero_point = 3, .b_zero_point = -5, .a_scale = 0.013f, .b_scale = 0.4f,
                               .inverse_scale = variant ? 3.1f : 0, .zero_point = 2, .lowest = -128, .highest = 120};
      mk_q8_add(&op, a, b, y, n);
      emit("int8 sum", 0, 0, y, n);
      mk_q8_mul(&op, a, b, y, n);
      emit("int8 product", 0, 0, y, n);
      if (op.inverse_scale == 0) continue;
      const ptrdiff_t channels = n > 8 ? n / 3 : n;
      mk_q8_scale(&op, a, x, y, n / channels, channels);
      emit("int8 times factors", 0, 0, y, n / channels * channels);
    }
    mk_q8_map(table, a, y, n);
    emit("int8 table", 0, 0, y, n);
    mk_q8_quantize(x, 0.31f, -3, -128, 127, y, n);
    emit("quantisation", 0, 0, y, n);
    mk_q8_dequantize(a, 0.7f, 5, z, n);
    emit("dequantisation", 0, 0, z, n * 4);
    float exponentials[256];
    for (int i = 0; i < 256; i++) exponentials[i] = expf(-0.05f * (float)i);
    mk_q8_softmax_rows(a, 1, n, exponentials, 256, -128, -128, 127, y);
    emit("int8 softmax", 0, 0, y, n);
    free(a), free(b), free(y), free(table), free(x), free(z);
  }
  // Windows of more numbers than 16-bit sums hold, with padding, and narrow and wide pixels.
  static const ptrdiff_t pools[][5] = {
    {1, 9, 5, 5, 0}, {17, 20, 19, 20, 0}, {40, 7, 7, 3, 1}, {64, 24, 24, 23, 11}, {80, 7, 9, 7, 0}, {131, 6, 8, 2, 0},
  };
  const uint64_t before = state;
  for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
    const ptrdiff_t channels = pools[i][0], height = pools[i][1], width = pools[i][2], kernel = pools[i][3], pad = pools[i][4];
    const ptrdiff_t rows = height + 2 * pad - kernel + 1, columns = (width + 2 * pad - kernel) / 2 + 1, size = rows * columns * channels;
    int8_t *x = bytes_of(height * width * channels), *y = blank(size);
    const mk_q8_pool2d p = {
      .input = x, .input_image_stride = height * width * channels, .input_row_stride = width * channels, .input_pixel_stride = channels,
      .height = height, .width = width, .output = y, .output_image_stride = size, .output_row_stride = columns * channels,
      .output_pixel_stride = channels, .output_height = rows, .output_width = columns, .channels = channels, .kernel_height = kernel,
      .kernel_width = kernel, .stride_y = 1, .stride_x = 2, .dilation_y = 1, .dilation_x = 1, .pad_top = pad, .pad_left = pad,
      .scale = 1.7f, .input_zero_point = -9, .zero_point = 3, .lowest = -110, .highest = 120,
    };
    mk_q8_average_pool2d(&p, 0, rows);
    emit("int8 average pooling", 0, 0, y, size);
    mk_q8_max_pool2d(&p, 0, rows);
    emit("int8 maximum pooling", 0, 0, y, size);
    free(x), free(y);
  }
  state = before;
  static const ptrdiff_t shapes[][4] = {{1, 64, 32, 32}, {3, 40, 50, 8}, {5, 96, 33, 32}, {7, 13, 5, 16}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const ptrdiff_t m = shapes[i][0], k = shapes[i][1], n = shapes[i][2], block = shapes[i][3], blocks = (k + block - 1) / block;
    const ptrdiff_t stride = (k + block - 1) / block * block + 8, columns = (n + 31) / 32 * 32;
    int8_t *a = bytes_of(m * stride + 64), *w = bytes_of(n * k);
    for (ptrdiff_t j = 0; j < n * k; j++) w[j] = (int8_t)((w[j] & 15) - 8);
    float *scales = floats(n * blocks, 1), *bias = floats(columns, 1), *row_scale = floats(m, 1), *c = blank(m * n * 4);
    int32_t zeros[8] = {3, -1, 0, 7, 100, -128, 5, 5};
    uint8_t *packed = memory(mk_q4_packed_bytes(k, n, block));
    mk_q4_pack_weights(w, k, k, n, block, scales, blocks, packed);
    const mk_q4_linear l = {.a = a, .a_row_stride = stride, .row_scale = row_scale, .row_zero_point = zeros, .weights = packed, .c = c,
                            .c_row_stride = n, .k = k, .n = n, .block = block, .bias = bias, .activation = MK_ACTIVATION_NONE};
    mk_q4_linear_run(&l, 0, m, 0, columns / 32);
    emit("int4 product", 1, 1e-6, c, m * n * 4);
    free(a), free(w), free(scales), free(bias), free(row_scale), free(c), free(packed);
  }
}

/// Products with 8-bit matrices in place, whose results are equal on all levels.
static void test_q8_in_place(void) {
  static const ptrdiff_t shapes[][3] = {{1, 1, 1}, {2, 7, 7}, {3, 33, 64}, {4, 5, 63}, {5, 70, 65}, {1, 61, 100}, {200, 9, 768}, {6, 12, 1000}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const ptrdiff_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
    int8_t *a = bytes_of(m * k), *weights = bytes_of(n * k);
    float *scales = floats(n, 1), *bias = floats(n, 1), *row_scale = floats(m, 1), *c = blank(m * n * 4);
    int32_t *zeros = memory(m * 4);
    for (ptrdiff_t i = 0; i < m; i++) zeros[i] = (int32_t)(i * 37 % 256) - 128;
    const mk_q8_in_place l = {.a = a, .a_row_stride = k, .row_scale = row_scale, .row_zero_point = zeros, .weights = weights,
                              .scales = scales, .scale_count = s % 3 ? n : 1, .c = c, .c_row_stride = n, .k = k, .n = n,
                              .bias = s % 2 ? bias : NULL, .activation = s % 4 ? MK_ACTIVATION_NONE : MK_ACTIVATION_CLAMP, .lo = -1, .hi = 2};
    const ptrdiff_t middle = n / 2 / 4 * 4;
    mk_q8_in_place_run(&l, 0, m, middle, n);
    mk_q8_in_place_run(&l, 0, m, 0, middle);
    emit("int8 product in place", 0, 0, c, m * n * 4);
    free(a), free(weights), free(scales), free(bias), free(row_scale), free(c), free(zeros);
  }
}

static void test_rotary(void) {
  for (ptrdiff_t pairs = 1; pairs <= 80; pairs = pairs * 2 + 1)
    for (int interleaved = 0; interleaved < 2; interleaved++) {
      float *x = floats(2 * pairs, 1), *cosines = floats(2 * pairs, 1), *sines = floats(2 * pairs, 1), *y = blank((2 * pairs + 3) * 4);
      mk_rotary_f32(x, cosines, sines, pairs, interleaved, y);
      emit("rotation of pairs", 1, 1e-6, y, (2 * pairs + 3) * 4);
      free(x), free(cosines), free(sines), free(y);
    }
}

/// Products with 4-bit matrices in place, whose results are equal on all levels.
static void test_q4_in_place(void) {
  static const struct { ptrdiff_t m, n, k, block; int dtype; } cases[] = {
    {1, 1, 32, 32, MK_BF16}, {1, 7, 64, 32, MK_F32},    {2, 33, 96, 32, MK_BF16},   {3, 10, 128, 32, MK_BF16}, {4, 70, 160, 32, MK_F32},
    {5, 9, 192, 64, MK_BF16}, {6, 61, 768, 32, MK_BF16}, {8, 12, 256, 128, MK_BF16}, {7, 5, 384, 384, MK_F32},  {130, 8, 1056, 96, MK_BF16}};
  for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
    const ptrdiff_t m = cases[s].m, n = cases[s].n, k = cases[s].k, block = cases[s].block, pitch = mk_q4_arranged_bytes(k);
    int8_t *a = bytes_of(m * k);
    uint8_t *weights = (uint8_t *)bytes_of(n * k / 2), *arranged = memory(m * pitch);
    float *real = floats(n * k / block, 1), *bias = floats(n, 1), *row_scale = floats(m, 1), *sums = blank(n * 4), *c = blank(m * n * 4);
    int32_t *zeros = memory(m * 4);
    uint16_t *halves = memory(n * k / block * 2);
    mk_convert(MK_F32, real, 1, MK_BF16, halves, n * k / block);
    for (ptrdiff_t i = 0; i < m; i++) {
      zeros[i] = (int32_t)(i * 37 % 256) - 128;
      mk_q4_arrange_row(a + i * k, k, arranged + i * pitch);
    }
    mk_q4_in_place l = {.a = arranged, .a_row_stride = pitch, .row_scale = row_scale, .row_zero_point = zeros, .weights = weights,
                        .scales = cases[s].dtype == MK_F32 ? (void *)real : (void *)halves, .scale_dtype = cases[s].dtype, .c = c,
                        .c_row_stride = n, .k = k, .n = n, .block = block, .bias = s % 2 ? bias : NULL,
                        .activation = s % 3 ? MK_ACTIVATION_NONE : MK_ACTIVATION_CLAMP, .lo = -1, .hi = 2};
    mk_q4_column_sums(&l, 0, n, sums);
    emit("int4 column sums", 0, 0, sums, n * 4);
    l.column_sums = s == 3 ? NULL : sums;
    const ptrdiff_t middle = n / 2 / 4 * 4;
    mk_q4_in_place_run(&l, 0, m, middle, n);
    mk_q4_in_place_run(&l, 0, m, 0, middle);
    emit("int4 product in place", 0, 0, c, m * n * 4);
    free(a), free(weights), free(arranged), free(real), free(bias), free(row_scale), free(sums), free(c), free(zeros), free(halves);
  }
}

static int by_size(const void *a, const void *b) {
  const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

/// Ranks of numbers in single and double precision, and complete trees of a depth that walk them.
static void test_trees(void) {
  enum { columns = 5, depth = 4, trees = 83, nodes_of_tree = (2 << depth) - 1 };
  static const ptrdiff_t cut_counts[] = {0, 3, 31, 32, 200};
  static const ptrdiff_t row_counts[] = {1, 4, 7, 16, 45, 300};
  for (size_t s = 0; s < sizeof row_counts / sizeof *row_counts; s++) {
    const ptrdiff_t rows = row_counts[s];
    mk_tree_column table[columns];
    int64_t *cuts = memory(columns * 200 * 8);
    for (int column = 0, start = 0; column < columns; start += (int)cut_counts[column++]) {
      table[column] = (mk_tree_column){.source = columns - 1 - column, .start = start, .count = cut_counts[column],
                                       .missing_is_low = column & 1};
      for (ptrdiff_t cut = 0; cut < cut_counts[column]; cut++) {
        const double value = 4 * number();
        memcpy(cuts + start + cut, &value, 8);
        if (value < 0) cuts[start + cut] ^= INT64_MAX;
      }
      qsort(cuts + start, (size_t)cut_counts[column], 8, by_size);
    }
    float *x = floats(rows * columns, 4);
    x[0] = NAN;
    double *wide = memory(rows * columns * 8);
    for (ptrdiff_t i = 0; i < rows * columns; i++) wide[i] = x[i];
    uint16_t *ranks = blank(rows * (columns + 1) * 2 + MK_TREE_RANK_PADDING);
    uint32_t *wide_ranks = blank(rows * columns * 4);
    mk_tree_ranks16(cuts, table, columns, x, 1, columns, rows, ranks, columns + 1);
    mk_tree_ranks32(cuts, table, columns, wide, 0, columns, rows, wide_ranks, columns);
    mk_tree_node16 nodes[trees * nodes_of_tree];
    uint32_t roots[trees], depths[trees];
    double values[trees * nodes_of_tree];
    for (uint32_t tree = 0; tree < trees; tree++) {
      const uint32_t root = roots[tree] = tree * nodes_of_tree;
      depths[tree] = depth;
      for (uint32_t node = 0; node < nodes_of_tree; node++) {
        const int is_leaf = node >= nodes_of_tree / 2;
        nodes[root + node] = (mk_tree_node16){.cut = is_leaf ? UINT16_MAX : (uint16_t)(next() % 60),
                                              .column = is_leaf ? 0 : (uint16_t)(next() % columns),
                                              .left = root + (is_leaf ? node : 2 * node + 1)};
        values[root + node] = number();
      }
    }
    double *sums = memory(rows * 2 * 8);
    for (ptrdiff_t row = 0; row < rows * 2; row++) sums[row] = 0.25;
    mk_forest forest = {.nodes = nodes, .node_count = trees * nodes_of_tree, .roots = roots, .depths = depths, .tree_count = trees,
                              .values = values, .starts = roots, .dimension_count = 1};
    mk_forest_sum16(&forest, ranks, columns + 1, rows, sums);
    forest.gathers = 1;
    mk_forest_sum16(&forest, ranks, columns + 1, rows, sums + rows);
    char name[100];
    snprintf(name, sizeof name, "tree ranks, %td rows", rows);
    emit(name, 0, 0, ranks, rows * (columns + 1) * 2);
    emit(name, 0, 0, wide_ranks, rows * columns * 4);
    snprintf(name, sizeof name, "tree sums, %td rows", rows);
    emit(name, 0, 0, sums, rows * 2 * 8);
    free(cuts), free(x), free(wide), free(ranks), free(wide_ranks), free(sums);
  }
}

static void test_samples(void) {
  for (int rows = 1; rows <= MK_SAMPLE_ROWS; rows++)
    for (ptrdiff_t columns = 0; columns < 40; columns += 13) {
      float *numbers = floats((rows + MK_SAMPLE_LANES) * columns, 1);
      double *x = memory((rows + MK_SAMPLE_LANES) * columns * 8), *block = x + rows * columns;
      for (ptrdiff_t i = 0; i < (rows + MK_SAMPLE_LANES) * columns; i++) x[i] = numbers[i];
      double results[2][MK_SAMPLE_ROWS * MK_SAMPLE_LANES], norms[MK_SAMPLE_LANES] = {0}, x_norms[MK_SAMPLE_ROWS] = {0};
      double limits[MK_SAMPLE_ROWS];
      mk_sample_distances(x, columns, rows, block, columns, results[0]);
      mk_sample_products(x, columns, rows, block, columns, results[1]);
      for (ptrdiff_t column = 0; column < columns; column++) {
        for (int lane = 0; lane < MK_SAMPLE_LANES; lane++) {
          norms[lane] += block[column * MK_SAMPLE_LANES + lane] * block[column * MK_SAMPLE_LANES + lane];
        }
        for (int row = 0; row < rows; row++) x_norms[row] += x[row * columns + column] * x[row * columns + column];
      }
      for (int row = 0; row < rows; row++) limits[row] = 0.6 * (double)columns;
      uint16_t candidates[MK_SAMPLE_ROWS];
      mk_sample_candidates(x, columns, rows, block, columns, x_norms, norms, 1e-13, limits, candidates);
      float narrow[2 * MK_SAMPLE_ROWS * MK_SAMPLE_LANES];
      for (int i = 0; i < 2 * rows * MK_SAMPLE_LANES; i++) {
        narrow[i] = (float)results[i / (rows * MK_SAMPLE_LANES)][i % (rows * MK_SAMPLE_LANES)];
      }
      char name[100];
      snprintf(name, sizeof name, "samples, %d rows, %td columns", rows, columns);
      emit(name, 1, 1e-6, narrow, 2 * rows * MK_SAMPLE_LANES * 4);
      emit(name, 0, 0, candidates, rows * 2);
      free(numbers), free(x);
    }
}

static int record_all(const char *path) {
  output = fopen(path, "wb");
  if (output == NULL) return 2;
  test_gemm();
  test_conv();
  test_attention();
  test_rotary();
  test_pooling();
  test_pointwise();
  test_rows();
  test_convert();
  test_quantized_conv();
  test_quantized_rest();
  test_q4_in_place();
  test_q8_in_place();
  test_trees();
  test_samples();
  test_resampling();
  test_pixels();
  test_depthwise();
  test_bf16();
  test_halves();
  test_stored();
  test_attention_of_caches();
  for (int kind = MK_PEAK_F32; kind <= MK_PEAK_CLOCK; kind++)
    if (mk_peak_unit(kind) != NULL && mk_peak_run(kind, 1) <= 0) return 2;
  float *x = floats(1001, 1), sum = mk_peak_read(x, 1001);
  emit("reading", 1, 1e-4, &sum, 4);
  free(x);
  printf("%s, %s\n", mk_isa_step_name(mk_isa_step()), mk_q8_level_name());
  return fclose(output) == 0 && unmet == 0 ? 0 : 2;
}

/// Whether every float of `b` is as close to that of `a` as the record allows.
static int floats_agree(const record *r, const char *a, const char *b) {
  double largest = 0;
  for (int64_t i = 0; i < r->bytes; i += 4) {
    float v;
    memcpy(&v, a + i, 4);
    if (isfinite(v)) largest = fmax(largest, fabs((double)v));
  }
  for (int64_t i = 0; i < r->bytes; i += 4) {
    float v, w;
    memcpy(&v, a + i, 4);
    memcpy(&w, b + i, 4);
    if (v == w || (isnan(v) && isnan(w))) continue;
    if (!(fabs((double)v - (double)w) <= r->tolerance * largest)) {
      fprintf(stderr, "%s: element %lld is %.9g and %.9g\n", r->name, (long long)(i / 4), (double)v, (double)w);
      return 0;
    }
  }
  return 1;
}

static int compare(const char *first, const char *second) {
  FILE *files[2] = {fopen(first, "rb"), fopen(second, "rb")};
  if (files[0] == NULL || files[1] == NULL) return 2;
  int failures = 0, count = 0;
  record r[2];
  while (fread(&r[0], sizeof r[0], 1, files[0]) == 1) {
    if (fread(&r[1], sizeof r[1], 1, files[1]) != 1 || memcmp(&r[0], &r[1], sizeof r[0]) != 0) {
      fprintf(stderr, "%s: the files hold different calls\n", r[0].name);
      return 1;
    }
    char *data[2] = {memory(r[0].bytes), memory(r[0].bytes)};
    for (int i = 0; i < 2; i++)
      if (r[0].bytes > 0 && fread(data[i], (size_t)r[0].bytes, 1, files[i]) != 1) return 2;
    if (r[0].is_float) {
      failures += !floats_agree(&r[0], data[0], data[1]);
    } else if (memcmp(data[0], data[1], (size_t)r[0].bytes) != 0) {
      fprintf(stderr, "%s: integers differ\n", r[0].name);
      failures++;
    }
    count++;
    free(data[0]), free(data[1]);
  }
  printf("%d results, %d differ\n", count, failures);
  return failures > 0 || count == 0 || fgetc(files[1]) != EOF;
}

static int list_steps(void) {
  for (int i = 0; mk_isa_step_name(i) != NULL; i++)
    if (mk_isa_has_step(i)) printf("%s\n", mk_isa_step_name(i));
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "steps") == 0) return list_steps();
  if (count == 2 && strcmp(arguments[1], "accuracy") == 0) return test_accuracy();
  if (count == 3 && strcmp(arguments[1], "record") == 0) return record_all(arguments[2]);
  if (count == 4 && strcmp(arguments[1], "compare") == 0) return compare(arguments[2], arguments[3]);
  fprintf(stderr, "usage: harness steps | accuracy | record FILE | compare FILE FILE\n");
  return 2;
}
