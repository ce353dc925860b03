/// Pragmas for the vectoriser.
#ifndef MARTLET_LOOP_H
#define MARTLET_LOOP_H

#include <stdint.h>

#include "targets.h"

/// Precedes a `for` whose iterations are independent even if the result is one of the operands (`y == x`), so that the vectoriser needs
/// no overlap test. It must not be used for loops that call functions of the C library.
#if defined(__clang__)
#define MK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#define MK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MK_INDEPENDENT
#define MK_UNROLL
#endif

/// Conversion between a float and its bits.
MK_INLINE uint32_t mk_bits_f32(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

MK_INLINE float mk_f32_from_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

MK_INLINE uint64_t mk_bits_f64(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

MK_INLINE double mk_f64_from_bits(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

#endif
