/// Declarations shared by the files of `estimators/` about samples.
#ifndef MARTLET_SAMPLES_TYPES_H
#define MARTLET_SAMPLES_TYPES_H

#include "../simd/levels.h"
#include "martlet_samples.h"

#define MK_DECLARE_SAMPLES_LEVEL(level)                                                                                     \
  void mk_sample_distances_##level(                                                                                         \
    const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results);                \
  void mk_sample_products_##level(                                                                                          \
    const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results);                \
  void mk_sample_candidates_##level(                                                                                        \
    const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, const double *x_norms,           \
    const double *norms, double slack, const double *limits, uint16_t *candidates);
MK_DECLARE_SAMPLES_LEVEL(portable)
MK_DECLARE_SAMPLES_LEVEL(avx2)
MK_DECLARE_SAMPLES_LEVEL(avx512)
MK_DECLARE_SAMPLES_LEVEL(neon)

#endif
