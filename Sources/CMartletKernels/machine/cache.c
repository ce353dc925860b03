#include "martlet_cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/// Sizes in bytes of the data caches of levels 1 to 3, 0 where unknown, and who reported them.
typedef struct {
  ptrdiff_t bytes[3];
  int source;
} mk_caches;

/// Records a cache of `bytes` bytes that `sharing` logical processors use together.
static void record(mk_caches *caches, int level, uint64_t bytes, unsigned sharing) {
  if (level < 1 || level > 3) return;
  // Two are the threads of one core, of which kernels use one. The last level is shared by design.
  if (level < 3 && sharing > 2) bytes /= (sharing + 1) / 2;
  if (bytes > PTRDIFF_MAX || mk_plausible_cache_bytes(level, (ptrdiff_t)bytes) == 0) return;
  caches->bytes[level - 1] = (ptrdiff_t)bytes;
}

#if defined(__x86_64__)
/// CPUID leaf 4 on Intel's processors, leaf 0x8000001D with the same fields on AMD's (Intel SDM volume 2, CPUID; AMD APM volume 3,
/// appendix E).
static void ask_processor(mk_caches *caches) {
  unsigned a, b, c, d;
  unsigned leaf = 4;
  if (__get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 22 & 1)) leaf = 0x8000001d;
  for (unsigned index = 0; index < 16; index++) {
    if (!__get_cpuid_count(leaf, index, &a, &b, &c, &d)) return;
    unsigned type = a & 31;
    enum { none = 0, instructions = 2 };
    if (type == none) return;
    if (type == instructions) continue;
    uint64_t ways = (b >> 22) + 1, partitions = (b >> 12 & 0x3ff) + 1, line = (b & 0xfff) + 1, sets = (uint64_t)c + 1;
    record(caches, (int)(a >> 5 & 7), ways * partitions * line * sets, (a >> 14 & 0xfff) + 1);
  }
}
#else
static void ask_processor(mk_caches *caches) { (void)caches; }
#endif

#if defined(__linux__)
/// Reads the file `name` of the description of cache `index`. Returns 0 if there is none.
static int read_property(int index, const char *name, char *text, int capacity) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  int found = fgets(text, capacity, file) != NULL;
  fclose(file);
  return found;
}

/// What Linux knows, from the processor or from the firmware's tables.
static void ask_system(mk_caches *caches) {
  char text[256];
  for (int index = 0; index < 16 && read_property(index, "level", text, sizeof text); index++) {
    int level = 0;
    unsigned long long bytes = 0;
    char unit = 0;
    if (sscanf(text, "%d", &level) != 1) continue;
    if (!read_property(index, "type", text, sizeof text) || strncmp(text, "Instruction", 11) == 0) continue;
    if (!read_property(index, "size", text, sizeof text) || sscanf(text, "%10llu%c", &bytes, &unit) < 1) continue;
    bytes <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
    unsigned sharing = 0;
    // Hexadecimal words of the processors' bits.
    if (read_property(index, "shared_cpu_map", text, sizeof text)) {
      for (const char *p = text; *p != 0; p++) {
        unsigned digit = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0') : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a' + 10) : 0;
        sharing += (unsigned)__builtin_popcount(digit);
      }
    }
    record(caches, level, bytes, sharing);
  }
}
#else
static void ask_system(mk_caches *caches) { (void)caches; }
#endif

static mk_caches find_caches(void) {
  mk_caches caches = {{0, 0, 0}, MK_CACHES_ASSUMED};
  ask_processor(&caches);
  if (caches.bytes[1] > 0) {
    caches.source = MK_CACHES_FROM_PROCESSOR;
    return caches;
  }
  ask_system(&caches);
  if (caches.bytes[1] > 0) caches.source = MK_CACHES_FROM_SYSTEM;
  return caches;
}

ptrdiff_t mk_plausible_cache_bytes(int level, ptrdiff_t bytes) {
  static const ptrdiff_t least[] = {8 << 10, 128 << 10, 512 << 10}, most[] = {1 << 20, 64 << 20, (ptrdiff_t)4 << 30};
  return level >= 1 && level <= 3 && bytes >= least[level - 1] && bytes <= most[level - 1] ? bytes : 0;
}

/// What `find_caches` has found. Concurrent first calls find the same.
static mk_caches caches(void) {
  static _Atomic ptrdiff_t bytes[3];
  static _Atomic int source = -1;
  mk_caches known = {{0, 0, 0}, atomic_load_explicit(&source, memory_order_acquire)};
  if (known.source < 0) {
    known = find_caches();
    for (int i = 0; i < 3; i++) atomic_store_explicit(&bytes[i], known.bytes[i], memory_order_relaxed);
    atomic_store_explicit(&source, known.source, memory_order_release);
  } else {
    for (int i = 0; i < 3; i++) known.bytes[i] = atomic_load_explicit(&bytes[i], memory_order_relaxed);
  }
  return known;
}

ptrdiff_t mk_cache_bytes(int level) { return level >= 1 && level <= 3 ? caches().bytes[level - 1] : 0; }

int mk_cache_reporter_of_sizes(void) { return caches().source; }

ptrdiff_t mk_cache_block_bytes(void) {
  enum { least = 128 << 10, most = 2 << 20, usual = 1 << 20 };
  ptrdiff_t half = mk_cache_bytes(2) / 2;
  return half == 0 ? usual : half < least ? least : half > most ? most : half;
}
