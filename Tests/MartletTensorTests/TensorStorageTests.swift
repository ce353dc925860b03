import MartletTensor
import Testing

/// Whose memory storage is, and how long it lives.
struct TensorStorageTests {
  private final class Owner {}

  @Test(arguments: [0, 1, 100, 3 << 20]) func `allocated memory is aligned and writable`(byteCount: Int) throws {
    let storage = try TensorStorage(allocating: byteCount, inLargePages: true)
    #expect(unsafe UInt(bitPattern: storage.pointer) % UInt(TensorStorage.alignment) == 0)
    #expect(storage.byteCount == byteCount && storage.isWritable)
    unsafe storage.pointer.initializeMemory(as: UInt8.self, repeating: 7, count: byteCount)
    let zeros = TensorStorage(zeroedByteCount: 100)
    #expect(unsafe UnsafeRawBufferPointer(start: zeros.pointer, count: 100).allSatisfy { $0 == 0 })
    #expect(throws: AllocationError.self) { try TensorStorage(allocating: .max) }
  }

  @Test func `borrowed memory keeps its owner and is released once`() {
    weak var observed: Owner?
    var released = 0
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { unsafe bytes.deallocate() }
    var storage: TensorStorage?
    do {
      let owner = Owner()
      observed = owner
      storage = unsafe TensorStorage(borrowing: bytes, byteCount: 8, owner: owner) { released += 1 }
    }
    #expect(observed != nil && storage?.byteCount == 8 && released == 0)
    storage = nil
    #expect(observed == nil && released == 1)
  }

  @Test func `a part keeps the whole, and what may only be read stays so`() {
    weak var observed: TensorStorage?
    var part: TensorStorage?
    do {
      let whole = TensorStorage(zeroedByteCount: 256)
      observed = whole
      unsafe whole.pointer.storeBytes(of: 5, toByteOffset: 72, as: Int32.self)
      part = TensorStorage(8, of: whole, at: 72)
    }
    #expect(observed != nil && part?.isWritable == true)
    #expect(unsafe part?.pointer.load(as: Int32.self) == 5)
    part = nil
    #expect(observed == nil)
    let own = TensorStorage(zeroedByteCount: 64)
    let view = unsafe TensorStorage(reading: UnsafeRawPointer(own.pointer), byteCount: 64, of: own)
    #expect(!view.isWritable && !TensorStorage(8, of: view, at: 8).isWritable)
  }

  @Test func `a tensor over memory that may only be read is copied before it is written`() {
    let own = TensorStorage(zeroedByteCount: 8)
    let view = unsafe TensorStorage(reading: UnsafeRawPointer(own.pointer), byteCount: 8, of: own)
    var tensor = HostTensor(dtype: .float32, shape: [2], storage: view)
    unsafe tensor.withUnsafeMutableBytes { unsafe $0.storeBytes(of: 1, as: Float.self) }
    #expect(unsafe own.pointer.load(as: Float.self) == 0)
    #expect(unsafe tensor.withUnsafeBytes { unsafe $0.load(as: Float.self) } == 1)
  }

  @Test func `pages have the sizes that the system tells`() {
    #expect(MemoryPages.byteCount.nonzeroBitCount == 1 && MemoryPages.byteCount >= 4096)
    #expect(MemoryPages.largeByteCount % MemoryPages.byteCount == 0 && MemoryPages.largeByteCount > MemoryPages.byteCount)
  }

  @Test(arguments: [(4 << 10, 2 << 20, 2 << 20), (16 << 10, 32 << 20, 4 << 20), (64 << 10, 512 << 20, 4 << 20)])
  func `large pages follow from the size of a page where the system does not tell theirs`(page: Int, large: Int, piece: Int) {
    for unusable in [nil, "", "no number\n", "0\n", "3000000\n", "1024\n"] {
      #expect(MemoryPages.largeByteCount(reported: unusable, pageByteCount: page) == large)
    }
    #expect(MemoryPages.largeByteCount(reported: "\(large / 2)\n", pageByteCount: page) == large / 2)
    #expect(MemoryPages.pieceByteCount(largeByteCount: large) == piece)
  }
}
