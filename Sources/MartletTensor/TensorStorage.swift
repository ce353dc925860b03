import MartletSystem

/// The memory of tensors: allocated, a part of other storage, borrowed from a caller or mapped from a file.
///
/// Allocated memory is aligned to `alignment` and freed with the object. Other memory lives as long as the object too: its owner is
/// kept, or `release` is called at the end.
///
/// Large memory that is allocated while a model is loaded or planned is charged to the model's budget (`Allowance`) as long as it exists.
///
/// The class does not synchronise access. It is `Sendable` because every owner either keeps it immutable after filling it (packed
/// weights, results) or has exclusive access (workspaces, a tensor with a single reference).
@safe
package final class TensorStorage: @unchecked Sendable {
  package let byteCount: Int
  /// Start of `byteCount` usable bytes; never null, even for no bytes at all.
  package let pointer: UnsafeMutableRawPointer
  /// True if an exclusive holder of the storage may write to the memory.
  package let isWritable: Bool

  /// The owner of memory that is not allocated here.
  package let owner: AnyObject?
  private let isAllocated: Bool
  /// The budget that the memory is charged to.
  private let budget: MemoryBudget?
  private let release: (() -> Void)?

  package static let alignment = 64
  /// Rounds up to a multiple of the alignment.
  package static func alignedByteCount(_ byteCount: Int) -> Int { (Extent(byteCount).dividedRoundingUp(by: alignment) * alignment).clamped }

  /// Size in bytes from which memory is charged to a budget. Smaller memory is bounded by the number of nodes.
  private static let chargedByteCount = 16 << 10

  /// Charges memory to the budget of the current operation, if there is one.
  private static func charge(_ byteCount: Int) throws(AllocationError) -> MemoryBudget? {
    guard byteCount >= chargedByteCount, let budget = Allowance.current?.memory else { return nil }
    try budget.charge(byteCount)
    return budget
  }

  /// Allocates `byteCount` bytes of uninitialised memory. The size may come from a file.
  /// - Parameter inLargePages: prepares all of the memory for use: see `prepare`.
  /// - Throws: `AllocationError` if the memory is not available.
  package convenience init(allocating byteCount: Int, inLargePages: Bool = false) throws(AllocationError) {
    try self.init(allocating: byteCount, aligned: inLargePages, budget: try Self.charge(byteCount))
    if inLargePages { prepare(0..<byteCount) }
  }

  /// Allocates `byteCount` bytes of uninitialised memory, parts of which are prepared later when they are needed.
  package convenience init(reserving byteCount: Int) throws(AllocationError) {
    try self.init(allocating: byteCount, aligned: true, budget: try Self.charge(byteCount))
  }

  /// - Parameters:
  ///   - isAligned: aligns memory of at least one large page to large pages.
  ///   - budget: the budget that the memory has been charged to.
  private init(allocating byteCount: Int, aligned isAligned: Bool, budget: MemoryBudget?) throws(AllocationError) {
    var address: UnsafeMutableRawPointer?
    let isLarge = isAligned && byteCount >= MemoryPages.largeByteCount
    let alignment = isLarge ? MemoryPages.largeByteCount : TensorStorage.alignment
    guard byteCount >= 0, byteCount <= Int.max - alignment else {
      budget?.refund(byteCount)
      throw AllocationError(byteCount: byteCount)
    }
    let taken = max(byteCount, isLarge ? Self.endOfLargePages(byteCount).clamped : 0, TensorStorage.alignment)
    guard unsafe posix_memalign(&address, alignment, taken) == 0,
      let address = unsafe address
    else {
      budget?.refund(byteCount)
      throw AllocationError(byteCount: byteCount)
    }
    self.budget = budget
    self.byteCount = byteCount
    isWritable = true
    owner = nil
    isAllocated = true
    release = nil
    unsafe self.pointer = address
  }

  /// Asks the system to provide an untouched part of the memory that is about to be used completely. As far as possible in large pages,
  /// which cause fewer page faults and TLB misses; the rest is populated immediately in small pages.
  ///
  /// This is only advice: otherwise pages are populated one by one on first access.
  package func prepare(_ part: Range<Int>) {
    #if os(Linux)
      let page = MemoryPages.largeByteCount
      guard isAllocated, !part.isEmpty else { return }
      guard byteCount >= page else { return populate(part) }
      let first = (part.lowerBound + page - 1) / page * page
      let end = Self.endOfLargePages(part.upperBound).clamped
      guard first < end else { return populate(part) }
      _ = unsafe madvise(pointer + first, end - first, MADV_HUGEPAGE)
      populate(part.lowerBound..<first)
      populate(min(end, part.upperBound)..<part.upperBound)
    #endif
  }

  /// End of the large pages for memory that ends at `end`. The last one is taken as a whole if at most an eighth of it is left over.
  private static func endOfLargePages(_ end: Int) -> Extent {
    let page = MemoryPages.largeByteCount
    return (Extent(end) + page / 8) / page * page
  }

  #if os(Linux)
    /// Populates the small pages that lie completely in a part.
    private func populate(_ part: Range<Int>) {
      let page = MemoryPages.byteCount
      guard part.count >= 16 * page else { return }
      let start = unsafe Int(bitPattern: pointer)
      let first = (start + part.lowerBound + page - 1) / page * page - start
      let end = (start + part.upperBound) / page * page - start
      // MADV_POPULATE_WRITE (Linux 5.14): populates pages as if they had been written.
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
    budget = nil
    self.release = release
  }

  /// Bytes `start` ..< `start + byteCount` of `whole`, which lives as long as any part.
  package convenience init(_ byteCount: Int, of whole: TensorStorage, at start: Int) {
    precondition(start >= 0 && byteCount >= 0 && byteCount <= whole.byteCount - start)
    unsafe self.init(borrowing: whole.pointer + start, byteCount: byteCount, isWritable: whole.isWritable, owner: whole)
  }

  /// Read-only memory owned by `owner`, such as a part of a mapped file.
  package convenience init(reading start: UnsafeRawPointer, byteCount: Int, of owner: AnyObject) {
    unsafe self.init(borrowing: UnsafeMutableRawPointer(mutating: start), byteCount: byteCount, isWritable: false, owner: owner)
  }

  /// Allocates uninitialised memory for the elements of a tensor. Nothing is allocated for a shape whose byte count overflows.
  /// - Throws: `AllocationError` if the byte count overflows or the memory is not available.
  package convenience init(for dtype: DType, shape: [Int]) throws(AllocationError) {
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: shape) else { throw AllocationError(byteCount: .max) }
    try self.init(allocating: byteCount)
  }

  /// Allocates `byteCount` bytes of uninitialised memory. The size is known to be moderate.
  package convenience init(byteCount: Int) {
    do {
      try self.init(allocating: byteCount, aligned: false, budget: nil)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Allocates zeroed memory.
  package convenience init(zeroedByteCount byteCount: Int) {
    self.init(byteCount: byteCount)
    _ = unsafe pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  /// Allocates zeroed memory, whose pages take room only when they are touched. The size may come from a file.
  /// - Throws: `AllocationError` if the memory is not available.
  package static func zeroed(allocating byteCount: Int) throws(AllocationError) -> TensorStorage {
    guard byteCount >= MemoryPages.pieceByteCount else {
      let storage = try TensorStorage(allocating: byteCount)
      _ = unsafe storage.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      return storage
    }
    let budget = try charge(byteCount)
    let pages = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
      budget?.refund(byteCount)
      throw AllocationError(byteCount: byteCount)
    }
    return unsafe TensorStorage(borrowing: pages, byteCount: byteCount) {
      unsafe munmap(pages, byteCount)
      budget?.refund(byteCount)
    }
  }

  deinit {
    if isAllocated { unsafe free(pointer) }
    budget?.refund(byteCount)
    release?()
  }
}
