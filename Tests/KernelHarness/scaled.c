/// Products with matrices of integers and scales that are read where they lie.
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CMartletKernels.h"

/// Memory that ends with the last byte, so that an address sanitizer finds what is read beyond it.
static void *exactly(const void *source, ptrdiff_t bytes) {
  void *copy = malloc((size_t)bytes);
  return memcpy(copy, source, (size_t)bytes);
}

void test_scaled(void) {
  // Columns, depth and block.
  static const ptrdiff_t shapes[][3] = {{1, 1, 1}, {33, 70, 70}, {17, 128, 32}, {64, 320, 64}, {40, 66, 66}, {9, 1000, 8}, {31, 384, 128}, {3, 120, 24},
                                        {70, 96, 16}, {34, 4200, 4200}, {16, 2304, 256}, {20, 0, 1}};
  static const int dtypes[] = {MK_F32, MK_F16, MK_BF16}, zeros[] = {MK_F32, MK_I8, MK_U8};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (int kind = 0; kind < 12; kind++) {
      const ptrdiff_t n = shapes[s][0], k = shapes[s][1], blocks = k / shapes[s][2], rows = 1 + (ptrdiff_t)((s + 5 * (size_t)kind) % 21);
      const ptrdiff_t scale_rows = kind % 5 == 4 ? 1 : n;
      const int dtype = dtypes[kind % 3], zero_dtype = zeros[kind / 3 % 3];
      mk_scaled_matrix w = {.bits = kind % 2 ? 4 : 8, .is_signed = kind / 2 % 2, .n = n, .k = k, .block = shapes[s][2], .scale_dtype = dtype,
                            .scale_row_stride = scale_rows == 1 ? 0 : blocks, .zero_dtype = zero_dtype, .zero_point = kind % 4 ? 0 : 8};
      w.row_bytes = w.bits == 8 ? k : (k + 1) / 2;
      int8_t *values = bytes_of(n * w.row_bytes), *points = bytes_of(n * (blocks + 1) * 4);
      float *scales = floats(n * (blocks + 1), 0.1f), *x = floats(rows * k, 1), *bias = floats(n, 1), *residual = floats(rows * n, 1);
      for (ptrdiff_t i = 0; i < n * blocks && zero_dtype == MK_F32; i++) ((float *)points)[i] = (float)(i % 16);
      void *narrow = memory(n * (blocks + 1) * 4), *stored = memory(rows * n * 4), *added = memory(rows * n * 4), *left = memory(rows * k * 4);
      mk_convert(MK_F32, scales, 1, dtype, narrow, n * blocks);
      void *own[3] = {exactly(values, n * w.row_bytes), exactly(narrow, scale_rows * blocks * mk_dtype_size(dtype)),
                      exactly(points, scale_rows * blocks * mk_dtype_size(zero_dtype))};
      w.values = own[0], w.scales = own[1], w.zero_points = kind % 3 ? own[2] : NULL;
      const int result = dtypes[(kind + 1) % 3];
      mk_convert(MK_F32, x, 1, result, left, rows * k);
      mk_convert(MK_F32, residual, 1, result, added, rows * n);
      const ptrdiff_t count = mk_scaled_arranged_count(&w);
      float *a = memory(rows * count * 4 + 4), *c = blank(rows * (n + 3) * 4), *wide = memory(rows * (n + 3) * 4);
      for (ptrdiff_t i = 0; i < rows; i++) mk_scaled_arrange_row(&w, (char *)left + i * k * mk_dtype_size(result), 1, result, a + i * count);
      mk_scaled_product p = {.matrix = w, .a = a, .a_row_stride = count, .c = c, .c_row_stride = n + 3, .c_dtype = result};
      p.epilogue = (mk_epilogue){.bias = bias, .residual = kind % 2 ? added : NULL, .residual_row_stride = n, .activation = kind % 11,
                                 .lo = 0.1f, .hi = 0.7f, .alpha = 0.01f};
      mk_scaled_product_run(&p, 0, rows, 0, mk_gemm_panel_count(n));
      char name[100];
      snprintf(name, sizeof name, "scaled %td x %td x %td, kind %d", rows, n, k, kind);
      mk_convert(result, c, 1, MK_F32, wide, rows * (n + 3));
      emit(name, 1, result == MK_F32 ? 1e-5 : 1e-2, wide, rows * (n + 3) * 4);
      float *panels = memory(mk_scaled_gemm_count(k) * 4 + 64), *scratch = memory(mk_gemm_scratch_count(k, rows, 1, 0) * 4 + 64);
      void *other = blank(rows * (n + 3) * 4);
      mk_gemm g = {.a = left, .a_dtype = result, .a_row_stride = k, .a_k_stride = 1, .b = panels, .c = other, .c_dtype = result,
                   .c_row_stride = n + 3, .k = k, .n = n, .epilogue = p.epilogue, .scratch = scratch};
      mk_scaled_gemm(&g, &w, panels, 0, rows, 0, mk_gemm_panel_count(n));
      mk_convert(result, other, 1, MK_F32, wide, rows * (n + 3));
      emit(name, 1, result == MK_F32 ? 1e-5 : 1e-2, wide, rows * (n + 3) * 4);
      free(values), free(points), free(scales), free(x), free(bias), free(residual), free(narrow), free(stored), free(added), free(left);
      free(own[0]), free(own[1]), free(own[2]), free(a), free(c), free(wide), free(panels), free(scratch), free(other);
    }
}
