import MartletBytes
import MartletTensor

/// `model/coremldata.bin` of a compiled network: image transforms of compilers that do not write them to the net file.
///
/// Layout, little-endian: eight maps from names of inputs to numbers. A map has a u64 count; an entry a u64 length, the name and a f32 or u32.
/// The last map has factors, the four before it biases: three for colours, of which the order is not known, and one for grey. Public files
/// that have the transforms in both places tell this.
struct EspressoTransforms {
  static let path = "model/coremldata.bin"

  private static let mapCount = 8

  /// By input.
  private(set) var transforms: [String: EspressoTransform] = [:]

  init(_ file: ByteView) throws(FileError) {
    var position = 0
    func number() throws(FileError) -> Int {
      defer { position += 8 }
      return Int(clamping: try file.load(UInt64.self, at: position, field: EspressoTransforms.path))
    }
    var maps: [[String: Float]] = []
    for _ in 0..<Self.mapCount {
      var map: [String: Float] = [:]
      let count = try number()
      guard count <= file.count / 12 else { throw file.error(field: Self.path, "\(count) entries exceed the size of the file") }
      for _ in 0..<count {
        let length = try number()
        let name = try file.slice(offset: position, count: length, field: Self.path).text(field: Self.path)
        // In range: the name lies within the file.
        position += length
        map[name] = Float(bitPattern: try file.load(UInt32.self, at: position, field: Self.path))
        position += 4
      }
      maps.append(map)
    }
    for (input, scale) in maps[7] {
      let biases = [maps[3], maps[4], maps[5]].map { $0[input] ?? 0 }
      var transform = EspressoTransform(scale: scale, red: biases[0], green: biases[1], blue: biases[2], gray: maps[6][input] ?? 0)
      transform.isUnknown = Set(biases).count > 1
      transforms[input] = transform
    }
  }
}
