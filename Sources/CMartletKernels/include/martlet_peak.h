/// Peak rates of this processor, as a reference for measured times: loops of multiply-adds in registers, and of memory reads.
#ifndef MARTLET_PEAK_H
#define MARTLET_PEAK_H

#include <stddef.h>
#include <stdint.h>

/// Arithmetic whose peak rate is measured.
enum mk_peak_kind {
  /// float32 multiply-add.
  MK_PEAK_F32 = 0,
  /// Products of bfloat16 numbers with float32 sums. Available with AMX only: elsewhere they are no faster than float32.
  MK_PEAK_BF16 = 1,
  /// Products of 8-bit integers with 32-bit sums.
  MK_PEAK_INT8 = 2,
};

/// The unit that computes `kind` for the kernels chosen by `mk_isa` and `MARTLET_ISA`, such as `avx512` or `amx-int8`. NULL if there is
/// none.
const char *_Nullable mk_peak_unit(int kind);

/// Runs `rounds` rounds of `kind` on the calling thread. Returns the number of additions and multiplications performed; 0 if no unit
/// computes it.
double mk_peak_run(int kind, ptrdiff_t rounds);

/// Reads `count` elements in several prefetched streams and returns their sum.
float mk_peak_read(const float *_Nonnull from, ptrdiff_t count);

#endif
