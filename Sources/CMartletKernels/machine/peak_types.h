/// What the files of `peak/` share.
#ifndef MARTLET_PEAK_TYPES_H
#define MARTLET_PEAK_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_peak.h"

/// Each level's loops return what keeps the compiler from leaving them out.
#define MK_DECLARE_PEAK_LEVEL(level)                                                  \
  double mk_peak_f32_##level(ptrdiff_t rounds, float factor, float term, float *sum); \
  float mk_peak_read_##level(const float *from, ptrdiff_t count);
MK_DECLARE_PEAK_LEVEL(portable)
MK_DECLARE_PEAK_LEVEL(avx2)
MK_DECLARE_PEAK_LEVEL(avx512)
MK_DECLARE_PEAK_LEVEL(neon)

/// Products of bytes.
double mk_peak_int8_portable(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_avx2(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_vnni(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_neon(ptrdiff_t rounds, int8_t factor, int32_t *sum);
/// With tiles. The caller has asked for them.
double mk_peak_int8_amx(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_bf16_amx(ptrdiff_t rounds, float *sum);

#endif
