#include "../simd/vector_includes.h"
#include "peak_types.h"

#define MK_LEVEL 0
#define MK_FN(name) name##_portable
#include "../simd/vector.inc"
#include "peak.inc"

double mk_peak_int8_portable(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  // 16-bit factors, as in the portable product, so that the compiler cannot exploit their small range.
  int16_t a[64], b[64];
  int32_t sums[32] = {0};
  for (int i = 0; i < 64; i++) a[i] = (int16_t)(factor + i), b[i] = (int16_t)(factor - i);
#pragma clang loop unroll(disable)
  for (ptrdiff_t step = 0; step < rounds * PEAK_STEPS; step++) {
    // Prevents the compiler from hoisting the products out of the loop.
    __asm__ volatile("" : : "r"(a), "r"(b) : "memory");
    for (int i = 0; i < 32; i++) sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)(a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]));
  }
  *sum = 0;
  for (int i = 0; i < 32; i++) *sum ^= sums[i];
  return 2.0 * 64 * PEAK_STEPS * (double)rounds;
}
