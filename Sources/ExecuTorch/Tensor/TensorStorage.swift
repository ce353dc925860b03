import Foundation
package import MartletTensor

/// The memory of tensors: `byteCount` bytes from `pointer`, shared by a tensor and its views.
///
/// The memory lives as long as the object, unless it is borrowed without an owner: then the lender sees to it.
@safe
package final class TensorStorage {
  /// Never nil, even for no bytes at all.
  package let pointer: UnsafeMutableRawPointer
  package let byteCount: Int
  /// What keeps the memory alive.
  private let owner: AnyObject?

  /// Memory of the tensor's own, 64-byte aligned.
  package convenience init(byteCount: Int, zeroed: Bool = true) {
    self.init(adopting: zeroed ? AlignedStorage(zeroedByteCount: byteCount) : AlignedStorage(byteCount: byteCount))
  }

  /// Memory of somebody else, kept alive by `owner` or, without one, by whoever lent it.
  package init(borrowing pointer: UnsafeMutableRawPointer, byteCount: Int, owner: AnyObject? = nil) {
    unsafe self.pointer = pointer
    self.byteCount = byteCount
    self.owner = owner
  }

  /// The engine's memory, without a copy.
  package convenience init(adopting storage: AlignedStorage) {
    unsafe self.init(borrowing: storage.pointer, byteCount: storage.byteCount, owner: storage)
  }

  /// The bytes of `data`: its own where it has them on the heap, whose address is the same at every access, else a copy.
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

  /// `Data` of no more bytes than this may have them inside the structure, where they have no lasting address.
  private static var inlineDataCapacity: Int { MemoryLayout<Data>.size }

  private final class DataOwner {
    let data: Data
    init(_ data: Data) { self.data = data }
  }
}
