/// Products and distances of rows with samples, which lie in blocks of `MK_SAMPLE_LANES`.
#ifndef MARTLET_SAMPLES_H
#define MARTLET_SAMPLES_H

#include <stddef.h>

/// Samples in a block. A block has this many numbers for each column, one for each sample.
#define MK_SAMPLE_LANES 16

/// Squared Euclidean distances of `rows` rows, at most 4, `x_stride` apart, to the samples of a block.
/// - block: [columns, MK_SAMPLE_LANES]; results: [rows, MK_SAMPLE_LANES].
void mk_sample_distances(
  const double *_Nonnull x, ptrdiff_t x_stride, int rows, const double *_Nonnull block, ptrdiff_t columns, double *_Nonnull results);

/// Scalar products of `rows` rows, at most 4, with the samples of a block.
void mk_sample_products(
  const double *_Nonnull x, ptrdiff_t x_stride, int rows, const double *_Nonnull block, ptrdiff_t columns, double *_Nonnull results);

#endif
