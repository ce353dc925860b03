#include "martlet_peak.h"

#include <assert.h>

#include "../quantized/q8_types.h"
#include "martlet_bf16.h"
#include "peak_types.h"

const char *mk_peak_unit(int kind) {
  switch (kind) {
    case MK_PEAK_F32: return mk_isa_name(mk_isa());
    case MK_PEAK_BF16: return mk_bf16_is_fast() ? "amx-bf16" : NULL;
    case MK_PEAK_INT8: return mk_q8_level_name();
    default: return NULL;
  }
}

static double run_f32(ptrdiff_t rounds) {
  // Values unknown to the compiler, chosen so that sums remain bounded.
  volatile float factor = 0.5f, term = 1.0f;
  const float a = factor, b = term;
  float sum;
#if MK_HAS_X86_LEVELS
  switch (mk_isa()) {
    case MK_ISA_AVX512: return mk_peak_f32_avx512(rounds, a, b, &sum);
    case MK_ISA_AVX2: return mk_peak_f32_avx2(rounds, a, b, &sum);
    default: break;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_isa() == MK_ISA_NEON) return mk_peak_f32_neon(rounds, a, b, &sum);
#endif
  return mk_peak_f32_portable(rounds, a, b, &sum);
}

static double run_int8(ptrdiff_t rounds) {
  volatile int8_t known_later = 3;
  const int8_t factor = known_later;
  int32_t sum;
#if MK_HAS_X86_LEVELS
  switch (mk_q8_level()) {
    case MK_Q8_AMX: return mk_peak_int8_amx(rounds, factor, &sum);
    case MK_Q8_VNNI: return mk_peak_int8_vnni(rounds, factor, &sum);
    case MK_Q8_AVX2: return mk_peak_int8_avx2(rounds, factor, &sum);
    default: break;
  }
#elif MK_HAS_NEON_LEVEL
  if (mk_q8_level() == MK_Q8_NEON) return mk_peak_int8_neon(rounds, factor, &sum);
#endif
  return mk_peak_int8_portable(rounds, factor, &sum);
}

double mk_peak_run(int kind, ptrdiff_t rounds) {
  assert(rounds > 0);
  switch (kind) {
    case MK_PEAK_F32: return run_f32(rounds);
    case MK_PEAK_INT8: return run_int8(rounds);
#if MK_HAS_X86_LEVELS
    case MK_PEAK_BF16: {
      float sum;
      return mk_bf16_is_fast() ? mk_peak_bf16_amx(rounds, &sum) : 0;
    }
#endif
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
