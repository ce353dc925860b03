/// Peak rates of this processor, as a reference for measured times: loops of multiply-adds in registers, and of memory reads.
#ifndef MARTLET_PEAK_H
#define MARTLET_PEAK_H

#include <stddef.h>
#include <stdint.h>

/// Arithmetic whose peak rate is measured.
enum mk_peak_kind {
  /// float32 multiply-add.
  MK_PEAK_F32 = 0,
  /// Products of bfloat16 numbers with float32 sums, by instructions for them.
  MK_PEAK_BF16 = 1,
  /// Products of 8-bit integers with 32-bit sums, exact for all operands.
  MK_PEAK_INT8 = 2,
  /// A chain of additions of integers, each of which takes one cycle: their rate is the clock's.
  MK_PEAK_CLOCK = 3,
};

/// The unit that computes `kind` within what `MARTLET_ISA` allows, such as `avx512` or `amx-int8`. NULL if there is none. Kernels may use
/// another one.
const char *_Nullable mk_peak_unit(int kind);

/// Most additions and multiplications in a cycle of one core, on any processor that has the unit of `kind`: multiply-adds of the number of
/// vectors that current processors start in a cycle. 0 if no unit computes it.
double mk_peak_operations_per_cycle(int kind);

/// Runs `rounds` rounds of `kind` on the calling thread. Returns the number of additions and multiplications performed; 0 if no unit
/// computes it.
double mk_peak_run(int kind, ptrdiff_t rounds);

/// Reads `count` elements one after the other and returns their sum.
float mk_peak_read(const float *_Nonnull from, ptrdiff_t count);

#endif
