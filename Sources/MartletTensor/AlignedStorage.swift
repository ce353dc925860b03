#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory that a tensor or a packed weight owns: 64-byte aligned, freed with the object.
///
/// The class does not synchronise access. It is `Sendable` because every owner either keeps it immutable after
/// filling it (packed weights, results) or has it to itself (workspaces, a tensor with a single reference).
@safe
package final class AlignedStorage: @unchecked Sendable {
  package let byteCount: Int
  /// Start of `byteCount` usable bytes.
  package let pointer: UnsafeMutableRawPointer

  package static let alignment = 64

  /// Uninitialised memory of `byteCount` bytes, a number that content of a file may have chosen.
  /// - Throws: `AllocationError` if the system does not give it.
  package init(allocating byteCount: Int) throws(AllocationError) {
    var address: UnsafeMutableRawPointer?
    guard byteCount >= 0, byteCount <= Int.max - AlignedStorage.alignment,
      unsafe posix_memalign(&address, AlignedStorage.alignment, max(byteCount, AlignedStorage.alignment)) == 0,
      let address = unsafe address
    else { throw AllocationError(byteCount: byteCount) }
    self.byteCount = byteCount
    unsafe self.pointer = address
  }

  /// Uninitialised memory of `byteCount` bytes, a number known to be moderate.
  package convenience init(byteCount: Int) {
    do {
      try self.init(allocating: byteCount)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Memory of zeros.
  package convenience init(zeroedByteCount byteCount: Int) {
    self.init(byteCount: byteCount)
    _ = unsafe pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe free(pointer) }
}
