import MartletBytes
import MartletTensor

/// `model.espresso.weights`: the values of weights, in numbered sections.
///
/// Layout, little-endian: u64 number of sections; for each one u64 number and u64 byte count; then their bytes, one after another. Sections
/// in between fill up to multiples of 64 bytes, and a section may be longer than its values.
struct EspressoBlobs {
  private let sections: [UInt64: ByteView]

  init(_ file: ByteView) throws(FileError) {
    let count = try file.load(UInt64.self, at: 0, field: "sections")
    guard count <= UInt64(clamping: (file.count - 8) / 16) else {
      throw file.error(field: "sections", "\(count) sections exceed the size of the file")
    }
    // In range: the table lies within the file.
    var offset = UInt64(8 + 16 * count)
    var sections: [UInt64: ByteView] = [:]
    sections.reserveCapacity(Int(clamping: count))
    for index in 0..<Int(clamping: count) {
      let entry = 8 + 16 * index
      let number = try file.load(UInt64.self, at: entry, field: "sections[\(index)].number")
      let byteCount = try file.load(UInt64.self, at: entry + 8, field: "sections[\(index)].size")
      guard sections[number] == nil else {
        throw file.error(at: entry, field: "sections[\(index)].number", "section \(number) occurs twice")
      }
      sections[number] = try file.slice(offset: offset, count: byteCount, field: "sections[\(index)]")
      // In range: the section lies within the file.
      offset += byteCount
    }
    self.sections = sections
  }

  /// The first `count` values of a section.
  func weights(_ section: Int, isHalf: Bool = false, count: Extent) -> NetworkWeights? {
    guard let bytes = UInt64(exactly: section).flatMap({ sections[$0] }), let elements = count.value,
      let byteCount = (count * (isHalf ? 2 : 4)).value, bytes.contains(offset: 0, count: byteCount),
      let data = try? bytes.slice(offset: 0, count: byteCount)
    else { return nil }
    return NetworkWeights(encoding: isHalf ? .float16 : .float32, elementCount: elements, data: data, isUpdatable: false, position: nil)
  }

  /// The values at `offset`, `offset + stride`, …: one list of several that are stored in turns.
  func weights(_ section: Int, every stride: Int, from offset: Int, count: Extent, file: String) -> NetworkWeights? {
    guard let all = weights(section, count: count * stride), let elements = count.value else { return nil }
    var bytes: [UInt8] = []
    // In range: the values are in the file.
    bytes.reserveCapacity(elements * 4)
    for index in 0..<elements {
      // In range: the values are in the file.
      guard let value = try? all.data.slice(offset: (index * stride + offset) * 4, count: 4) else { return nil }
      bytes += value.array
    }
    let data = ByteView(of: MappedFile(copying: bytes, name: file))
    return NetworkWeights(encoding: .float32, elementCount: elements, data: data, isUpdatable: false, position: nil)
  }
}
