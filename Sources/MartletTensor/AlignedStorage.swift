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

  /// Uninitialised memory of `byteCount` bytes.
  package init(byteCount: Int) {
    precondition(byteCount >= 0)
    self.byteCount = byteCount
    unsafe self.pointer = UnsafeMutableRawPointer.allocate(
      byteCount: max(byteCount, AlignedStorage.alignment), alignment: AlignedStorage.alignment)
  }

  /// Memory of zeros.
  package convenience init(zeroedByteCount byteCount: Int) {
    self.init(byteCount: byteCount)
    _ = unsafe pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe pointer.deallocate() }
}
