import MartletTensor

/// Writes ICC profiles of version 4 for spaces with primaries or shades.
package enum ProfileWriter {
  /// - Parameter name: what programs show as the profile's name.
  /// - Returns: nil for spaces without primaries or shades.
  package static func profile(_ space: ColorSpace, name: String) -> [UInt8]? {
    var tags: [(signatures: [String], content: [UInt8])] = [
      (["desc"], text(name)), (["cprt"], text("No copyright")), (["wtpt"], color(ChromaticAdaptation.d50)),
    ]
    if let adaptation = space.adaptation { tags.append((["chad"], type("sf32") + adaptation.rows.flatMap(components).flatMap(fixed))) }
    let signature: String
    switch space.definition {
    case .rgb(let matrix, let red, let green, let blue):
      signature = "RGB "
      for (index, name) in ["rXYZ", "gXYZ", "bXYZ"].enumerated() { tags.append(([name], color(matrix.column(index)))) }
      if red == green, green == blue {
        tags.append((["rTRC", "gTRC", "bTRC"], curve(red)))
      } else {
        for (name, tone) in [("rTRC", red), ("gTRC", green), ("bTRC", blue)] { tags.append(([name], curve(tone))) }
      }
    case .gray(let tone):
      signature = "GRAY"
      tags.append((["kTRC"], curve(tone)))
    case .simpleCMYK, .library: return nil
    }
    return assembled(signature, tags)
  }

  private static func assembled(_ space: String, _ tags: [(signatures: [String], content: [UInt8])]) -> [UInt8] {
    let count = tags.reduce(0) { $0 + $1.signatures.count }
    var table = number(count)
    var content: [UInt8] = []
    // In range: profiles that are written have a few kilobytes.
    let start = 132 + 12 * count
    for tag in tags {
      for signature in tag.signatures { table += Array(signature.utf8) + number(start + content.count) + number(tag.content.count) }
      content += tag.content
      content += [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    var header = number(start + content.count) + number(0) + [4, 0x30, 0, 0]
    header += Array("mntr".utf8) + Array(space.utf8) + Array("XYZ ".utf8)
    // The first of January 2024.
    for part in [2024, 1, 1, 0, 0, 0] { header += number(part)[2...] }
    header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    header += components(ChromaticAdaptation.d50).flatMap(fixed)
    return header + [UInt8](repeating: 0, count: 128 - header.count) + table + content
  }

  private static func components(_ vector: SIMD3<Double>) -> [Double] { [vector.x, vector.y, vector.z] }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// A signed number with 16 bits behind the point.
  private static func fixed(_ value: Double) -> [UInt8] {
    let scaled = min(max((value * 65536).rounded(), Double(Int32.min)), Double(Int32.max))
    return number(Int(exactly: scaled) ?? 0)
  }

  private static func type(_ signature: String) -> [UInt8] { Array(signature.utf8) + number(0) }

  private static func text(_ text: String) -> [UInt8] {
    let units: [UInt8] = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    let header: [[UInt8]] = [type("mluc"), number(1), number(12), Array("enUS".utf8), number(units.count), number(28)]
    return header.joined() + units
  }

  private static func color(_ color: SIMD3<Double>) -> [UInt8] { type("XYZ ") + components(color).flatMap(fixed) }

  private static func curve(_ curve: ToneCurve) -> [UInt8] {
    switch curve {
    case .linear: return type("curv") + number(0)
    case .gamma(let exponent): return type("para") + number(0) + fixed(exponent)
    case .parametric(let g, let a, let b, let c, let d, let e, let f):
      let isShort = e == 0 && f == 0
      return type("para") + number((isShort ? 3 : 4) << 16) + (isShort ? [g, a, b, c, d] : [g, a, b, c, d, e, f]).flatMap(fixed)
    case .samples(let samples):
      return type("curv") + number(samples.count) + samples.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
  }
}
