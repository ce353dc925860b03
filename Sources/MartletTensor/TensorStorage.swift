#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory of tensors: allocated, a part of other storage, borrowed from a caller or mapped from a file.
///
/// Allocated memory is aligned to `alignment` and freed with the object. Other memory lives as long as the object too: its owner is
/// kept, or `release` is called at the end.
///
/// The class does not synchronise access. It is `Sendable` because every owner either keeps it immutable after
/// filling it (packed weights, results) or has it to itself (workspaces, a tensor with a single reference).
@safe
package final class TensorStorage: @unchecked Sendable {
  package let byteCount: Int
  /// Start of `byteCount` usable bytes; never null, even for no bytes at all.
  package let pointer: UnsafeMutableRawPointer
  /// Whether a holder that has the storage to itself may write to the memory.
  package let isWritable: Bool

  /// What the memory belongs to, unless it is allocated here.
  package let owner: AnyObject?
  private let isAllocated: Bool
  private let release: (() -> Void)?

  package static let alignment = 64
  /// The next multiple of the alignment: bytes from the start of one part of some memory to the next.
  package static func alignedByteCount(_ byteCount: Int) -> Int { (byteCount + alignment - 1) / alignment * alignment }

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
    let isLarge = isAligned && byteCount >= MemoryPages.largeByteCount
    let alignment = isLarge ? MemoryPages.largeByteCount : TensorStorage.alignment
    guard byteCount >= 0, byteCount <= Int.max - alignment else { throw AllocationError(byteCount: byteCount) }
    // A last large page that is nearly full is the memory's own.
    let pages = isLarge ? (byteCount + MemoryPages.largeByteCount - 1) / MemoryPages.largeByteCount : 0
    let taken = max(byteCount, pages * MemoryPages.largeByteCount, TensorStorage.alignment)
    guard unsafe posix_memalign(&address, alignment, taken) == 0,
      let address = unsafe address
    else { throw AllocationError(byteCount: byteCount) }
    self.byteCount = byteCount
    isWritable = true
    owner = nil
    isAllocated = true
    release = nil
    unsafe self.pointer = address
  }

  /// Asks the system for the memory of a part that is going to be used as a whole and has not been touched: as far as it fills them, in
  /// large pages, which take fewer faults to come into being and fewer translations of addresses, and the rest at once in small ones.
  ///
  /// This is advice: where it is not taken, pages come into being one by one.
  package func prepare(_ part: Range<Int>) {
    #if os(Linux)
      let page = MemoryPages.largeByteCount
      guard isAllocated, !part.isEmpty else { return }
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
      let page = MemoryPages.byteCount
      guard part.count >= 16 * page else { return }
      let start = unsafe Int(bitPattern: pointer)
      let first = (start + part.lowerBound + page - 1) / page * page - start
      let end = (start + part.upperBound) / page * page - start
      // MADV_POPULATE_WRITE, of Linux 5.14: pages come into being as if they were written to.
      _ = unsafe madvise(pointer + first, end - first, 23)
    }
  #endif

  /// Memory that is not allocated here.
  /// - Parameters:
  ///   - owner: kept as long as the storage; nil if the lender sees to it that the memory lives as long.
  ///   - release: called when the storage ends.
  package init(
    borrowing pointer: UnsafeMutableRawPointer, byteCount: Int, isWritable: Bool = true, owner: AnyObject? = nil,
    release: (() -> Void)? = nil
  ) {
    precondition(byteCount >= 0)
    self.byteCount = byteCount
    unsafe self.pointer = pointer
    self.isWritable = isWritable
    self.owner = owner
    isAllocated = false
    self.release = release
  }

  /// Bytes `start` ..< `start + byteCount` of `whole`, which lives as long as any part.
  package convenience init(_ byteCount: Int, of whole: TensorStorage, at start: Int) {
    precondition(start >= 0 && byteCount >= 0 && byteCount <= whole.byteCount - start)
    unsafe self.init(borrowing: whole.pointer + start, byteCount: byteCount, isWritable: whole.isWritable, owner: whole)
  }

  /// Memory that `owner` keeps, such as a part of a mapped file. It may only be read.
  package convenience init(reading start: UnsafeRawPointer, byteCount: Int, of owner: AnyObject) {
    unsafe self.init(borrowing: UnsafeMutableRawPointer(mutating: start), byteCount: byteCount, isWritable: false, owner: owner)
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
    if isAllocated { unsafe free(pointer) }
    release?()
  }
}
