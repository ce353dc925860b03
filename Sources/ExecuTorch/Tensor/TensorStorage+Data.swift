import Foundation
import Martlet

extension TensorStorage {
  /// The bytes of `data`: the original memory if `data` stores them on the heap, where the address stays the same, else a copy.
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

  /// `Data` of at most this many bytes may store them inside the structure, where they have no stable address.
  private static var inlineDataCapacity: Int { MemoryLayout<Data>.size }
}

private final class DataOwner {
  let data: Data
  init(_ data: Data) { self.data = data }
}
