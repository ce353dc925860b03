/// Packing of the weights of convolutions with several taps.
#ifndef MARTLET_PACK_TAPS_H
#define MARTLET_PACK_TAPS_H

#include <stddef.h>

/// Taps of a convolution's weights. Strides count elements of type `dtype`.
typedef struct {
  int dtype;
  ptrdiff_t o_stride, i_stride, y_stride, x_stride;
  ptrdiff_t channels, height, width;
  /// Distance between the packed rows of neighbouring taps, in rows of a panel.
  ptrdiff_t tap_stride;
} mk_taps;

/// Packs the taps of one panel of `columns` output channels, the first of which is at `w`, to [tap row-major][channel][column]. `scale` has
/// a factor for each column, or is NULL.
void mk_pack_taps(const void *w, const mk_taps *taps, ptrdiff_t columns, const float *scale, float *packed);

#endif
