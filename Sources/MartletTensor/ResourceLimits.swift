#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What one call of a model may take. Whatever a file asks for beyond these is refused while planning, before memory is
/// allocated and before a kernel runs.
package struct ResourceLimits: Sendable, Hashable {
  /// Bytes of a model's states, converted and packed weights, and of one call's temporary memory, outputs and steps.
  package var memoryByteCount: Int
  /// Floating-point operations and bytes moved by one call, as the planner estimates them.
  package var operationCount: Double
  /// Nodes of one call, rounds of loops counted each time: beyond this a loop is taken to be endless.
  package var nodeCount: Int
  /// Kernels of all rounds of one call's loops whose flags only a run can tell, what is planned in a round counted as so many as take as long.
  package var loopStepCount: Int { nodeCount.multipliedReportingOverflow(by: 100).overflow ? Int.max : nodeCount * 100 }

  package init(
    memoryByteCount: Int = ResourceLimits.physicalMemory, operationCount: Double = 1e16, nodeCount: Int = 1_000_000
  ) {
    self.memoryByteCount = memoryByteCount
    self.operationCount = operationCount
    self.nodeCount = nodeCount
  }

  /// The machine's memory; more work than the largest known networks need; loops of a million nodes.
  package static let standard = ResourceLimits()

  /// The machine's memory in bytes, as it was when first asked for.
  package static let physicalMemory: Int = {
    let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    return overflow || bytes <= 0 ? 1 << 40 : bytes
  }()
}

/// Memory that the system did not give.
package struct AllocationError: Error, Sendable, CustomStringConvertible {
  package let byteCount: Int
  package var description: String { "\(byteCount) bytes of memory are not available" }
}
