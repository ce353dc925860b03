/// A run of elements in planned memory. Subscripts are checked in debug builds only: kernels derive their indices from the planner's
/// shapes. A kernel must check indices that come from data.
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
