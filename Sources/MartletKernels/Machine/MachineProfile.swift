/// Properties of the processor that kernel choices, packed layouts and cost estimates depend on. Constant during the process.
package struct MachineProfile: Sendable {
  /// The instruction set that kernels are chosen for.
  package enum Level: String, Sendable {
    case portable, avx2, avx512, neon
  }

  package var level: Level
  /// Bytes of a vector register as kernels use it.
  package var vectorByteCount: Int
  /// AMX tiles for bfloat16 are available.
  package var hasBFloat16Tiles: Bool
  /// The variant of the integer kernels, such as `amx-int8`.
  package var integerVariant: String
  /// Gathering numbers by one instruction takes less time than loading each of them.
  package var hasFastGathers: Bool
  /// Columns of a packed panel of a float32 matrix.
  package var panelWidth: Int
  /// Sizes of a core's data caches in bytes, from level 1 on; nil if unknown.
  package var cacheByteCounts: [Int?]
  /// Who reported the sizes of caches: `processor` or `system`; nil if nobody did.
  package var cacheSource: String?
  /// The kernel variants combined, such as `avx512 ff amx-int8`. Layouts of packed weights depend on it.
  package var kernelVariant: String

  /// The profile of this process. `MARTLET_ISA` restricts it.
  package static let current: MachineProfile = {
    let isa = mk_isa()
    let name = unsafe String(cString: mk_isa_name(isa))
    let integers = unsafe String(cString: mk_q8_level_name())
    let level = Level(rawValue: name) ?? .portable
    let caches = (1...3).map { mk_cache_bytes($0) }.map { $0 > 0 ? $0 : nil }
    let sources = [Int(MK_CACHES_FROM_PROCESSOR.rawValue): "processor", Int(MK_CACHES_FROM_SYSTEM.rawValue): "system"]
    return MachineProfile(
      level: level, vectorByteCount: level == .avx512 ? 64 : level == .portable ? 16 : 32, hasBFloat16Tiles: mk_bf16_is_fast() != 0,
      integerVariant: integers, hasFastGathers: mk_gathers_are_fast() != 0, panelWidth: mk_gemm_panel_width(),
      cacheByteCounts: caches, cacheSource: sources[Int(mk_cache_reporter_of_sizes())],
      kernelVariant: "\(name) \(String(mk_cpu_features(), radix: 16)) \(integers)")
  }()

  /// The level and its extensions, as `MARTLET_ISA` names them.
  package var step: String { Self.stepName(mk_isa_step()) ?? level.rawValue }

  /// The values of `MARTLET_ISA`, in ascending order, and whether this processor has what they stand for.
  package static var steps: [(name: String, isAvailable: Bool)] {
    (0...).lazy.map { ($0, stepName($0)) }.prefix { $0.1 != nil }.map { ($0.1!, mk_isa_has_step($0.0) != 0) }
  }

  /// `MARTLET_ISA` is set to something else, which has no effect.
  package static var ignoresRequestedStep: Bool { mk_isa_request_is_known() == 0 }

  private static func stepName(_ index: Int32) -> String? {
    unsafe mk_isa_step_name(index).map { unsafe String(cString: $0) }
  }
}

extension MachineProfile {
  /// Size of a core's L2 cache in bytes; nil if unknown.
  package var l2CacheByteCount: Int? { cacheByteCounts[1] }

  /// Bytes of one operand that products and convolutions keep in the L2 cache.
  package var cacheBlockByteCount: Int { mk_cache_block_bytes() }

  /// `byteCount` if a data cache of that level may have this size.
  package static func plausibleCache(level: Int, byteCount: Int) -> Int? {
    guard let level = Int32(exactly: level), mk_plausible_cache_bytes(level, byteCount) > 0 else { return nil }
    return byteCount
  }
}

// MARK: Rates for estimates

extension MachineProfile {
  /// float32 operations per second that matrix products sustain on one thread. Assumed for a typical server processor and proportional to
  /// the vector width; `ProcessorPeak` measures the actual rate.
  package var productRate: Double { 150e9 * Double(vectorByteCount) / 64 }
  /// 8-bit integer operations per second that matrix products sustain on one thread, under the same assumption.
  package var integerProductRate: Double { 500e9 * Double(vectorByteCount) / 64 }
  /// Nanoseconds for one step of k of 32 rows by 32 columns of 8-bit integers, on one thread.
  package var integerStepCost: Double {
    switch integerVariant {
    case "amx-int8": 0.5
    case "avx512-vnni", "avx-vnni": 4.5
    case "neon-i8mm": 5
    case "neon-dotprod", "avx512": 9
    case "avx2": 12
    case "neon": 40
    default: 100
    }
  }
  /// Bytes per second that one thread transfers to and from memory.
  package var memoryBandwidth: Double { 20e9 }
  /// Bytes per second that one thread transfers to and from its private caches.
  package var cacheBandwidth: Double { 45e9 }
  /// Ratio of the bandwidth of all threads together to that of one thread.
  package var bandwidthGrowth: Double { 1.6 }
  /// Bytes that stay in a thread's private caches between two kernels: half of the L2 cache.
  package var residentByteCount: Double { Double(l2CacheByteCount ?? 2 << 20) / 2 }
}
