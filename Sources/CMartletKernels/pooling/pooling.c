#include "martlet_pooling.h"

#include <assert.h>

#include "pooling_types.h"

static void check(const mk_pool2d *p, ptrdiff_t row0, ptrdiff_t row1) {
  assert(p->output_height > 0 && p->output_width >= 0 && p->channels >= 0 && 0 <= row0 && row0 <= row1);
  (void)p, (void)row0, (void)row1;
}

void mk_max_pool2d(const mk_pool2d *pool, ptrdiff_t row0, ptrdiff_t row1) {
  check(pool, row0, row1);
  MK_CALL_LEVEL(mk_max_pool2d, pool, row0, row1);
}

void mk_average_pool2d(const mk_pool2d *pool, ptrdiff_t row0, ptrdiff_t row1) {
  check(pool, row0, row1);
  assert(pool->rows.divisors != NULL && pool->columns.divisors != NULL);
  MK_CALL_LEVEL(mk_average_pool2d, pool, row0, row1);
}

static void check_gradient(const mk_pool_gradient2d *g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1) {
  assert(image >= 0 && 0 <= channel0 && channel0 <= channel1 && channel1 <= g->pool->channels);
  assert(g->input_height >= 0 && g->pool->input_width >= 0);
  (void)g, (void)image, (void)channel0, (void)channel1;
}

void mk_max_pool_gradient2d(const mk_pool_gradient2d *g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1) {
  check_gradient(g, image, channel0, channel1);
  MK_CALL_LEVEL(mk_max_pool_gradient2d, g, image, channel0, channel1);
}

void mk_average_pool_gradient2d(const mk_pool_gradient2d *g, ptrdiff_t image, ptrdiff_t channel0, ptrdiff_t channel1) {
  check_gradient(g, image, channel0, channel1);
  assert(g->pool->rows.divisors != NULL && g->pool->columns.divisors != NULL);
  MK_CALL_LEVEL(mk_average_pool_gradient2d, g, image, channel0, channel1);
}

void mk_mean_rows(const void *x, int dtype, ptrdiff_t row_stride, ptrdiff_t rows, ptrdiff_t columns, float *mean) {
  assert(rows > 0 && columns >= 0);
  MK_CALL_LEVEL(mk_mean_rows, x, dtype, row_stride, rows, columns, mean);
}
