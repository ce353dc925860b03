#include "martlet_samples.h"

#include <assert.h>

#include "samples_types.h"

void mk_sample_distances(
  const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results) {
  assert(rows > 0 && rows <= 4 && columns >= 0);
  MK_CALL_LEVEL(mk_sample_distances, x, x_stride, rows, block, columns, results);
}

void mk_sample_products(
  const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results) {
  assert(rows > 0 && rows <= 4 && columns >= 0);
  MK_CALL_LEVEL(mk_sample_products, x, x_stride, rows, block, columns, results);
}
