#include "q8_types.h"

#pragma STDC FP_CONTRACT OFF

#if MK_HAS_X86_LEVELS
/// What LDTILECFG reads (Intel SDM volume 1, chapter 18).
typedef struct tile_configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_configuration;

MK_BEGIN_AMX
#define MK_LEVEL 2
#define MK_FN(name) name##_amx
#define MK_INLINE static inline __attribute__((always_inline))
#define MK_ACTIVATE mk_activate_avx512
#define Q8_WIDE 0
#define Q8_BIASED 1
#define Q8_PLAIN 2
#define Q8_A Q8_PLAIN
#include "q8_rows.h"
#include "q8_finish.h"

MK_INLINE void q8_begin(void) {
  tile_configuration configuration = {.palette = 1};
  for (int i = 0; i < 8; i++) configuration.row_bytes[i] = 64, configuration.rows[i] = 16;
  _tile_loadconfig(&configuration);
}

MK_INLINE void q8_end(void) { _tile_release(); }

/// Bytes of weights that are asked for ahead of their use when few rows share them.
#define FETCH_AHEAD 8192

/// `rows` <= 32 rows of 64 bytes a step by one panel, on top of one term per column. Rows up to the next multiple of
/// 16 must be readable; weights beyond `k` are zero.
MK_INLINE void q8_tile(const uint8_t *a, ptrdiff_t a_stride, ptrdiff_t rows, const int8_t *b, ptrdiff_t k, int is_unsigned, int fetches,
                       const int32_t *terms, int32_t *sums) {
  const uint8_t *lower = a + 16 * a_stride;
  // Every row starts from the same terms.
  _tile_loadd(0, terms, 0);
  _tile_loadd(1, terms + 16, 0);
  if (rows > 16) {
    _tile_loadd(2, terms, 0);
    _tile_loadd(3, terms + 16, 0);
  }
#define Q8_STEPS(product)                                                            \
  for (ptrdiff_t s = 0; s < k; s += 64, b += 64 * MK_Q8_PANEL) {                     \
    if (fetches)                                                                     \
      for (int i = 0; i < 64 * MK_Q8_PANEL; i += 64)                                 \
        _mm_prefetch((const char *)b + FETCH_AHEAD + i, _MM_HINT_T0);                \
    _tile_loadd(4, a + s, a_stride);                                                 \
    _tile_loadd(6, b, 4 * MK_Q8_PANEL);                                              \
    product(0, 4, 6);                                                                \
    _tile_loadd(7, b + 64, 4 * MK_Q8_PANEL);                                         \
    product(1, 4, 7);                                                                \
    if (rows > 16) {                                                                 \
      _tile_loadd(5, lower + s, a_stride);                                           \
      product(2, 5, 6);                                                              \
      product(3, 5, 7);                                                              \
    }                                                                                \
  }
  if (is_unsigned) {
    Q8_STEPS(_tile_dpbusd)
  } else {
    Q8_STEPS(_tile_dpbssd)
  }
#undef Q8_STEPS
  _tile_stored(0, sums, 4 * MK_Q8_PANEL);
  _tile_stored(1, sums + 16, 4 * MK_Q8_PANEL);
  if (rows > 16) {
    _tile_stored(2, sums + 16 * MK_Q8_PANEL, 4 * MK_Q8_PANEL);
    _tile_stored(3, sums + 16 * MK_Q8_PANEL + 16, 4 * MK_Q8_PANEL);
  }
}
#include "q8_level.h"
MK_END_AMX
#endif
