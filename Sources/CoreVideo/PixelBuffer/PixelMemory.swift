import Foundation

/// Memory of pixels: allocated here, or borrowed from the caller and released at the end.
@safe
final class PixelMemory {
  let base: UnsafeMutableRawPointer
  let byteCount: Int
  private let release: () -> Void

  /// Allocates zeroed memory aligned to `alignment`, a power of two; nil if there is not enough memory.
  convenience init?(byteCount: Int, alignment: Int) {
    guard let size = byteCount.sum(alignment), let allocation = unsafe calloc(1, size) else { return nil }
    let misalignment = Int(bitPattern: allocation) & (alignment - 1)
    unsafe self.init(borrowing: allocation + (alignment - misalignment) % alignment, byteCount: byteCount) { unsafe free(allocation) }
  }

  /// Borrows memory of the caller; `release` is called when it is no longer needed.
  init(borrowing base: UnsafeMutableRawPointer, byteCount: Int, release: @escaping () -> Void) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.release = release
  }

  deinit { release() }
}
