// For syscall(2) and sched_getaffinity(2), which strict C11 hides.
#define _GNU_SOURCE

#include "martlet_cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "martlet_dtype.h"
#include "../simd/targets.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <unistd.h>
#if defined(__linux__)
#include <errno.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#endif

ptrdiff_t mk_dtype_size(int dtype) {
  static const signed char sizes[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1, 8, 16};
  return dtype >= 0 && dtype < (int)sizeof sizes ? sizes[dtype] : 0;
}

const char *mk_isa_name(int isa) {
  switch (isa) {
    case MK_ISA_AVX512: return "avx512";
    case MK_ISA_AVX2: return "avx2";
    case MK_ISA_NEON: return "neon";
    default: return "portable";
  }
}

/// The highest level allowed by `MARTLET_ISA`.
static int environment_cap(void) {
  const char *value = getenv("MARTLET_ISA");
  if (value == NULL) return MK_ISA_AVX512;
  if (strcmp(value, "portable") == 0) return MK_ISA_PORTABLE;
  if (strcmp(value, "avx2") == 0) return MK_ISA_AVX2;
  return MK_ISA_AVX512;
}

/// Returns 1 if `MARTLET_ISA` allows AMX tiles, that is, does not name a level.
static int environment_allows_tiles(void) {
  const char *value = getenv("MARTLET_ISA");
  return value == NULL || (environment_cap() == MK_ISA_AVX512 && strcmp(value, "avx512") != 0);
}

#if defined(__x86_64__)

/// Register state that the operating system saves: XCR0, or 0 if XGETBV is unavailable.
static uint64_t saved_register_state(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static int bit(unsigned word, int index) { return (word >> index & 1) != 0; }

/// The level in the low byte and the `mk_cpu_feature` bits above it (Intel SDM volume 2, CPUID leaves 1 and 7).
static uint64_t detect(void) {
  uint64_t state = saved_register_state();
  int saves_avx = (state & 0x6) == 0x6;
  int saves_avx512 = (state & 0xe6) == 0xe6;
  int saves_tiles = (state & 0x60000) == 0x60000;
  int cap = environment_cap();

  unsigned a1 = 0, b1 = 0, c1 = 0, d1 = 0, a7 = 0, b7 = 0, c7 = 0, d7 = 0, a71 = 0, b71 = 0, c71 = 0, d71 = 0;
  __get_cpuid(1, &a1, &b1, &c1, &d1);
  if (!__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7)) return MK_ISA_PORTABLE;
  if (a7 >= 1) __get_cpuid_count(7, 1, &a71, &b71, &c71, &d71);

  int has_avx2 = saves_avx && bit(c1, 28) && bit(c1, 12) && bit(c1, 29) && bit(b7, 5) && bit(b7, 3) && bit(b7, 8);
  int has_avx512 = has_avx2 && saves_avx512 && bit(b7, 16) && bit(b7, 30) && bit(b7, 17) && bit(b7, 31);
  int isa = has_avx512 ? MK_ISA_AVX512 : has_avx2 ? MK_ISA_AVX2 : MK_ISA_PORTABLE;
  if (isa > cap) isa = cap;

  uint32_t features = 0;
  if (isa >= MK_ISA_AVX2 && bit(a71, 4)) features |= MK_CPU_AVX_VNNI;
  if (isa >= MK_ISA_AVX512) {
    if (bit(c7, 11)) features |= MK_CPU_AVX512_VNNI;
    if (bit(a71, 5)) features |= MK_CPU_AVX512_BF16;
    if (bit(d7, 23)) features |= MK_CPU_AVX512_FP16;
    if (bit(c7, 1)) features |= MK_CPU_AVX512_VBMI;
    if (saves_tiles && bit(d7, 24) && environment_allows_tiles()) {
      features |= MK_CPU_AMX_TILE;
      if (bit(d7, 25)) features |= MK_CPU_AMX_INT8;
      if (bit(d7, 22)) features |= MK_CPU_AMX_BF16;
    }
  }
  return (uint64_t)features << 8 | (unsigned)isa;
}

#elif MK_HAS_NEON_LEVEL

static uint64_t detect(void) {
  (void)environment_allows_tiles;
  if (environment_cap() == MK_ISA_PORTABLE) return MK_ISA_PORTABLE;
  uint32_t features = 0;
#if defined(__ARM_FEATURE_DOTPROD)
  features = MK_CPU_ARM_DOTPROD;
#elif defined(__linux__)
  // Bit ASIMDDP of AT_HWCAP (Linux, arch/arm64/include/uapi/asm/hwcap.h).
  if (getauxval(AT_HWCAP) >> 20 & 1) features = MK_CPU_ARM_DOTPROD;
#endif
  return (uint64_t)features << 8 | MK_ISA_NEON;
}

#else

static uint64_t detect(void) {
  (void)environment_allows_tiles;
  return MK_ISA_PORTABLE;
}

#endif

/// The result of `detect()`, with the top bit set once it is known. Concurrent first calls may compute it several times; the first stored
/// value is kept, so that a change of the environment in between has no effect.
static uint64_t detected(void) {
  static _Atomic uint64_t known = 0;
  const uint64_t valid = UINT64_C(1) << 63;
  uint64_t value = atomic_load_explicit(&known, memory_order_acquire);
  if (value & valid) return value & ~valid;
  uint64_t fresh = detect() | valid;
  if (!atomic_compare_exchange_strong_explicit(&known, &value, fresh, memory_order_acq_rel, memory_order_acquire)) fresh = value;
  return fresh & ~valid;
}

int mk_isa(void) { return (int)(detected() & 0xff); }

uint32_t mk_cpu_features(void) { return (uint32_t)(detected() >> 8); }

int mk_request_amx(void) {
#if defined(__x86_64__) && defined(__linux__) && defined(SYS_arch_prctl)
  static _Atomic int answer = -1;
  int known = atomic_load_explicit(&answer, memory_order_acquire);
  if (known >= 0) return known;
  enum { request_component_permission = 0x1023, tile_data_component = 18 };
  int granted = (mk_cpu_features() & MK_CPU_AMX_TILE) != 0 &&
                syscall(SYS_arch_prctl, request_component_permission, tile_data_component) == 0;
  atomic_store_explicit(&answer, granted, memory_order_release);
  return granted;
#else
  return 0;
#endif
}

static int count_processors(void) {
#if defined(__linux__)
  // The kernel rejects a mask that is shorter than its own.
  for (int bits = 1024; bits <= 1 << 16; bits *= 2) {
    cpu_set_t *set = CPU_ALLOC(bits);
    if (set == NULL) break;
    int status = sched_getaffinity(0, CPU_ALLOC_SIZE(bits), set);
    int error = errno;
    int count = status == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(bits), set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
    if (error != EINVAL) break;
  }
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 1 ? (int)online : 1;
}

int mk_processor_count(void) {
  static _Atomic int known = 0;
  int count = atomic_load_explicit(&known, memory_order_relaxed);
  if (count == 0) {
    int none = 0;
    count = count_processors();
    if (!atomic_compare_exchange_strong(&known, &none, count)) count = none;
  }
  return count;
}

ptrdiff_t mk_l2_cache_bytes(void) {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return size > 0 ? size : 0;
#else
  return 0;
#endif
}
