/// Compiling one source for several instruction sets.
///
/// A file `loops.inc` of plain C is included once per level between a begin and an end macro, with `MK_FN(name)` giving each copy
/// its own names:
///
///     MK_BEGIN_AVX512
///     #define MK_LEVEL 2
///     #define MK_FN(name) name##_avx512
///     #include "loops.inc"
///     MK_END_AVX512
///
/// Headers must be included before `MK_BEGIN_…`, or their inline functions get the attributes too.
#ifndef MARTLET_TARGETS_H
#define MARTLET_TARGETS_H

#if defined(__x86_64__) && defined(__clang__)
#define MK_HAS_X86_LEVELS 1
#define MK_BEGIN_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2\"))), apply_to=function)")
// AVX512F implies AVX2, FMA and F16C. The vector width makes the vectoriser use whole registers.
#define MK_BEGIN_AVX512                                                                                              \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,bmi,bmi2\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AVX512_BF16                                                                                                     \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512bf16,bmi,bmi2\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_END_AVX512 _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#define MK_END_AVX2 _Pragma("clang attribute pop")
#else
#define MK_HAS_X86_LEVELS 0
#endif

// NEON belongs to every AArch64 processor: its level needs no attributes.
#if defined(__aarch64__) && defined(__clang__)
#define MK_HAS_NEON_LEVEL 1
#else
#define MK_HAS_NEON_LEVEL 0
#endif

#endif
