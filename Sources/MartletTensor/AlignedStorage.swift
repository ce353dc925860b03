#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory that a tensor or a packed weight owns: 64-byte aligned, freed with the object.
///
/// The class does not synchronise access. It is `Sendable` because every owner either keeps it immutable after
/// filling it (packed weights, results) or has it to itself (workspaces, a tensor with a single reference).
@safe
package final class AlignedStorage: @unchecked Sendable {
  package let byteCount: Int
  /// Start of `byteCount` usable bytes.
  package let pointer: UnsafeMutableRawPointer

  /// Whoever holds the memory; nil if it is to be freed.
  private let whole: (any AnyObject & Sendable)?

  package static let alignment = 64
  /// The next multiple of the alignment: bytes from the start of one part of some memory to the next.
  package static func alignedByteCount(_ byteCount: Int) -> Int { (byteCount + alignment - 1) / alignment * alignment }
  /// Bytes of the larger pages that x86-64 and most arm64 systems have.
  private static let largePage = 2 << 20

  /// Uninitialised memory of `byteCount` bytes, a number that content of a file may have chosen.
  /// - Parameter inLargePages: asks the system to let all but the end, or with more than half a large page there all of it, lie in large
  ///   pages, which take fewer faults to come into being and fewer translations of addresses; for memory that is used as a whole.
  /// - Throws: `AllocationError` if the system does not give it.
  package init(allocating byteCount: Int, inLargePages: Bool = false) throws(AllocationError) {
    var address: UnsafeMutableRawPointer?
    let isLarge = inLargePages && byteCount >= AlignedStorage.largePage
    let alignment = isLarge ? AlignedStorage.largePage : AlignedStorage.alignment
    guard byteCount >= 0, byteCount <= Int.max - alignment else { throw AllocationError(byteCount: byteCount) }
    // Where an end is not worth many small pages.
    let largePages = isLarge ? (byteCount + AlignedStorage.largePage / 2) / AlignedStorage.largePage : 0
    let taken = max(byteCount, largePages * AlignedStorage.largePage, AlignedStorage.alignment)
    guard unsafe posix_memalign(&address, alignment, taken) == 0,
      let address = unsafe address
    else { throw AllocationError(byteCount: byteCount) }
    #if os(Linux)
      // Advice: where it is not taken, pages are ordinary ones.
      if isLarge { _ = unsafe madvise(address, largePages * AlignedStorage.largePage, MADV_HUGEPAGE) }
    #endif
    self.byteCount = byteCount
    self.whole = nil
    unsafe self.pointer = address
  }

  /// Bytes `start` ..< `start + byteCount` of `whole`, which lives as long as any part; `start` is a multiple of `alignment`.
  package init(_ byteCount: Int, of whole: AlignedStorage, at start: Int) {
    precondition(start >= 0 && start % AlignedStorage.alignment == 0 && byteCount >= 0 && byteCount <= whole.byteCount - start)
    self.byteCount = byteCount
    self.whole = whole
    unsafe self.pointer = whole.pointer + start
  }

  /// Memory that `owner` keeps, such as a part of a mapped file. It may only be read.
  /// - Parameter start: aligned to `alignment`.
  package init(reading start: UnsafeRawPointer, byteCount: Int, of owner: any AnyObject & Sendable) {
    precondition(UInt(bitPattern: start) % UInt(AlignedStorage.alignment) == 0 && byteCount >= 0)
    self.byteCount = byteCount
    self.whole = owner
    unsafe self.pointer = UnsafeMutableRawPointer(mutating: start)
  }

  /// Uninitialised memory of `byteCount` bytes, a number known to be moderate.
  package convenience init(byteCount: Int) {
    do {
      try self.init(allocating: byteCount)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Memory of zeros.
  package convenience init(zeroedByteCount byteCount: Int) {
    self.init(byteCount: byteCount)
    _ = unsafe pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit {
    if whole == nil { unsafe free(pointer) }
  }
}
