/// Times products and 3 x 3 convolutions on one core, for Benchmarks/measure-costs. Each line is a JSON object.
///
/// As in a network, weights are used once before others are: each run takes the next of several copies, which together exceed the caches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CMartletKernels.h"

#define WEIGHT_BYTES (96 << 20)
#define LEAST_SECONDS 0.1
#define LEAST_RUNS 5

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static float *numbers(ptrdiff_t count) {
  float *p = NULL;
  if (posix_memalign((void **)&p, 64, (size_t)count * 4) != 0) abort();
  for (ptrdiff_t i = 0; i < count; i++) p[i] = (float)(i % 17) * 0.0625f - 0.5f;
  return p;
}

/// A kernel and its packed weights, of `weight_count` floats.
typedef struct {
  void (*run)(void *context, const float *weights);
  void *context;
  ptrdiff_t weight_count;
} job;

/// The shortest time of a run in nanoseconds.
static double shortest(const job *j) {
  ptrdiff_t copies = WEIGHT_BYTES / (j->weight_count * 4) + 1;
  if (copies > 64) copies = 64;
  float *weights = numbers(copies * j->weight_count);
  double best = 1e30, begin = now();
  for (int run = 0; run < LEAST_RUNS || now() - begin < LEAST_SECONDS; run++) {
    // The mean over the copies: each of them comes from where the others have left it.
    double start = now();
    for (ptrdiff_t i = 0; i < copies; i++) j->run(j->context, weights + i * j->weight_count);
    double time = (now() - start) / (double)copies;
    if (time < best) best = time;
  }
  free(weights);
  return best * 1e9;
}

typedef struct {
  mk_gemm product;
  ptrdiff_t rows;
} product_context;

static void run_product(void *context, const float *weights) {
  product_context *c = context;
  c->product.b = weights;
  mk_gemm_f32(&c->product, 0, c->rows, 0, mk_gemm_panel_count(c->product.n));
}

static void time_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) {
  float *a = numbers(m * k), *out = numbers(m * n);
  product_context c = {.rows = m};
  c.product = (mk_gemm){.a = a, .a_row_stride = k, .a_k_stride = 1, .b = a, .c = out, .c_row_stride = n, .k = k, .n = n};
  c.product.epilogue.alpha = 1;
  double time = shortest(&(job){run_product, &c, mk_gemm_packed_count(k, n)});
  printf("{\"kind\": \"product\", \"rows\": %td, \"columns\": %td, \"inner\": %td, \"ns\": %.0f}\n", m, n, k, time);
  free(a), free(out);
}

static ptrdiff_t block_tiles(const mk_conv2d *c, ptrdiff_t side) {
  return mk_winograd_block_tiles(c->output_channels, c->input_channels, c->weights_are_half, side);
}

typedef struct {
  mk_conv2d convolution;
  /// 0 for a direct convolution.
  ptrdiff_t side;
  float *scratch;
} convolution_context;

static void run_convolution(void *context, const float *weights) {
  convolution_context *c = context;
  ptrdiff_t panels = mk_gemm_panel_count(c->convolution.output_channels);
  c->convolution.weights = weights;
  if (c->side == 0) {
    mk_conv2d_f32(&c->convolution, 0, c->convolution.output_height, 0, panels, c->scratch);
    return;
  }
  ptrdiff_t tiles = mk_winograd_tile_count(&c->convolution, 1, c->side), block = block_tiles(&c->convolution, c->side);
  for (ptrdiff_t tile = 0; tile < tiles; tile += block)
    mk_winograd_f32(&c->convolution, c->side, tile, tile + block < tiles ? tile + block : tiles, 0, panels, c->scratch);
}

static void time_convolution(ptrdiff_t extent, ptrdiff_t inputs, ptrdiff_t outputs) {
  float *x = numbers(extent * extent * inputs), *y = numbers(extent * extent * outputs);
  for (ptrdiff_t side = 0; side <= 4; side += 2) {
    convolution_context c = {.side = side};
    c.convolution = (mk_conv2d){
      .input = x, .input_image_stride = extent * extent * inputs, .input_row_stride = extent * inputs, .input_pixel_stride = inputs,
      .height = extent, .width = extent, .output = y, .output_image_stride = extent * extent * outputs,
      .output_row_stride = extent * outputs, .output_pixel_stride = outputs, .output_height = extent, .output_width = extent,
      .input_channels = inputs, .output_channels = outputs, .groups = 1, .kernel_height = 3, .kernel_width = 3, .stride_y = 1,
      .stride_x = 1, .dilation_y = 1, .dilation_x = 1, .pad_top = 1, .pad_left = 1, .weights = x, .epilogue = {.alpha = 1},
    };
    ptrdiff_t scratch = side == 0 ? mk_conv2d_scratch_count(&c.convolution)
                                  : mk_winograd_scratch_count(&c.convolution, side, block_tiles(&c.convolution, side));
    ptrdiff_t count = side == 0 ? mk_conv2d_packed_count(1, outputs, inputs, 9) : mk_winograd_packed_count(outputs, inputs, side);
    c.scratch = numbers(scratch + 1);
    double time = shortest(&(job){run_convolution, &c, count});
    printf("{\"kind\": \"convolution\", \"side\": %td, \"extent\": %td, \"inputs\": %td, \"outputs\": %td, \"ns\": %.0f}\n", side, extent,
           inputs, outputs, time);
    free(c.scratch);
  }
  free(x), free(y);
}

static void time_reading(void) {
  const ptrdiff_t count = 64 << 20;
  float *p = numbers(count);
  double best = 1e30;
  float sum = 0;
  for (int run = 0; run < LEAST_RUNS; run++) {
    double start = now();
    sum += mk_peak_read(p, count);
    if (now() - start < best) best = now() - start;
  }
  printf("{\"kind\": \"reading\", \"bytes\": %td, \"ns\": %.0f, \"sum\": %g}\n", count * 4, best * 1e9, (double)sum);
  free(p);
}

int main(void) {
  // Layers of the networks of the comparison.
  static const ptrdiff_t products[][3] = {{3136, 64, 64}, {784, 128, 256}, {196, 576, 96}, {196, 96, 576}, {197, 768, 192}, {128, 384, 384},
                                          {128, 1536, 384}, {49, 1280, 320}, {49, 512, 2048}, {784, 32, 192}, {12544, 16, 32}};
  static const ptrdiff_t convolutions[][3] = {{112, 32, 32}, {56, 64, 64}, {56, 64, 128}, {28, 128, 128}, {28, 96, 16}, {14, 256, 256},
                                              {14, 128, 256}, {7, 512, 512}, {7, 256, 256}, {64, 16, 16}, {32, 48, 48}, {128, 24, 8}};
  printf("{\"kind\": \"step\", \"name\": \"%s\"}\n", mk_isa_name(mk_isa()));
  time_reading();
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) time_product(products[i][0], products[i][1], products[i][2]);
  for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
    time_convolution(convolutions[i][0], convolutions[i][1], convolutions[i][2]);
  return 0;
}
