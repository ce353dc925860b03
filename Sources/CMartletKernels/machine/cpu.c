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

#define BITS_OF_LEVEL 8

/// What a processor has: `mk_cpu_feature` bits above the `mk_isa_level` in the low byte.
typedef uint64_t capabilities;

static capabilities make_capabilities(int isa, uint32_t features) { return (capabilities)features << BITS_OF_LEVEL | (unsigned)isa; }
static int level_of(capabilities c) { return (int)(c & ((1 << BITS_OF_LEVEL) - 1)); }
static uint32_t features_of(capabilities c) { return (uint32_t)(c >> BITS_OF_LEVEL); }

/// A value of `MARTLET_ISA`.
typedef struct step {
  const char *name;
  int level;
  /// Extensions that make the step, in addition to its level.
  uint32_t required;
  /// All extensions that kernels may use at the step.
  uint32_t allowed;
} step;

#if MK_HAS_X86_LEVELS
enum {
  vnni_class = MK_CPU_AVX512_VNNI | MK_CPU_AVX512_VBMI | MK_CPU_AVX_VNNI,
  bf16_class = vnni_class | MK_CPU_AVX512_BF16,
  tiles = MK_CPU_AMX_TILE | MK_CPU_AMX_INT8 | MK_CPU_AMX_BF16,
};
#elif MK_HAS_NEON_LEVEL
enum {
  dotprod_class = MK_CPU_ARM_DOTPROD | MK_CPU_ARM_FP16,
  i8mm_class = dotprod_class | MK_CPU_ARM_I8MM,
  bf16_class = i8mm_class | MK_CPU_ARM_BF16,
};
#endif

/// In ascending order.
static const step steps[] = {
  {"portable", MK_ISA_PORTABLE, 0, 0},
#if MK_HAS_X86_LEVELS
  {"avx2", MK_ISA_AVX2, 0, 0},
  {"avxvnni", MK_ISA_AVX2, MK_CPU_AVX_VNNI, MK_CPU_AVX_VNNI},
  {"avx512", MK_ISA_AVX512, 0, 0},
  {"avx512vnni", MK_ISA_AVX512, MK_CPU_AVX512_VNNI, vnni_class},
  {"avx512bf16", MK_ISA_AVX512, MK_CPU_AVX512_VNNI | MK_CPU_AVX512_BF16, bf16_class},
  {"amx", MK_ISA_AVX512, MK_CPU_AVX512_VNNI | MK_CPU_AVX512_BF16 | tiles, bf16_class | MK_CPU_AVX512_FP16 | tiles},
#elif MK_HAS_NEON_LEVEL
  {"neon", MK_ISA_NEON, 0, 0},
  {"dotprod", MK_ISA_NEON, MK_CPU_ARM_DOTPROD, dotprod_class},
  {"i8mm", MK_ISA_NEON, MK_CPU_ARM_DOTPROD | MK_CPU_ARM_I8MM, i8mm_class},
  {"bf16", MK_ISA_NEON, MK_CPU_ARM_DOTPROD | MK_CPU_ARM_I8MM | MK_CPU_ARM_BF16, bf16_class},
  {"sve", MK_ISA_NEON, MK_CPU_ARM_DOTPROD | MK_CPU_ARM_SVE, bf16_class | MK_CPU_ARM_SVE},
#endif
};

enum { step_count = sizeof steps / sizeof *steps };

static int has_step(capabilities c, const step *s) {
  return level_of(c) >= s->level && (features_of(c) & s->required) == s->required;
}

/// The step that `MARTLET_ISA` names; NULL if it is not set or names none.
static const step *requested_step(void) {
  const char *value = getenv("MARTLET_ISA");
  for (int i = 0; value != NULL && i < step_count; i++)
    if (strcmp(value, steps[i].name) == 0) return &steps[i];
  return NULL;
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

/// From CPUID leaves 1 and 7 (Intel SDM volume 2).
static capabilities detect(void) {
  uint64_t state = saved_register_state();
  int saves_avx = (state & 0x6) == 0x6;
  int saves_avx512 = (state & 0xe6) == 0xe6;
  int saves_tiles = (state & 0x60000) == 0x60000;

  unsigned a1 = 0, b1 = 0, c1 = 0, d1 = 0, a7 = 0, b7 = 0, c7 = 0, d7 = 0, a71 = 0, b71 = 0, c71 = 0, d71 = 0;
  __get_cpuid(1, &a1, &b1, &c1, &d1);
  if (!__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7)) return make_capabilities(MK_ISA_PORTABLE, 0);
  if (a7 >= 1) __get_cpuid_count(7, 1, &a71, &b71, &c71, &d71);

  int has_avx2 = saves_avx && bit(c1, 28) && bit(c1, 12) && bit(c1, 29) && bit(b7, 5) && bit(b7, 3) && bit(b7, 8);
  int has_avx512 = has_avx2 && saves_avx512 && bit(b7, 16) && bit(b7, 30) && bit(b7, 17) && bit(b7, 31);

  uint32_t features = 0;
  if (has_avx2 && bit(a71, 4)) features |= MK_CPU_AVX_VNNI;
  if (has_avx512) {
    if (bit(c7, 11)) features |= MK_CPU_AVX512_VNNI;
    if (bit(a71, 5)) features |= MK_CPU_AVX512_BF16;
    if (bit(d7, 23)) features |= MK_CPU_AVX512_FP16;
    if (bit(c7, 1)) features |= MK_CPU_AVX512_VBMI;
    if (saves_tiles && bit(d7, 24)) {
      features |= MK_CPU_AMX_TILE;
      if (bit(d7, 25)) features |= MK_CPU_AMX_INT8;
      if (bit(d7, 22)) features |= MK_CPU_AMX_BF16;
    }
  }
  return make_capabilities(has_avx512 ? MK_ISA_AVX512 : has_avx2 ? MK_ISA_AVX2 : MK_ISA_PORTABLE, features);
}

#elif MK_HAS_NEON_LEVEL

/// From the auxiliary vector (Linux, arch/arm64/include/uapi/asm/hwcap.h), and from what the compiler may assume.
static capabilities detect(void) {
  uint32_t features = 0;
#if defined(__linux__)
  static const struct { unsigned long type; int bit; uint32_t feature; } flags[] = {
    {AT_HWCAP, 10, MK_CPU_ARM_FP16},  // ASIMDHP
    {AT_HWCAP, 20, MK_CPU_ARM_DOTPROD},  // ASIMDDP
    {AT_HWCAP, 22, MK_CPU_ARM_SVE},
    {AT_HWCAP2, 13, MK_CPU_ARM_I8MM},
    {AT_HWCAP2, 14, MK_CPU_ARM_BF16},
  };
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (getauxval(flags[i].type) >> flags[i].bit & 1) features |= flags[i].feature;
#endif
#if defined(__ARM_FEATURE_DOTPROD)
  features |= MK_CPU_ARM_DOTPROD;
#endif
#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
  features |= MK_CPU_ARM_FP16;
#endif
#if defined(__ARM_FEATURE_MATMUL_INT8)
  features |= MK_CPU_ARM_I8MM;
#endif
#if defined(__ARM_FEATURE_BF16)
  features |= MK_CPU_ARM_BF16;
#endif
#if defined(__ARM_FEATURE_SVE)
  features |= MK_CPU_ARM_SVE;
#endif
  return make_capabilities(MK_ISA_NEON, features);
}

#else

static capabilities detect(void) { return make_capabilities(MK_ISA_PORTABLE, 0); }

#endif

/// What of `c` kernels may use.
static capabilities restricted(capabilities c) {
  const step *s = requested_step();
  if (s == NULL) return c;
  return make_capabilities(level_of(c) < s->level ? level_of(c) : s->level, features_of(c) & s->allowed);
}

/// What kernels may use. Concurrent first calls may compute it several times; the first stored value is kept, so that a change of the
/// environment in between has no effect.
static capabilities usable(void) {
  // The top bit is set once it is known.
  static _Atomic capabilities known = 0;
  const capabilities valid = UINT64_C(1) << 63;
  capabilities value = atomic_load_explicit(&known, memory_order_acquire);
  if (value & valid) return value & ~valid;
  capabilities fresh = restricted(detect()) | valid;
  if (!atomic_compare_exchange_strong_explicit(&known, &value, fresh, memory_order_acq_rel, memory_order_acquire)) fresh = value;
  return fresh & ~valid;
}

int mk_isa(void) { return level_of(usable()); }

uint32_t mk_cpu_features(void) { return features_of(usable()); }

const char *mk_isa_step_name(int index) { return index >= 0 && index < step_count ? steps[index].name : NULL; }

int mk_isa_has_step(int index) { return index >= 0 && index < step_count && has_step(detect(), &steps[index]); }

int mk_isa_step(void) {
  int index = step_count - 1;
  while (!has_step(usable(), &steps[index])) index--;
  return index;
}

int mk_isa_request_is_known(void) { return getenv("MARTLET_ISA") == NULL || requested_step() != NULL; }

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

/// Returns 1 if this is a processor of Intel. Virtual machines intercept CPUID, so callers should remember the answer.
static int is_intel(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx && c == signature_INTEL_ecx && d == signature_INTEL_edx;
#else
  return 0;
#endif
}

int mk_gathers_are_fast(void) { return is_intel(); }

int mk_bf16_vectors_are_fast(void) {
#if defined(MARTLET_BF16_VECTORS)
  // For tests of their kernels.
  return 1;
#else
  return !is_intel();
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
