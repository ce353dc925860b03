/// A run of elements in planned memory. Subscripts are checked in debug builds; in release builds the planner's
/// shapes, which every kernel derives its indices from, stand for the check. Indices that come from data must be
/// checked by the kernel.
@safe
@frozen
package struct Elements<T: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline package let base: UnsafeMutablePointer<T>
  package let count: Int

  @inlinable
  package init(base: UnsafeMutablePointer<T>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  @inlinable
  package subscript(index: Int) -> T {
    get {
      assert(index >= 0 && index < count, "element \(index) of \(count)")
      return unsafe base[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count, "element \(index) of \(count)")
      unsafe base[index] = newValue
    }
  }
}
