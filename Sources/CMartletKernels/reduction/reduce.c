#include "martlet_reduction.h"

#include <assert.h>

#include "../simd/loop.h"
#include "../simd/targets.h"
#include "martlet_cpu.h"

#define LEVEL(name, T)                                                                                            \
  typedef struct {                                                                                                \
    void (*rows)(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride, const T *x, T *y);                     \
    void (*cols)(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride, const T *x, T *y);                     \
    void (*arg_rows)(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride, const T *x, int64_t *y);     \
    void (*arg_cols)(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride, const T *x, int64_t *y);     \
    void (*moments)(ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t stride, const T *x, T *means, T *deviations);       \
  } name;
LEVEL(level_f32, float)
LEVEL(level_f64, double)
LEVEL(level_i64, int64_t)
#undef LEVEL

#define REGISTER 16
#define SUFFIX(name, type) name##_##type##_portable
#include "types.inc"
#undef SUFFIX
#undef REGISTER

#if MK_HAS_X86_LEVELS
MK_BEGIN_AVX2
#define REGISTER 32
#define SUFFIX(name, type) name##_##type##_avx2
#include "types.inc"
#undef SUFFIX
#undef REGISTER
MK_END_AVX2
MK_BEGIN_AVX512
#define REGISTER 64
#define SUFFIX(name, type) name##_##type##_avx512
#include "types.inc"
#undef SUFFIX
#undef REGISTER
MK_END_AVX512
#define CHOSEN(type) ((const level_##type *const[]){&level_##type##_portable, &level_##type##_avx2, &level_##type##_avx512}[mk_isa()])
#elif MK_HAS_NEON_LEVEL
#define REGISTER 16
#define SUFFIX(name, type) name##_##type##_neon
#include "types.inc"
#undef SUFFIX
#undef REGISTER
#define CHOSEN(type) (mk_isa() == MK_ISA_NEON ? &level_##type##_neon : &level_##type##_portable)
#else
#define CHOSEN(type) (&level_##type##_portable)
#endif

const char *mk_reduce_name(int op) {
  static const char *const names[] = {
#define MK_X(upper, lower) #lower,
    MK_REDUCE_OPS(MK_X)
#undef MK_X
  };
  return op >= 0 && op < MK_REDUCE_COUNT ? names[op] : NULL;
}

#define PUBLIC(type, T)                                                                                                         \
  void mk_reduce_rows_##type(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const T *x, T *y) {                  \
    assert(op >= 0 && op < MK_REDUCE_COUNT && rows >= 0 && cols >= 0);                                                          \
    CHOSEN(type)->rows(op, rows, cols, row_stride, x, y);                                                                       \
  }                                                                                                                             \
  void mk_reduce_cols_##type(int op, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const T *x, T *y) {                  \
    assert(op >= 0 && op < MK_REDUCE_COUNT && rows >= 0 && cols >= 0);                                                          \
    CHOSEN(type)->cols(op, rows, cols, row_stride, x, y);                                                                       \
  }                                                                                                                             \
  void mk_arg_rows_##type(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const T *x, int64_t *y) {         \
    assert(rows >= 0 && cols >= 1);                                                                                             \
    CHOSEN(type)->arg_rows(want_max, rows, cols, row_stride, x, y);                                                             \
  }                                                                                                                             \
  void mk_arg_cols_##type(int want_max, ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const T *x, int64_t *y) {         \
    assert(rows >= 1 && cols >= 0);                                                                                             \
    CHOSEN(type)->arg_cols(want_max, rows, cols, row_stride, x, y);                                                             \
  }
PUBLIC(f32, float)
PUBLIC(f64, double)
PUBLIC(i64, int64_t)
#undef PUBLIC

void mk_moments_rows_f32(
    ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const float *x, float *mean, float *squared_deviations) {
  assert(rows >= 0 && cols >= 1);
  CHOSEN(f32)->moments(rows, cols, row_stride, x, mean, squared_deviations);
}

void mk_moments_rows_f64(
    ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t row_stride, const double *x, double *mean, double *squared_deviations) {
  assert(rows >= 0 && cols >= 1);
  CHOSEN(f64)->moments(rows, cols, row_stride, x, mean, squared_deviations);
}
