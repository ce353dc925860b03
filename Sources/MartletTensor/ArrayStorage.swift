/// The memory of an array: the engine's, a caller's or part of some object. Whoever has it decides who writes when.
@safe
package final class ArrayStorage: @unchecked Sendable {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  /// Whether an array that has the memory to itself may write to it.
  package let isWritable: Bool
  /// What the memory belongs to, which lives as long.
  package let owner: AnyObject?
  private let release: (() -> Void)?

  /// Memory of the engine's, without initial values.
  package convenience init(byteCount: Int) {
    self.init(AlignedStorage(byteCount: byteCount))
  }

  package convenience init(zeroedByteCount byteCount: Int) {
    self.init(AlignedStorage(zeroedByteCount: byteCount))
  }

  package init(_ storage: AlignedStorage) {
    unsafe base = storage.pointer
    byteCount = storage.byteCount
    isWritable = true
    owner = storage
    release = nil
  }

  /// Memory of someone else's, which `release` gives back.
  package init(
    borrowing base: UnsafeMutableRawPointer, byteCount: Int, isWritable: Bool = true, owner: AnyObject? = nil, release: (() -> Void)?
  ) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.isWritable = isWritable
    self.owner = owner
    self.release = release
  }

  /// The memory of an array from `base` on, which lives as long.
  package convenience init(part base: UnsafeMutableRawPointer, of whole: ArrayStorage) {
    let start = unsafe base - whole.base
    unsafe self.init(borrowing: base, byteCount: whole.byteCount - start, isWritable: false, owner: whole, release: nil)
  }

  deinit { release?() }
}
