/// Deterministic damage to a file: truncation, changed bytes, and changed structural numbers, each at many positions.
package struct DamagedFiles: Sequence {
  package let bytes: [UInt8]
  /// Number of files for each kind of damage.
  package let count: Int
  private let mutation: FileMutation

  /// - Parameter mutation: changes structural numbers.
  package init(_ bytes: [UInt8], count: Int, mutation: @escaping FileMutation) {
    self.bytes = bytes
    self.count = count
    self.mutation = mutation
  }

  package func makeIterator() -> AnyIterator<[UInt8]> {
    var index = 0
    let total = bytes.isEmpty ? 0 : count * 3
    return AnyIterator {
      guard index < total else { return nil }
      defer { index += 1 }
      var random = FuzzRandom(seed: UInt64(index))
      switch index % 3 {
      case 0:
        // Even steps over the whole file; most of the important data is near its start.
        let step = index / 3
        let length = step % 2 == 0 ? bytes.count * step / Swift.max(count, 1) : random.below(Swift.min(bytes.count, 4096))
        return Array(bytes.prefix(length))
      case 1:
        var damaged = bytes
        for _ in 0...random.below(3) {
          damaged[random.one(in: 2) ? random.below(bytes.count) : random.below(Swift.min(bytes.count, 4096))] =
            random.pick([0, 1, 0x7f, 0x80, 0xff, UInt8(truncatingIfNeeded: random.next())])
        }
        return damaged
      default: return mutation(bytes, "", UInt64(index), [])
      }
    }
  }
}
