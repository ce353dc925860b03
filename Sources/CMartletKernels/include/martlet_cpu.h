/// Processor features, detected once per process.
#ifndef MARTLET_CPU_H
#define MARTLET_CPU_H

#include <stddef.h>
#include <stdint.h>

/// The instruction set that kernels are chosen for.
enum mk_isa_level {
  /// Plain C at the compiler's baseline (SSE2 on x86-64, NEON on AArch64).
  MK_ISA_PORTABLE = 0,
  /// AVX2, FMA and F16C.
  MK_ISA_AVX2 = 1,
  /// AVX-512 F, BW, DQ and VL, in addition to `MK_ISA_AVX2`.
  MK_ISA_AVX512 = 2,
  /// NEON of AArch64, with kernels written for it.
  MK_ISA_NEON = 3,
};

/// The highest level that the processor and the operating system support, within the step that the environment variable `MARTLET_ISA` names.
/// Determined at the first call, constant afterwards; thread-safe.
int mk_isa(void);

/// The name of a level: `portable`, `avx2`, `avx512` or `neon`.
const char *_Nonnull mk_isa_name(int isa);

/// Extensions beyond the level. A bit is set only if the operating system saves the registers involved and `MARTLET_ISA` does not exclude
/// the extension.
enum mk_cpu_feature {
  MK_CPU_AVX512_VNNI = 1 << 0,
  MK_CPU_AVX512_BF16 = 1 << 1,
  MK_CPU_AVX512_FP16 = 1 << 2,
  MK_CPU_AVX_VNNI = 1 << 3,
  /// The processor and the operating system support AMX tiles. A process must still request them (`mk_request_amx`).
  MK_CPU_AMX_TILE = 1 << 4,
  MK_CPU_AMX_INT8 = 1 << 5,
  MK_CPU_AMX_BF16 = 1 << 6,
  MK_CPU_AVX512_VBMI = 1 << 7,
  /// Dot products of bytes of Armv8.2 (SDOT).
  MK_CPU_ARM_DOTPROD = 1 << 8,
  /// Arithmetic of binary16 vectors (FEAT_FP16).
  MK_CPU_ARM_FP16 = 1 << 9,
  /// Products of 2 x 8 by 8 x 2 matrices of bytes (SMMLA).
  MK_CPU_ARM_I8MM = 1 << 10,
  /// Dot and matrix products of bfloat16 (BFDOT, BFMMLA).
  MK_CPU_ARM_BF16 = 1 << 11,
  MK_CPU_ARM_SVE = 1 << 12,
};

/// The set of `mk_cpu_feature` bits; constant; thread-safe.
uint32_t mk_cpu_features(void);

/// Steps: combinations of a level and extensions, in the order in which processors got them. They are the values of the environment variable
/// `MARTLET_ISA`, which restricts kernels to what the step stands for, as far as the processor has it. On x86-64:
///
/// - `portable`, `avx2` (also FMA and F16C), `avxvnni` (AVX2 and AVX-VNNI);
/// - `avx512`: F, BW, DQ and VL, no extension; `avx512vnni`: VNNI and VBMI; `avx512bf16`; `amx`: tiles and AVX512-FP16.
///
/// On arm64: `portable`, `neon`, `dotprod` (also FP16 arithmetic), `i8mm`, `bf16`, `sve`. Without the variable, and where its value is not
/// the name of a step of this architecture, kernels use all that there is.

/// The name of step `index`; NULL from the last one's successor on.
const char *_Nullable mk_isa_step_name(int index);

/// Returns 1 if the processor and the operating system have what makes step `index`, whatever `MARTLET_ISA` says.
int mk_isa_has_step(int index);

/// Index of the highest step of which this process may use everything.
int mk_isa_step(void);

/// Returns 0 if `MARTLET_ISA` is set and not the name of a step of this architecture, else 1.
int mk_isa_request_is_known(void);

/// Requests permission to use AMX tiles from the operating system. Only the first call asks; later calls return its result. Call it
/// before creating threads. Returns 1 if tiles may be used, else 0.
int mk_request_amx(void);

/// Returns 1 if gathering numbers by one instruction takes less time than loading each of them: on processors of Intel, but not of AMD up to
/// Zen 5, which carry gathers out as long series of steps. Constant; thread-safe.
int mk_gathers_are_fast(void);

/// Returns 1 if vectors of bfloat16 compute more products in the same time than those of float32: those of AMD and arm64, but not of Intel, whose
/// VDPBF16PS computes half as many (Emerald Rapids). Constant; thread-safe.
int mk_bf16_vectors_are_fast(void);

/// Number of processors in the process's affinity mask at the first call; at least 1. Constant; thread-safe.
int mk_processor_count(void);

/// Size in bytes of the data cache of level 1, 2 or 3 that a core has, or its share of one that more than a core's threads use; 0 if
/// unknown. Level 3 counts as a whole. Constant; thread-safe.
ptrdiff_t mk_cache_bytes(int level);

/// `bytes` if a cache of this level may have that size, else 0: virtual machines report what they like.
ptrdiff_t mk_plausible_cache_bytes(int level, ptrdiff_t bytes);

enum mk_cache_reporter {
  /// Nobody has reported a plausible cache of level 2.
  MK_CACHES_ASSUMED = 0,
  /// CPUID.
  MK_CACHES_FROM_PROCESSOR = 1,
  /// The operating system's tables.
  MK_CACHES_FROM_SYSTEM = 2,
};

/// The `mk_cache_reporter` of the sizes. Constant; thread-safe.
int mk_cache_reporter_of_sizes(void);

/// Bytes of one operand that kernels keep in the L2 cache while others pass through it: half of the cache, within bounds; 1 MiB if its
/// size is unknown. Constant; thread-safe.
ptrdiff_t mk_cache_block_bytes(void);

#endif
