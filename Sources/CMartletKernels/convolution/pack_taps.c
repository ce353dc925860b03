#include "pack_taps.h"

#include <string.h>

#include "../linear_algebra/tile_types.h"
#include "../simd/levels.h"
#include "martlet_dtype.h"

/// Rows of a panel that are packed at a time before they are sorted by taps, and columns of the widest panel.
enum { RUN = 160, MAX_WIDTH = 32 };

/// For weights whose taps follow each other channel by channel. Rows of `o_stride` elements are often a multiple of the distance at which
/// addresses share sets of the L1 cache, so that each is read once, along the row, and not again for each tap.
static void pack_runs(const char *w, ptrdiff_t size, const mk_taps *t, ptrdiff_t columns, const float *scale, float *packed) {
  ptrdiff_t width = mk_gemm_panel_width(), taps = t->height * t->width, step = RUN / taps;
  _Alignas(64) float run[RUN * MAX_WIDTH];
  for (ptrdiff_t channel = 0; channel < t->channels; channel += step) {
    ptrdiff_t count = mk_min(step, t->channels - channel);
    MK_CALL_LEVEL(mk_pack_panel, w + channel * taps * size, t->dtype, 1, t->o_stride, count * taps, columns, scale, run);
    for (ptrdiff_t i = 0; i < count; i++)
      for (ptrdiff_t tap = 0; tap < taps; tap++)
        memcpy(packed + (tap * t->tap_stride + channel + i) * width, run + (i * taps + tap) * width, (size_t)width * sizeof(float));
  }
}

void mk_pack_taps(const void *w, const mk_taps *t, ptrdiff_t columns, const float *scale, float *packed) {
  ptrdiff_t width = mk_gemm_panel_width(), size = mk_dtype_size(t->dtype), taps = t->height * t->width;
  int is_run = t->x_stride == 1 && t->y_stride == t->width && t->i_stride == taps;
  if (is_run && taps > 1 && taps <= RUN && width <= MAX_WIDTH) {
    pack_runs(w, size, t, columns, scale, packed);
    return;
  }
  for (ptrdiff_t y = 0; y < t->height; y++)
    for (ptrdiff_t x = 0; x < t->width; x++, packed += t->tap_stride * width)
      MK_CALL_LEVEL(mk_pack_panel, (const char *)w + (y * t->y_stride + x * t->x_stride) * size, t->dtype, t->i_stride, t->o_stride,
                    t->channels, columns, scale, packed);
}
