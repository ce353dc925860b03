/// Compiling one template for several instruction sets ("levels").
///
/// A kernel family's template `<name>.inc` is plain C or vector code over `vec` (`vector.inc`). It has no include guard. A source file
/// includes it once per level, between the level's begin and end macros. `MK_LEVEL` is the `mk_isa_level`; `MK_FN(name)` gives each
/// copy its own names:
///
///     MK_BEGIN_AVX512
///     #define MK_LEVEL 2
///     #define MK_FN(name) name##_avx512
///     #include "pooling.inc"
///     MK_END_AVX512
///
/// Ordinary headers must be included before `MK_BEGIN_…`; otherwise their inline functions get the level's attributes.
#ifndef MARTLET_TARGETS_H
#define MARTLET_TARGETS_H

/// Marks a function with a kernel's innermost loops. It begins at a cache line, so that the speed of its loops does not depend on the code
/// before it.
#define MK_KERNEL __attribute__((aligned(64)))

/// Marks a function that is inlined into every caller. The copies' debug information would be several times as large as their machine code,
/// so only debug builds have it; in other builds their instructions belong to the line of the call. `-Xcc -DDEBUG` restores it for a
/// profiler.
#ifdef DEBUG
#define MK_INLINE static inline __attribute__((always_inline))
#else
#define MK_INLINE static inline __attribute__((always_inline, nodebug))
#endif

#if defined(__x86_64__) && defined(__clang__)
#define MK_HAS_X86_LEVELS 1
#define MK_BEGIN_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2\"))), apply_to=function)")
// Ends with MK_END_AVX2.
#define MK_BEGIN_AVX_VNNI \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c,bmi,bmi2,avxvnni\"))), apply_to=function)")
// AVX512F implies AVX2, FMA and F16C. The vector width makes the vectoriser use whole registers.
#define MK_BEGIN_AVX512                                                                                              \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,bmi,bmi2\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AVX512_BF16                                                                                                     \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512bf16,bmi,bmi2\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AVX512_VNNI                                                                                                     \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512vnni,bmi,bmi2\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AVX512_VBMI                                                                                           \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512vbmi\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AMX_INT8 \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi,bmi,bmi2,amx-int8\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
#define MK_BEGIN_AMX_BF16                                                                                                      \
  _Pragma("clang attribute push(__attribute__((target(\"avx512bw,avx512dq,avx512vl,avx512bf16,amx-bf16\"))), apply_to=function)") \
  _Pragma("clang attribute push(__attribute__((min_vector_width(512))), apply_to=function)")
// Tile instructions for bfloat16 and int8, for measurements.
#define MK_BEGIN_AMX _Pragma("clang attribute push(__attribute__((target(\"avx512f,amx-int8,amx-bf16\"))), apply_to=function)")
#define MK_END_AMX _Pragma("clang attribute pop")
// Ends every level from AVX-512 on except `MK_BEGIN_AMX`.
#define MK_END_AVX512 _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#define MK_END_AVX2 _Pragma("clang attribute pop")
#else
#define MK_HAS_X86_LEVELS 0
#endif

// Every AArch64 processor has NEON, so its level needs no attributes.
#if defined(__aarch64__) && defined(__clang__)
#define MK_HAS_NEON_LEVEL 1
#define MK_BEGIN_DOTPROD _Pragma("clang attribute push(__attribute__((target(\"dotprod\"))), apply_to=function)")
#define MK_END_DOTPROD _Pragma("clang attribute pop")
#define MK_BEGIN_I8MM _Pragma("clang attribute push(__attribute__((target(\"dotprod,i8mm\"))), apply_to=function)")
#define MK_END_I8MM _Pragma("clang attribute pop")
#define MK_BEGIN_ARM_BF16 _Pragma("clang attribute push(__attribute__((target(\"dotprod,i8mm,bf16\"))), apply_to=function)")
#define MK_END_ARM_BF16 _Pragma("clang attribute pop")
#else
#define MK_HAS_NEON_LEVEL 0
#endif

#endif
