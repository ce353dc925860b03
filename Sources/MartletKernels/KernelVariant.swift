import CMartletKernels

/// Which variants of the kernels this process uses. Layouts of packed weights depend on it.
package enum KernelVariant {
  /// Instruction set, extensions and the variant for integers, such as `avx512 ff amx-int8`. Constant during the process.
  package static let name: String = {
    let isa = unsafe String(cString: mk_isa_name(mk_isa()))
    let integers = unsafe String(cString: mk_q8_level_name())
    return "\(isa) \(String(mk_cpu_features(), radix: 16)) \(integers)"
  }()
}
