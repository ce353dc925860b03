import MartletTensor

/// The memory of tensors: `byteCount` bytes from `pointer`, shared by a tensor and its views.
///
/// The memory lives as long as the object, unless it is borrowed without an owner: then the lender sees to it.
@safe
final class TensorStorage {
  /// Never nil, even for no bytes at all.
  let pointer: UnsafeMutableRawPointer
  let byteCount: Int
  /// What keeps the memory alive.
  private let owner: AnyObject?

  /// Memory of the tensor's own, 64-byte aligned.
  convenience init(byteCount: Int, zeroed: Bool = true) {
    self.init(adopting: zeroed ? AlignedStorage(zeroedByteCount: byteCount) : AlignedStorage(byteCount: byteCount))
  }

  /// Memory of somebody else, kept alive by `owner` or, without one, by whoever lent it.
  init(borrowing pointer: UnsafeMutableRawPointer, byteCount: Int, owner: AnyObject? = nil) {
    unsafe self.pointer = pointer
    self.byteCount = byteCount
    self.owner = owner
  }

  /// The engine's memory, without a copy.
  convenience init(adopting storage: AlignedStorage) {
    unsafe self.init(borrowing: storage.pointer, byteCount: storage.byteCount, owner: storage)
  }
}
