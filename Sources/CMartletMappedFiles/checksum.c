#include "martlet_files.h"

#include <string.h>

enum { STRIPE = 256 };

static const uint64_t keys[8] = {
    0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu, 0x165667B19E3779F9u, 0x85EBCA77C2B2AE63u,
    0x27D4EB2F165667C5u, 0xD6E8FEB86659FD93u, 0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu,
};

/// Sums of the words in two ways: as they are, so that no change of a single word is lost, and in products that depend on the position.
typedef uint64_t lanes __attribute__((vector_size(64)));

typedef struct {
  lanes sums[4];
  lanes key;
} state;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void add(state *state, const uint8_t *stripe) {
  const lanes low = (lanes){0} + 0xFFFFFFFFu;
  for (int part = 0; part < 4; part++) {
    lanes words;
    memcpy(&words, stripe + 64 * part, sizeof words);
    lanes mixed = words ^ state->key;
    state->sums[part] += (mixed & low) * (mixed >> 32);
    state->sums[part] += __builtin_shufflevector(words, words, 1, 0, 3, 2, 5, 4, 7, 6);
  }
  lanes step;
  memcpy(&step, keys, sizeof step);
  state->key += step;
}

ALWAYS_INLINE uint32_t checksum(const uint8_t *bytes, size_t length) {
  state state;
  memcpy(&state.key, keys, sizeof state.key);
  for (int part = 0; part < 4; part++) state.sums[part] = (lanes){0} + length;
  size_t whole = length / STRIPE * STRIPE;
  for (size_t offset = 0; offset < whole; offset += STRIPE) add(&state, bytes + offset);
  if (whole < length) {
    uint8_t last[STRIPE] = {0};
    memcpy(last, bytes + whole, length - whole);
    add(&state, last);
  }
  lanes sums = state.sums[0] + state.sums[1] * keys[0] + state.sums[2] * keys[1] + state.sums[3] * keys[3];
  uint64_t hash = 0;
  for (int lane = 0; lane < 8; lane++) {
    hash = (hash ^ sums[lane]) * keys[0];
    hash ^= hash >> 32;
  }
  return (uint32_t)hash;
}

uint32_t martlet_block_checksum_portable(const void *bytes, size_t length) { return checksum(bytes, length); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint32_t checksum_avx2(const void *bytes, size_t length) { return checksum(bytes, length); }

__attribute__((target("avx512f"))) static uint32_t checksum_avx512(const void *bytes, size_t length) {
  return checksum(bytes, length);
}

uint32_t martlet_block_checksum(const void *bytes, size_t length) {
  if (__builtin_cpu_supports("avx512f")) return checksum_avx512(bytes, length);
  if (__builtin_cpu_supports("avx2")) return checksum_avx2(bytes, length);
  return checksum(bytes, length);
}
#else
uint32_t martlet_block_checksum(const void *bytes, size_t length) { return checksum(bytes, length); }
#endif
