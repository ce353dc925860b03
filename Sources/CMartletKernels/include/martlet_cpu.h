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

/// The highest level that the processor and the operating system support, capped by the environment variable `MARTLET_ISA`: `portable`,
/// `avx2` or `avx512` (without AMX); any other value means no cap. Determined at the first call, constant afterwards; thread-safe.
int mk_isa(void);

/// The name of a level: `portable`, `avx2`, `avx512` or `neon`.
const char *mk_isa_name(int isa);

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
};

/// The set of `mk_cpu_feature` bits; constant; thread-safe.
uint32_t mk_cpu_features(void);

/// Requests permission to use AMX tiles from the operating system. Only the first call asks; later calls return its result. Call it
/// before creating threads. Returns 1 if tiles may be used, else 0.
int mk_request_amx(void);

/// Number of processors in the process's affinity mask at the first call; at least 1. Constant; thread-safe.
int mk_processor_count(void);

/// Size of the L2 cache of a core in bytes; 0 if unknown.
ptrdiff_t mk_l2_cache_bytes(void);

#endif
