#ifndef MARTLET_TILE_CONFIGURATION_H
#define MARTLET_TILE_CONFIGURATION_H

#include <stddef.h>
#include <stdint.h>

/// The operand of LDTILECFG (Intel SDM volume 1, chapter 18).
typedef struct mk_tile_configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} mk_tile_configuration;

/// Tiles 0 ... 3 hold sums and 4, 5 left sides with `half` rows; 6 and 7 hold right sides with 16 rows. All rows have 64 bytes.
static inline mk_tile_configuration mk_tile_configuration_of(ptrdiff_t half) {
  mk_tile_configuration configuration = {.palette = 1};
  for (int i = 0; i < 8; i++) configuration.row_bytes[i] = 64, configuration.rows[i] = i >= 6 ? 16 : (uint8_t)half;
  return configuration;
}

#endif
