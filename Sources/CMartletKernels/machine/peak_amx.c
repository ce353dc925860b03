#include <string.h>

#include "../simd/tile_configuration.h"
#include "../simd/vector_includes.h"
#include "peak_types.h"

#if MK_HAS_X86_LEVELS
/// Products per round.
enum { products = 256 };

MK_BEGIN_AMX
/// Initialises the sums with zeros, and all factors with the same 1024 bytes.
static void begin(const void *values) {
  const mk_tile_configuration configuration = mk_tile_configuration_of(16);
  _tile_loadconfig(&configuration);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, values, 64);
  _tile_loadd(5, values, 64);
  _tile_loadd(6, values, 64);
  _tile_loadd(7, values, 64);
}

/// Four sums from two tiles of rows and two of columns, as in the kernels.
#define RUN(product)                                                   \
  for (ptrdiff_t step = 0; step < rounds * (products / 4); step++) {   \
    product(0, 4, 6);                                                  \
    product(1, 4, 7);                                                  \
    product(2, 5, 6);                                                  \
    product(3, 5, 7);                                                  \
  }

double mk_peak_int8_amx(ptrdiff_t rounds, int8_t factor, int32_t *sum) {
  int8_t values[1024] __attribute__((aligned(64)));
  int32_t sums[256] __attribute__((aligned(64)));
  memset(values, factor, sizeof values);
  begin(values);
  RUN(_tile_dpbssd)
  _tile_stored(0, sums, 64);
  _tile_release();
  *sum = sums[0];
  // 16 x 16 sums of 64 products.
  return 2.0 * 16 * 16 * 64 * products * (double)rounds;
}

double mk_peak_bf16_amx(ptrdiff_t rounds, float *sum) {
  uint16_t values[512] __attribute__((aligned(64)));
  float sums[256] __attribute__((aligned(64)));
  for (int i = 0; i < 512; i++) values[i] = 0x3f80;
  begin(values);
  RUN(_tile_dpbf16ps)
  _tile_stored(0, sums, 64);
  _tile_release();
  *sum = sums[0];
  return 2.0 * 16 * 16 * 32 * products * (double)rounds;
}
MK_END_AMX
#endif
