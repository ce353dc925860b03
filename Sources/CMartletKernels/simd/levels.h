/// Selection among the levels that a template is compiled for (see `targets.h`).
#ifndef MARTLET_LEVELS_H
#define MARTLET_LEVELS_H

#include "martlet_cpu.h"
#include "targets.h"

/// Calls the variant of the function `name` for this processor.
#if MK_HAS_X86_LEVELS
#define MK_CALL_LEVEL(name, ...)                               \
  switch (mk_isa()) {                                          \
    case MK_ISA_AVX512: name##_avx512(__VA_ARGS__); break;     \
    case MK_ISA_AVX2: name##_avx2(__VA_ARGS__); break;         \
    default: name##_portable(__VA_ARGS__); break;              \
  }
#elif MK_HAS_NEON_LEVEL
#define MK_CALL_LEVEL(name, ...)                                  \
  if (mk_isa() == MK_ISA_NEON) name##_neon(__VA_ARGS__);          \
  else name##_portable(__VA_ARGS__)
#else
#define MK_CALL_LEVEL(name, ...) name##_portable(__VA_ARGS__)
#endif

/// Defines `chosen_level()`, which returns one of the tables `level_portable`, `level_avx2`, …, of type `type`, for this processor.
#if MK_HAS_X86_LEVELS
#define MK_DEFINE_CHOSEN_LEVEL(type)                                                          \
  static const type *chosen_level(void) {                                                     \
    static const type *const levels[] = {&level_portable, &level_avx2, &level_avx512};        \
    return levels[mk_isa()];                                                                  \
  }
#elif MK_HAS_NEON_LEVEL
#define MK_DEFINE_CHOSEN_LEVEL(type) \
  static const type *chosen_level(void) { return mk_isa() == MK_ISA_NEON ? &level_neon : &level_portable; }
#else
#define MK_DEFINE_CHOSEN_LEVEL(type) \
  static const type *chosen_level(void) { return &level_portable; }
#endif

#endif
