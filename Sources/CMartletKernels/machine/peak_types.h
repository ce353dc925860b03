/// Declarations shared by the files that measure peak rates.
#ifndef MARTLET_PEAK_TYPES_H
#define MARTLET_PEAK_TYPES_H

#include "../linear_algebra/tile_types.h"
#include "martlet_peak.h"

/// The loops of a level. They return a value so that the compiler cannot remove them.
#define MK_DECLARE_PEAK_LEVEL(level)                                                  \
  double mk_peak_f32_##level(ptrdiff_t rounds, float factor, float term, float *sum); \
  float mk_peak_read_##level(const float *from, ptrdiff_t count);
MK_DECLARE_PEAK_LEVEL(portable)
MK_DECLARE_PEAK_LEVEL(avx2)
MK_DECLARE_PEAK_LEVEL(avx512)
MK_DECLARE_PEAK_LEVEL(neon)

/// Products of bytes, and of bfloat16 numbers.
double mk_peak_int8_portable(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_avx2(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_avxvnni(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_avx512(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_avx512vnni(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_bf16_avx512(ptrdiff_t rounds, float *sum);
double mk_peak_int8_neon(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_dotprod(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_int8_i8mm(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_bf16_neon(ptrdiff_t rounds, float *sum);
/// With AMX tiles, which the caller has requested.
double mk_peak_int8_amx(ptrdiff_t rounds, int8_t factor, int32_t *sum);
double mk_peak_bf16_amx(ptrdiff_t rounds, float *sum);

#endif
