import Foundation
package import MartletTensor

/// The memory of tensors: `byteCount` bytes at `pointer`, shared by a tensor and its views.
///
/// The memory lives as long as the object, unless it is borrowed without an owner; then the lender is responsible for its lifetime.
@safe
package final class TensorStorage {
  /// Never nil, even if `byteCount` is 0.
  package let pointer: UnsafeMutableRawPointer
  package let byteCount: Int
  /// Keeps the memory alive.
  private let owner: AnyObject?

  /// Allocates memory, aligned to 64 bytes.
  package convenience init(byteCount: Int, zeroed: Bool = true) {
    self.init(adopting: zeroed ? AlignedStorage(zeroedByteCount: byteCount) : AlignedStorage(byteCount: byteCount))
  }

  /// Borrows memory that is kept alive by `owner` or, without an owner, by the lender.
  package init(borrowing pointer: UnsafeMutableRawPointer, byteCount: Int, owner: AnyObject? = nil) {
    unsafe self.pointer = pointer
    self.byteCount = byteCount
    self.owner = owner
  }

  /// Shares memory of the engine without copying.
  package convenience init(adopting storage: AlignedStorage) {
    unsafe self.init(borrowing: storage.pointer, byteCount: storage.byteCount, owner: storage)
  }

  /// Uses the bytes of `data` in place if they are on the heap, where their address is stable; otherwise copies them.
  convenience init(_ data: Data) {
    if data.count <= TensorStorage.inlineDataCapacity {
      self.init(byteCount: data.count)
      _ = unsafe data.copyBytes(to: UnsafeMutableRawBufferPointer(start: pointer, count: data.count))
    } else {
      let owner = DataOwner(data)
      let address = unsafe owner.data.withUnsafeBytes { unsafe UnsafeMutableRawPointer(mutating: $0.baseAddress!) }
      unsafe self.init(borrowing: address, byteCount: data.count, owner: owner)
    }
  }

  /// `Data` of up to this size may store its bytes inline, without a stable address.
  private static var inlineDataCapacity: Int { MemoryLayout<Data>.size }

  private final class DataOwner {
    let data: Data
    init(_ data: Data) { self.data = data }
  }
}
