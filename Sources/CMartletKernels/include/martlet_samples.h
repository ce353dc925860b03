/// Products and distances of rows with samples, which lie in blocks of `MK_SAMPLE_LANES`.
#ifndef MARTLET_SAMPLES_H
#define MARTLET_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/// Samples in a block. A block has this many numbers for each column, one for each sample.
#define MK_SAMPLE_LANES 16
/// Rows of a call, at most.
#define MK_SAMPLE_ROWS 8

/// Squared Euclidean distances of `rows` rows, at most `MK_SAMPLE_ROWS`, `x_stride` apart, to the samples of a block.
/// - block: [columns, MK_SAMPLE_LANES]; results: [rows, MK_SAMPLE_LANES].
void mk_sample_distances(
  const double *_Nonnull x, ptrdiff_t x_stride, int rows, const double *_Nonnull block, ptrdiff_t columns, double *_Nonnull results);

/// Scalar products of `rows` rows, at most `MK_SAMPLE_ROWS`, with the samples of a block.
void mk_sample_products(
  const double *_Nonnull x, ptrdiff_t x_stride, int rows, const double *_Nonnull block, ptrdiff_t columns, double *_Nonnull results);

/// Samples of a block that may be nearer to a row than a limit: bit `lane` of `candidates[row]` is set unless the squared distance is above
/// `limits[row]` for certain. It is estimated from a product: |x|² + |s|² - 2 x·s, with an error of at most `slack` times the first two terms.
/// A number that is not finite makes a candidate.
/// - rows: at most `MK_SAMPLE_ROWS`; x_norms, norms: squared norms of the rows and of the block's samples.
void mk_sample_candidates(
  const double *_Nonnull x, ptrdiff_t x_stride, int rows, const double *_Nonnull block, ptrdiff_t columns, const double *_Nonnull x_norms,
  const double *_Nonnull norms, double slack, const double *_Nonnull limits, uint16_t *_Nonnull candidates);

#endif
