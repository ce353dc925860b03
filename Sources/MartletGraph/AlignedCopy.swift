import MartletTensor
import Synchronization

/// Bytes at any address, and an aligned copy of them that exists while anything uses it.
final class AlignedCopy: Sendable {
  let original: Constant.Bytes
  private let byteCount: Int
  private let copy = Mutex(Reference())

  private struct Reference {
    weak var storage: TensorStorage?
  }

  init(of original: Constant.Bytes, byteCount: Int) {
    self.original = original
    self.byteCount = byteCount
  }

  /// - Throws: `AllocationError` if there is no memory for the copy.
  func bytes() throws -> Constant.Bytes {
    try copy.withLock { copy in
      if let storage = copy.storage { return Constant.Bytes(storage) }
      let storage = try TensorStorage(allocating: byteCount)
      unsafe storage.pointer.copyMemory(from: original.pointer, byteCount: byteCount)
      copy.storage = storage
      return Constant.Bytes(storage)
    }
  }
}
