/// Declarations shared by the files of `pooling/`.
#ifndef MARTLET_POOLING_TYPES_H
#define MARTLET_POOLING_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_pooling.h"

#define MK_DECLARE_POOLING_LEVEL(level)                                                  \
  void mk_max_pool2d_##level(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1);     \
  void mk_average_pool2d_##level(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1); \
  void mk_max_pool_gradient2d_##level(const mk_pool_gradient2d *g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1);     \
  void mk_average_pool_gradient2d_##level(const mk_pool_gradient2d *g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1); \
  void mk_mean_rows_##level(const void *x, int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *mean);
MK_DECLARE_POOLING_LEVEL(portable)
MK_DECLARE_POOLING_LEVEL(avx2)
MK_DECLARE_POOLING_LEVEL(avx512)
MK_DECLARE_POOLING_LEVEL(neon)

#endif
