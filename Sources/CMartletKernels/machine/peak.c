#include "martlet_peak.h"

#include <assert.h>

#include "martlet_cpu.h"
#include "peak_types.h"

/// A loop, with values that the compiler must not know.
typedef double int8_loop(ptrdiff_t rounds, int8_t factor, int32_t *sum);
typedef double bf16_loop(ptrdiff_t rounds, float *sum);
typedef double f32_loop(ptrdiff_t rounds, float factor, float term, float *sum);

/// The unit of a kind of arithmetic.
typedef struct unit {
  const char *name;
  double operations_per_cycle;
  union {
    f32_loop *f32;
    bf16_loop *bf16;
    int8_loop *int8;
  } loop;
} unit;

static int has(uint32_t features) { return (mk_cpu_features() & features) == features; }

// Two 256-bit or 512-bit vectors, or four of 128 bits, are the most that processors multiply in a cycle; a tile product takes 16 cycles.
static unit f32_unit(void) {
#if MK_HAS_X86_LEVELS
  switch (mk_isa()) {
    case MK_ISA_AVX512: return (unit){"avx512", 64, {.f32 = mk_peak_f32_avx512}};
    case MK_ISA_AVX2: return (unit){"avx2", 32, {.f32 = mk_peak_f32_avx2}};
    default: break;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) return (unit){"neon", 32, {.f32 = mk_peak_f32_neon}};
#endif
  return (unit){"portable", 32, {.f32 = mk_peak_f32_portable}};
}

static unit bf16_unit(void) {
#if MK_HAS_X86_LEVELS
  if (has(MK_CPU_AMX_BF16) && mk_request_amx()) return (unit){"amx-bf16", 1024, {.bf16 = mk_peak_bf16_amx}};
  if (has(MK_CPU_AVX512_BF16)) return (unit){"avx512-bf16", 128, {.bf16 = mk_peak_bf16_avx512}};
#elif MK_HAS_NEON_LEVEL
  if (has(MK_CPU_ARM_BF16)) return (unit){"neon-bf16", 128, {.bf16 = mk_peak_bf16_neon}};
#endif
  return (unit){0};
}

static unit int8_unit(void) {
#if MK_HAS_X86_LEVELS
  if (has(MK_CPU_AMX_INT8) && mk_request_amx()) return (unit){"amx-int8", 2048, {.int8 = mk_peak_int8_amx}};
  if (has(MK_CPU_AVX512_VNNI)) return (unit){"avx512-vnni", 256, {.int8 = mk_peak_int8_avx512vnni}};
  if (mk_isa() == MK_ISA_AVX512) return (unit){"avx512", 128, {.int8 = mk_peak_int8_avx512}};
  if (has(MK_CPU_AVX_VNNI)) return (unit){"avx-vnni", 128, {.int8 = mk_peak_int8_avxvnni}};
  if (mk_isa() == MK_ISA_AVX2) return (unit){"avx2", 64, {.int8 = mk_peak_int8_avx2}};
#elif MK_HAS_NEON_LEVEL
  if (has(MK_CPU_ARM_I8MM)) return (unit){"neon-i8mm", 256, {.int8 = mk_peak_int8_i8mm}};
  if (has(MK_CPU_ARM_DOTPROD)) return (unit){"neon-dotprod", 128, {.int8 = mk_peak_int8_dotprod}};
  if (mk_isa() == MK_ISA_NEON) return (unit){"neon", 64, {.int8 = mk_peak_int8_neon}};
#endif
  return (unit){"portable", 64, {.int8 = mk_peak_int8_portable}};
}

static unit unit_of(int kind) {
  switch (kind) {
    case MK_PEAK_F32: return f32_unit();
    case MK_PEAK_BF16: return bf16_unit();
    case MK_PEAK_INT8: return int8_unit();
    case MK_PEAK_CLOCK: return (unit){"cycle", 1, {0}};
    default: return (unit){0};
  }
}

const char *mk_peak_unit(int kind) { return unit_of(kind).name; }

double mk_peak_operations_per_cycle(int kind) { return unit_of(kind).operations_per_cycle; }

/// Additions that depend on each other. Their second operand is a register: processors may fold constants.
static double run_clock(ptrdiff_t rounds) {
  enum { additions = 64 };
  size_t sum = (size_t)rounds, term = 3;
  for (ptrdiff_t i = 0; i < rounds; i++) {
    __asm__ volatile("" : "+r"(term));
#pragma clang loop unroll(full)
    for (int j = 0; j < additions; j++) {
#if defined(__x86_64__)
      __asm__ volatile("addq %1, %0" : "+r"(sum) : "r"(term));
#elif defined(__aarch64__)
      __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(term));
#else
      __asm__ volatile("" : "+r"(sum));
      sum += term;
#endif
    }
  }
  return additions * (double)rounds;
}

double mk_peak_run(int kind, ptrdiff_t rounds) {
  assert(rounds > 0);
  const unit u = unit_of(kind);
  // Values unknown to the compiler, chosen so that sums remain bounded.
  volatile float factor = 0.5f, term = 1.0f;
  volatile int8_t byte = 3;
  float sum;
  int32_t integer_sum;
  switch (u.name == NULL ? -1 : kind) {
    case MK_PEAK_F32: return u.loop.f32(rounds, factor, term, &sum);
    case MK_PEAK_BF16: return u.loop.bf16(rounds, &sum);
    case MK_PEAK_INT8: return u.loop.int8(rounds, byte, &integer_sum);
    case MK_PEAK_CLOCK: return run_clock(rounds);
    default: return 0;
  }
}

float mk_peak_read(const float *from, ptrdiff_t count) {
  assert(count >= 0);
#if MK_HAS_X86_LEVELS
  switch (mk_isa()) {
    case MK_ISA_AVX512: return mk_peak_read_avx512(from, count);
    case MK_ISA_AVX2: return mk_peak_read_avx2(from, count);
    default: break;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) return mk_peak_read_neon(from, count);
#endif
  return mk_peak_read_portable(from, count);
}
