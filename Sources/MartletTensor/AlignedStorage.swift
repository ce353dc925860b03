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
  /// - Parameter inLargePages: memory that is used as a whole: see `prepare`.
  /// - Throws: `AllocationError` if the system does not give it.
  package convenience init(allocating byteCount: Int, inLargePages: Bool = false) throws(AllocationError) {
    try self.init(allocating: byteCount, aligned: inLargePages)
    if inLargePages { prepare(0..<byteCount) }
  }

  /// Uninitialised memory of `byteCount` bytes, parts of which are to be prepared once it is known that they will be used.
  package convenience init(reserving byteCount: Int) throws(AllocationError) { try self.init(allocating: byteCount, aligned: true) }

  /// - Parameter isAligned: whether what is as long as a large page starts with one.
  private init(allocating byteCount: Int, aligned isAligned: Bool) throws(AllocationError) {
    var address: UnsafeMutableRawPointer?
    let isLarge = isAligned && byteCount >= AlignedStorage.largePage
    let alignment = isLarge ? AlignedStorage.largePage : AlignedStorage.alignment
    guard byteCount >= 0, byteCount <= Int.max - alignment else { throw AllocationError(byteCount: byteCount) }
    // A last large page that is nearly full is the memory's own.
    let pages = isLarge ? (byteCount + AlignedStorage.largePage - 1) / AlignedStorage.largePage : 0
    let taken = max(byteCount, pages * AlignedStorage.largePage, AlignedStorage.alignment)
    guard unsafe posix_memalign(&address, alignment, taken) == 0,
      let address = unsafe address
    else { throw AllocationError(byteCount: byteCount) }
    self.byteCount = byteCount
    self.whole = nil
    unsafe self.pointer = address
  }

  /// Asks the system for the memory of a part that is going to be used as a whole and has not been touched: as far as it fills them, in
  /// large pages, which take fewer faults to come into being and fewer translations of addresses, and the rest at once in small ones.
  ///
  /// This is advice: where it is not taken, pages come into being one by one.
  package func prepare(_ part: Range<Int>) {
    #if os(Linux)
      let page = AlignedStorage.largePage
      guard whole == nil, !part.isEmpty else { return }
      guard byteCount >= page else { return populate(part) }
      let first = (part.lowerBound + page - 1) / page * page
      // A page that is nearly full is taken as a whole.
      let end = (part.upperBound + page / 8) / page * page
      guard first < end else { return populate(part) }
      _ = unsafe madvise(pointer + first, end - first, MADV_HUGEPAGE)
      populate(part.lowerBound..<first)
      populate(min(end, part.upperBound)..<part.upperBound)
    #endif
  }

  #if os(Linux)
    /// Makes the small pages that lie wholly in a part.
    private func populate(_ part: Range<Int>) {
      let page = 4096
      guard part.count >= 16 * page else { return }
      let start = unsafe Int(bitPattern: pointer)
      let first = (start + part.lowerBound + page - 1) / page * page - start
      let end = (start + part.upperBound) / page * page - start
      // MADV_POPULATE_WRITE, of Linux 5.14: pages come into being as if they were written to.
      _ = unsafe madvise(pointer + first, end - first, 23)
    }
  #endif

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
