import MartletTensor

/// Memory of one running call: buffer addresses, scalar slots and the plans' arenas. Reused by later calls, so that a warm call allocates
/// nothing.
@safe
final class Workspace: @unchecked Sendable {
  private(set) var addresses: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private(set) var slots: UnsafeMutablePointer<UInt64>
  private var addressCapacity = 64
  private var slotCapacity = 16
  private var arenas: [TensorStorage] = []

  init() {
    unsafe addresses = .allocate(capacity: addressCapacity)
    unsafe slots = .allocate(capacity: slotCapacity)
  }

  deinit {
    unsafe addresses.deallocate()
    unsafe slots.deallocate()
  }

  /// Ensures capacity for `addressCount` buffers and `slotCount` slots, and keeps the contents.
  func reserve(addressCount: Int, slotCount: Int) {
    if addressCount > addressCapacity {
      // In range: counts of what lies in memory.
      let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: addressCount * 2)
      unsafe larger.update(from: addresses, count: addressCapacity)
      unsafe addresses.deallocate()
      unsafe addresses = larger
      // In range: counts of what lies in memory.
      addressCapacity = addressCount * 2
    }
    if slotCount > slotCapacity {
      // In range: counts of what lies in memory.
      let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: slotCount * 2)
      unsafe larger.update(from: slots, count: slotCapacity)
      unsafe slots.deallocate()
      unsafe slots = larger
      // In range: counts of what lies in memory.
      slotCapacity = slotCount * 2
    }
  }

  /// The arena of a plan at `level`, at least `byteCount` bytes.
  func arena(level: Int, byteCount: Int) throws(AllocationError) -> UnsafeMutableRawPointer {
    while arenas.count <= level { arenas.append(TensorStorage(byteCount: 0)) }
    let oldByteCount = arenas[level].byteCount
    if oldByteCount < byteCount {
      arenas[level] = TensorStorage(byteCount: 0)  // free the smaller one first
      // Grow with spare room when shapes grow from call to call: a new arena for each call would fragment the heap.
      // In range: bytes in memory.
      arenas[level] = try TensorStorage(allocating: max(byteCount, oldByteCount + oldByteCount / 4), inLargePages: true)
    }
    return unsafe arenas[level].pointer
  }

  // In range: bytes in memory.
  var arenaByteCount: Int { arenas.reduce(0) { $0 + $1.byteCount } }
}
