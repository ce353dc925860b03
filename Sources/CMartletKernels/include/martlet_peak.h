/// What this processor reaches at most: loops of nothing but multiplications and additions in registers, or of reads, to relate
/// measured times to.
#ifndef MARTLET_PEAK_H
#define MARTLET_PEAK_H

#include <stddef.h>
#include <stdint.h>

/// Arithmetic whose rate is asked for.
enum mk_peak_kind {
  /// float32 multiply-add.
  MK_PEAK_F32 = 0,
  /// Products of bfloat16 numbers with float32 sums. Only AMX has them faster than float32; there are none without it.
  MK_PEAK_BF16 = 1,
  /// Products of 8-bit integers with 32-bit sums.
  MK_PEAK_INT8 = 2,
};

/// What computes `kind` on this machine, as the kernels do that `mk_isa` and `MARTLET_ISA` choose: `avx512`, `amx-int8`, ...; NULL
/// where nothing does.
const char *_Nullable mk_peak_unit(int kind);

/// Runs `rounds` rounds of `kind` in the calling thread and returns the number of additions and multiplications that were done; 0 where
/// nothing computes it.
double mk_peak_run(int kind, ptrdiff_t rounds);

/// Reads `count` elements, as several streams with prefetches, and returns their sum.
float mk_peak_read(const float *_Nonnull from, ptrdiff_t count);

#endif
