/// Products with matrices that are read where they lie.
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"

/// Memory that ends with the last byte, so that an address sanitizer finds what is read beyond it.
static void *exactly(const void *source, ptrdiff_t bytes) {
  void *copy = malloc((size_t)bytes);
  return memcpy(copy, source, (size_t)bytes);
}

/// Stops the program unless the products that both kernels compute agree.
static void expect_equal(const char *name, const float *few, const float *many, ptrdiff_t rows, ptrdiff_t n, int dtype) {
  const float tolerance = dtype == MK_F32 ? 1e-4f : 4e-2f;
  for (ptrdiff_t i = 0; i < rows * n; i++) {
    const ptrdiff_t place = i / n * (n + 3) + i % n;
    if (fabsf(few[place] - many[place]) <= tolerance * (1 + fabsf(few[place]))) continue;
    fprintf(stderr, "%s: row %td, column %td is %g with few rows and %g with many\n", name, i / n, i % n, few[place], many[place]);
    exit(1);
  }
}

/// Products of `rows` rows with the matrix, for few and for many rows.
static void multiply(const char *kind, int number, const mk_stored_matrix *w, ptrdiff_t rows, int dtype) {
  const ptrdiff_t n = w->n, k = w->k, count = mk_stored_arranged_count(w);
  float *x = floats(rows * k, 1), *bias = floats(n, 1), *residual = floats(rows * n, 1), *wide = memory(rows * (n + 3) * 4);
  void *left = memory(rows * k * 4), *added = memory(rows * n * 4), *other = blank(rows * (n + 3) * 4);
  mk_convert(MK_F32, x, 1, dtype, left, rows * k);
  mk_convert(MK_F32, residual, 1, dtype, added, rows * n);
  float *a = memory(rows * count * 4 + 4), *c = blank(rows * (n + 3) * 4);
  for (ptrdiff_t i = 0; i < rows; i++) mk_stored_arrange_row(w, (char *)left + i * k * mk_dtype_size(dtype), 1, dtype, a + i * count);
  mk_stored_product p = {.matrix = *w, .a = a, .a_row_stride = count, .c = c, .c_row_stride = n + 3, .c_dtype = dtype};
  p.epilogue = (mk_epilogue){.bias = bias, .residual = number % 2 ? added : NULL, .residual_row_stride = n, .activation = number % 11,
                             .lo = 0.1f, .hi = 0.7f, .alpha = number % 3 ? 0.01f : 0.5f};
  mk_stored_product_run(&p, 0, rows, 0, mk_gemm_panel_count(n));
  char name[100];
  snprintf(name, sizeof name, "stored %s %td x %td x %td, kind %d", kind, rows, n, k, number);
  float *few = memory(rows * (n + 3) * 4);
  mk_convert(dtype, c, 1, MK_F32, few, rows * (n + 3));
  emit(name, 1, dtype == MK_F32 ? 1e-5 : 1e-2, few, rows * (n + 3) * 4);
  float *panels = memory(mk_stored_gemm_count(k) * 4 + 64), *scratch = memory(mk_gemm_scratch_count(k, n, rows, 1, 0) * 4 + 64);
  mk_gemm g = {.a = left, .a_dtype = dtype, .a_row_stride = k, .a_k_stride = 1, .b = panels, .c = other, .c_dtype = dtype,
               .c_row_stride = n + 3, .k = k, .n = n, .epilogue = p.epilogue, .scratch = scratch};
  // Enough rows in all divide k into blocks.
  const ptrdiff_t all_rows = number % 4 < 2 ? 1000 : rows;
  mk_stored_gemm(&g, w, panels, all_rows, 0, rows, 0, mk_gemm_panel_count(n));
  mk_convert(dtype, other, 1, MK_F32, wide, rows * (n + 3));
  expect_equal(name, few, wide, rows, n, dtype);
  emit(name, 1, dtype == MK_F32 ? 1e-5 : 1e-2, wide, rows * (n + 3) * 4);
  if (number % 2) {
    // The result is its own residual.
    for (ptrdiff_t i = 0; i < rows; i++) {
      const ptrdiff_t size = mk_dtype_size(dtype);
      memcpy((char *)other + i * (n + 3) * size, (char *)added + i * n * size, (size_t)(n * size));
    }
    g.epilogue.residual = other;
    g.epilogue.residual_row_stride = n + 3;
    mk_stored_gemm(&g, w, panels, all_rows, 0, rows, 0, mk_gemm_panel_count(n));
    mk_convert(dtype, other, 1, MK_F32, wide, rows * (n + 3));
    expect_equal(name, few, wide, rows, n, dtype);
    emit(name, 1, dtype == MK_F32 ? 1e-5 : 1e-2, wide, rows * (n + 3) * 4);
  }
  free(x), free(few), free(bias), free(residual), free(wide), free(left), free(added), free(other), free(a), free(c), free(panels), free(scratch);
}

static const int dtypes[] = {MK_F32, MK_F16, MK_BF16};

static void test_integers(void) {
  // Columns, depth and block.
  static const ptrdiff_t shapes[][3] = {{1, 1, 1}, {33, 70, 70}, {17, 128, 32}, {64, 320, 64}, {40, 66, 66}, {9, 1000, 8}, {31, 384, 128}, {3, 120, 24},
                                        {70, 96, 16}, {34, 4200, 4200}, {16, 2304, 256}, {20, 0, 1}};
  static const int zeros[] = {MK_F32, MK_I8, MK_U8};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < 12; kind++) {
      const ptrdiff_t n = shapes[s][0], k = shapes[s][1], blocks = k / shapes[s][2], rows = 1 + (ptrdiff_t)((s + 5 * (size_t)kind) % 21);
      const ptrdiff_t scale_rows = kind % 5 == 4 ? 1 : n;
      const int dtype = dtypes[kind % 3], zero_dtype = zeros[kind / 3 % 3];
      mk_stored_matrix w = {.bits = kind % 2 ? 4 : 8, .dtype = kind / 2 % 2 ? MK_I8 : MK_U8, .n = n, .k = k, .block = shapes[s][2],
                            .scale_dtype = dtype, .scale_row_stride = scale_rows == 1 ? 0 : blocks, .zero_dtype = zero_dtype,
                            .zero_point = kind % 4 ? 0 : 8};
      w.row_bytes = w.bits == 8 ? k : (k + 1) / 2;
      int8_t *values = bytes_of(n * w.row_bytes), *points = bytes_of(n * (blocks + 1) * 4);
      float *scales = floats(n * (blocks + 1), 0.1f);
      for (ptrdiff_t i = 0; i < n * blocks && zero_dtype == MK_F32; i++) ((float *)points)[i] = (float)(i % 16);
      void *narrow = memory(n * (blocks + 1) * 4);
      mk_convert(MK_F32, scales, 1, dtype, narrow, n * blocks);
      void *own[3] = {exactly(values, n * w.row_bytes), exactly(narrow, scale_rows * blocks * mk_dtype_size(dtype)),
                      exactly(points, scale_rows * blocks * mk_dtype_size(zero_dtype))};
      w.values = own[0], w.scales = own[1], w.zero_points = kind % 3 ? own[2] : NULL;
      multiply("integers", kind, &w, rows, dtypes[(kind + 1) % 3]);
      free(values), free(points), free(scales), free(narrow), free(own[0]), free(own[1]), free(own[2]);
    }
}

static void test_floats(void) {
  static const ptrdiff_t shapes[][2] = {{1, 1}, {33, 70}, {17, 9}, {64, 31}, {40, 65}, {8, 16}, {15, 128}, {31, 33}, {3, 0}, {35, 4200}, {20, 1100}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < 12; kind++) {
      const ptrdiff_t n = shapes[s][0], k = shapes[s][1], stride = k + kind % 4, rows = 1 + (ptrdiff_t)((s + 5 * (size_t)kind) % 21);
      const int dtype = dtypes[kind / 4], size = (int)mk_dtype_size(dtype);
      float *numbers = floats(n * stride, 1);
      void *narrow = memory(n * stride * 4);
      mk_convert(MK_F32, numbers, 1, dtype, narrow, n * stride);
      // The last row ends with its last number.
      void *own = exactly(narrow, ((n - 1) * stride + k) * size);
      mk_stored_matrix w = {.values = own, .row_bytes = stride * size, .dtype = dtype, .bits = 8 * size, .n = n, .k = k, .block = k > 0 ? k : 1};
      multiply("floats", kind, &w, rows, dtypes[kind % 3]);
      free(numbers), free(narrow), free(own);
    }
}

void test_stored(void) {
  test_integers();
  test_floats();
}
