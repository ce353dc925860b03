#include "martlet_files.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

/// Continues a CRC-32C without the inversions at its ends.
typedef uint32_t (*update_function)(uint32_t crc, const uint8_t *bytes, size_t length);

/// Continues the CRC-32Cs of four pieces of `length` bytes, a multiple of 8, that follow each other.
typedef void (*quarters_function)(uint32_t crc[4], const uint8_t *bytes, size_t length);

static uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static uint32_t checksum(const uint8_t *bytes, size_t length, quarters_function quarters, update_function update) {
  uint32_t crc[4] = {~0u, ~0u, ~0u, ~0u};
  size_t quarter = length / 32 * 8;
  quarters(crc, bytes, quarter);
  crc[3] = update(crc[3], bytes + 4 * quarter, length - 4 * quarter);
  uint8_t parts[16];
  for (int index = 0; index < 16; index++) parts[index] = (uint8_t)(~crc[index / 4] >> (8 * (index % 4)));
  return ~update(~0u, parts, sizeof parts);
}

// MARK: Portable

static uint32_t update_portable(uint32_t crc, const uint8_t *bytes, size_t length) {
  for (size_t index = 0; index < length; index++) {
    crc ^= bytes[index];
    // The polynomial 0x1EDC6F41 with its bits reversed.
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82F63B78u & (0u - (crc & 1)));
  }
  return crc;
}

/// Table `[k][b]`: the CRC of byte `b` followed by `k` zero bytes.
static uint32_t tables[8][256];

static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint8_t value = (uint8_t)byte, zero = 0;
    uint32_t crc = update_portable(0, &value, 1);
    for (int zeros = 0; zeros < 8; zeros++) {
      tables[zeros][byte] = crc;
      crc = update_portable(crc, &zero, 1);
    }
  }
}

static uint32_t step_portable(uint32_t crc, const uint8_t *bytes) {
  uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
  return tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
         tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
}

static void quarters_portable(uint32_t crc[4], const uint8_t *bytes, size_t length) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_tables);
  for (int quarter = 0; quarter < 4; quarter++) {
    for (size_t offset = 0; offset < length; offset += 8) {
      crc[quarter] = step_portable(crc[quarter], bytes + (size_t)quarter * length + offset);
    }
  }
}

uint32_t martlet_block_checksum_portable(const void *bytes, size_t length) {
  return checksum(bytes, length, quarters_portable, update_portable);
}

// MARK: With instructions for CRC-32C

#if defined(__x86_64__)
#define CRC_TARGET __attribute__((target("sse4.2")))
#define CRC_WORD(crc, word) (uint32_t)_mm_crc32_u64(crc, word)
#define CRC_BYTE(crc, byte) _mm_crc32_u8(crc, byte)
static int has_instructions(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__linux__)
#define CRC_TARGET __attribute__((target("crc")))
#define CRC_WORD(crc, word) __crc32cd(crc, word)
#define CRC_BYTE(crc, byte) __crc32cb(crc, byte)
// HWCAP_CRC32
static int has_instructions(void) { return (getauxval(AT_HWCAP) & 1 << 7) != 0; }
#endif

#if defined(CRC_TARGET)
CRC_TARGET static uint32_t update_fast(uint32_t crc, const uint8_t *bytes, size_t length) {
  for (; length >= 8; length -= 8, bytes += 8) crc = CRC_WORD(crc, word_at(bytes));
  for (size_t index = 0; index < length; index++) crc = CRC_BYTE(crc, bytes[index]);
  return crc;
}

// Four chains that do not depend on each other hide the latency of the instruction.
CRC_TARGET static void quarters_fast(uint32_t crc[4], const uint8_t *bytes, size_t length) {
  uint32_t first = crc[0], second = crc[1], third = crc[2], fourth = crc[3];
  for (size_t offset = 0; offset < length; offset += 8) {
    first = CRC_WORD(first, word_at(bytes + offset));
    second = CRC_WORD(second, word_at(bytes + length + offset));
    third = CRC_WORD(third, word_at(bytes + 2 * length + offset));
    fourth = CRC_WORD(fourth, word_at(bytes + 3 * length + offset));
  }
  crc[0] = first, crc[1] = second, crc[2] = third, crc[3] = fourth;
}

uint32_t martlet_block_checksum(const void *bytes, size_t length) {
  if (!has_instructions()) return martlet_block_checksum_portable(bytes, length);
  return checksum(bytes, length, quarters_fast, update_fast);
}
#else
uint32_t martlet_block_checksum(const void *bytes, size_t length) { return martlet_block_checksum_portable(bytes, length); }
#endif
