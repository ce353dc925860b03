#include "martlet_samples.h"

#include <assert.h>

#include "samples_types.h"

void mk_sample_distances(
  const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results) {
  assert(rows > 0 && rows <= MK_SAMPLE_ROWS && columns >= 0);
  MK_CALL_LEVEL(mk_sample_distances, x, x_stride, rows, block, columns, results);
}

void mk_sample_products(
  const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, double *results) {
  assert(rows > 0 && rows <= MK_SAMPLE_ROWS && columns >= 0);
  MK_CALL_LEVEL(mk_sample_products, x, x_stride, rows, block, columns, results);
}

void mk_sample_candidates(
  const double *x, ptrdiff_t x_stride, int rows, const double *block, ptrdiff_t columns, const double *x_norms, const double *norms,
  double slack, const double *limits, uint16_t *candidates) {
  assert(rows > 0 && rows <= MK_SAMPLE_ROWS && columns >= 0 && slack >= 0);
  MK_CALL_LEVEL(mk_sample_candidates, x, x_stride, rows, block, columns, x_norms, norms, slack, limits, candidates);
}
