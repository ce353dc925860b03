/// A conversion of colours from one space to another, relative colorimetric. Threads may share it.
package final class ColorTransform: Sendable {
  /// How colours become amounts of light, or the other way around.
  private enum Side: Sendable {
    /// One or three curves.
    case curves([CurveTable])
    case inks(CurveTable)
    case library(LibraryTransform)
  }

  package let sourceCount: Int
  package let targetCount: Int
  /// True if colours keep their numbers.
  package let isIdentity: Bool
  /// True if components of 8 bits keep their numbers, except for less than half a step.
  package let isByteIdentity: Bool
  /// True if shades become the same number for red, green and blue, whose curves are the shades'.
  private let isReplicating: Bool
  private let source: Side
  private let target: Side
  /// From amounts of light of the source to those of the target, by columns.
  private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  /// The target's numbers for components of 8 bits, where each is that of one component of the source; nil for other spaces.
  private let byteNumbers: ByteNumbers?
  /// True if components are amounts of light, which become those of the target one by one.
  private let isLinearSource: Bool
  /// True if the target's components are amounts of light.
  private let isLinearTarget: Bool

  /// - Throws: if a profile has no tables for the direction, or the library that reads them is missing.
  package convenience init(from sourceSpace: ColorSpace, to targetSpace: ColorSpace) throws(ColorProfileError) {
    let (source, toConnection) = try Self.source(sourceSpace)
    let (target, fromConnection) = try Self.target(targetSpace)
    self.init(source, target, fromConnection * toConnection, sourceSpace, targetSpace)
  }

  private init(_ source: Side, _ target: Side, _ matrix: Matrix3, _ sourceSpace: ColorSpace, _ targetSpace: ColorSpace) {
    self.source = source
    self.target = target
    columns = (SIMD3<Float>(matrix.column(0)), SIMD3<Float>(matrix.column(1)), SIMD3<Float>(matrix.column(2)))
    sourceCount = sourceSpace.componentCount
    targetCount = targetSpace.componentCount
    isIdentity = sourceSpace.definition == targetSpace.definition && (targetSpace.isExtended || !sourceSpace.isExtended)
    if case .gray(let shades) = sourceSpace.definition, case .rgb(_, shades, shades, shades) = targetSpace.definition {
      isReplicating = targetSpace.isExtended || !sourceSpace.isExtended
    } else {
      isReplicating = false
    }
    isByteIdentity = isIdentity || Self.keepsBytes(source, target, columns)
    let keepsLight = matrix.isNearlyIdentity
    if keepsLight, case .curves(let inputs) = source, case .curves(let outputs) = target, inputs.count == 3, outputs.count == 3 {
      byteNumbers = ByteNumbers(inputs, outputs, isIdentity: isIdentity)
      isLinearSource = inputs.allSatisfy(\.view.isUnlimitedLinear)
    } else {
      byteNumbers = nil
      isLinearSource = false
    }
    isLinearTarget = if case .curves(let outputs) = target { outputs.allSatisfy(\.view.isUnlimitedLinear) } else { false }
  }

  private static func source(_ space: ColorSpace) throws(ColorProfileError) -> (Side, Matrix3) {
    switch space.definition {
    case .rgb(let matrix, let red, let green, let blue):
      return (.curves(CurveTable.tables([red, green, blue], isExtended: space.isExtended)), matrix)
    case .gray(let curve):
      return (.curves([CurveTable(curve, isExtended: space.isExtended)]), Matrix3(columns: ChromaticAdaptation.d50, .zero, .zero))
    case .simpleCMYK: return (.inks(CurveTable(.sRGB, isExtended: false)), Primaries.bt709.toConnection)
    case .library(let profile): return (.library(try LibraryTransform(profile, .toConnection)), .identity)
    }
  }

  private static func target(_ space: ColorSpace) throws(ColorProfileError) -> (Side, Matrix3) {
    switch space.definition {
    case .rgb(let matrix, let red, let green, let blue):
      guard let inverse = matrix.inverse else {
        throw ColorProfileError(field: "tag 'rXYZ'", reason: .invalid("red, green and blue do not span a space of colours"))
      }
      return (.curves(CurveTable.tables([red, green, blue], isExtended: space.isExtended)), inverse)
    case .gray(let curve):
      return (.curves([CurveTable(curve, isExtended: space.isExtended)]), Matrix3(SIMD3(0, 1, 0), .zero, .zero))
    case .simpleCMYK: return (.inks(CurveTable(.sRGB, isExtended: false)), Primaries.bt709.toConnection.inverse ?? .identity)
    case .library(let profile): return (.library(try LibraryTransform(profile, .fromConnection)), .identity)
    }
  }

  /// Converts colours in place. Components beyond those of the space are ignored, and 0 afterwards.
  package func convert(_ colors: inout [SIMD4<Float>]) {
    if isIdentity { return }
    if isReplicating {
      for index in colors.indices { colors[index] = SIMD4(colors[index].x, colors[index].x, colors[index].x, 0) }
      return
    }
    if case .curves(let inputs) = source, case .curves(let outputs) = target, inputs.count == 3, outputs.count == 3 {
      let curves = Views(inputs), targets = Views(outputs)
      for index in colors.indices {
        let color = colors[index]
        colors[index] = SIMD4(targets.encode(mapped(curves.decode(SIMD3(color.x, color.y, color.z)))), 0)
      }
      return
    }
    var light: [SIMD3<Float>]
    switch source {
    case .library(let transform): light = transform.toConnection(colors)
    case .curves, .inks: light = colors.map(decode)
    }
    for index in light.indices { light[index] = mapped(light[index]) }
    switch target {
    case .library(let transform): colors = transform.fromConnection(light)
    case .curves, .inks: for index in colors.indices { colors[index] = encode(light[index]) }
    }
  }

  package func convert(_ color: SIMD4<Float>) -> SIMD4<Float> {
    var colors = [color]
    convert(&colors)
    return colors[0]
  }

  private func mapped(_ light: SIMD3<Float>) -> SIMD3<Float> {
    columns.0 * light.x + columns.1 * light.y + columns.2 * light.z
  }

  private func decode(_ color: SIMD4<Float>) -> SIMD3<Float> {
    switch source {
    case .curves(let curves) where curves.count == 3:
      return SIMD3(curves[0].decode(color.x), curves[1].decode(color.y), curves[2].decode(color.z))
    case .curves(let curves): return SIMD3(curves[0].decode(color.x), 0, 0)
    case .inks(let curve):
      let left = (SIMD4<Float>(repeating: 1) - color) * (1 - color.w)
      return SIMD3(curve.decode(left.x), curve.decode(left.y), curve.decode(left.z))
    case .library: return .zero
    }
  }

  private func encode(_ light: SIMD3<Float>) -> SIMD4<Float> {
    switch target {
    case .curves(let curves) where curves.count == 3:
      return SIMD4(curves[0].encode(light.x), curves[1].encode(light.y), curves[2].encode(light.z), 0)
    case .curves(let curves): return SIMD4(curves[0].encode(light.x), 0, 0, 0)
    case .inks(let curve):
      let rgb = SIMD3(curve.encode(light.x), curve.encode(light.y), curve.encode(light.z))
      let white = rgb.max()
      if white <= 0 { return SIMD4(0, 0, 0, 1) }
      let inks = (SIMD3(repeating: white) - rgb) / white
      return SIMD4(inks, 1 - white)
    case .library: return .zero
    }
  }

  /// The curves of red, green and blue.
  private struct Views {
    let red: CurveView
    let green: CurveView
    let blue: CurveView

    /// - Precondition: there are three curves. They must outlive the views.
    init(_ curves: [CurveTable]) { (red, green, blue) = (curves[0].view, curves[1].view, curves[2].view) }

    func decode(_ color: SIMD3<Float>) -> SIMD3<Float> { SIMD3(red.decode(color.x), green.decode(color.y), blue.decode(color.z)) }
    func decode(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> SIMD3<Float> {
      SIMD3(self.red.decode(byte: red), self.green.decode(byte: green), self.blue.decode(byte: blue))
    }
    func encode(_ light: SIMD3<Float>) -> SIMD3<Float> { SIMD3(red.encode(light.x), green.encode(light.y), blue.encode(light.z)) }
  }

  // MARK: Components of 8 bits

  /// True if `convert(bytes:pixelStride:)` can be used: both spaces have red, green and blue and curves.
  package var convertsBytes: Bool {
    if case .curves = source, case .curves = target { sourceCount == 3 && targetCount == 3 } else { false }
  }

  /// Converts pixels in place whose first three bytes are red, green and blue.
  /// - Precondition: `convertsBytes`.
  package func convert(bytes: inout [UInt8], pixelStride: Int) {
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe convert(bytes: $0, pixelStride: pixelStride) }
  }

  package func convert(bytes: UnsafeMutableBufferPointer<UInt8>, pixelStride: Int) {
    guard case .curves(let inputs) = source, case .curves(let outputs) = target, inputs.count == 3, outputs.count == 3 else {
      preconditionFailure("only red, green and blue with curves are converted in bytes")
    }
    if isByteIdentity { return }
    let curves = Views(inputs), targets = Views(outputs)
    for start in stride(from: 0, to: bytes.count - 2, by: pixelStride) {
      let mapped = unsafe mapped(curves.decode(bytes[start], bytes[start + 1], bytes[start + 2]))
      unsafe bytes[start] = targets.red.encodeByte(mapped.x)
      unsafe bytes[start + 1] = targets.green.encodeByte(mapped.y)
      unsafe bytes[start + 2] = targets.blue.encodeByte(mapped.z)
    }
  }

  /// Converts pixels of red, green, blue and alpha of 8 bits to numbers multiplied by alpha.
  /// - Precondition: `convertsBytes`.
  /// - Parameter isPremultiplied: whether colours of the source are multiplied by alpha.
  package func convert(
    _ bytes: UnsafePointer<UInt8>, isPremultiplied: Bool, count: Int, to target: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    guard case .curves(let inputs) = source, case .curves(let outputs) = self.target, inputs.count == 3, outputs.count == 3 else {
      preconditionFailure("only red, green and blue with curves are converted from bytes")
    }
    let curves = Views(inputs), targets = Views(outputs)
    for index in 0..<count {
      let pixel = unsafe (bytes + 4 * index).withMemoryRebound(to: SIMD4<UInt8>.self, capacity: 1) { unsafe $0.pointee }
      if pixel.w == 255, let byteNumbers {
        unsafe target[index] = byteNumbers.color(pixel)
        continue
      }
      if pixel.w == 255, isLinearTarget, !isIdentity {
        unsafe target[index] = SIMD4(mapped(curves.decode(pixel.x, pixel.y, pixel.z)), 1)
        continue
      }
      let share = Float(pixel.w) / 255
      let color: SIMD3<Float>
      if pixel.w == 0 {
        color = .zero
      } else if isIdentity {
        let scale: Float = isPremultiplied && pixel.w != 255 ? 1 / Float(pixel.w) : 1 / 255
        color = SIMD3(Float(pixel.x), Float(pixel.y), Float(pixel.z)) * scale
      } else if isPremultiplied, pixel.w != 255 {
        let straight = SIMD3(Float(pixel.x), Float(pixel.y), Float(pixel.z)) / Float(pixel.w)
        color = targets.encode(mapped(curves.decode(straight)))
      } else {
        color = targets.encode(mapped(curves.decode(pixel.x, pixel.y, pixel.z)))
      }
      unsafe target[index] = SIMD4(color * share, share)
    }
  }

  /// Converts numbers multiplied by alpha to pixels of red, green, blue and alpha of 8 bits, multiplied by alpha.
  /// - Precondition: `convertsBytes`.
  package func convert(_ colors: UnsafePointer<SIMD4<Float>>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
    guard case .curves(let inputs) = source, case .curves(let outputs) = self.target, inputs.count == 3, outputs.count == 3 else {
      preconditionFailure("only red, green and blue with curves are converted to bytes")
    }
    func byte(_ value: Float) -> UInt8 { UInt8(truncatingIfNeeded: Int32(value > 0 ? min(value, 1) * 255 + 0.5 : 0)) }
    let curves = Views(inputs), targets = Views(outputs)
    for index in 0..<count {
      let pixel = unsafe target + 4 * index
      let color = unsafe colors[index]
      if color.w == 1, isLinearSource, !isIdentity {
        let positions = CurveView.bytePositions(color)
        unsafe pixel[0] = targets.red.byte(at: positions.x)
        unsafe pixel[1] = targets.green.byte(at: positions.y)
        unsafe pixel[2] = targets.blue.byte(at: positions.z)
        unsafe pixel[3] = 255
        continue
      }
      let alpha = color.w > 0 ? min(color.w, 1) : 0
      if isIdentity || alpha == 0 {
        for channel in 0..<3 { unsafe pixel[channel] = alpha == 0 ? 0 : byte(color[channel]) }
      } else {
        let straight = alpha == 1 ? color : color / alpha
        let mapped = mapped(curves.decode(SIMD3(straight.x, straight.y, straight.z)))
        if alpha == 1 {
          unsafe pixel[0] = targets.red.encodeByte(mapped.x)
          unsafe pixel[1] = targets.green.encodeByte(mapped.y)
          unsafe pixel[2] = targets.blue.encodeByte(mapped.z)
        } else {
          let encoded = targets.encode(mapped)
          for channel in 0..<3 { unsafe pixel[channel] = byte(encoded[channel] * alpha) }
        }
      }
      unsafe pixel[3] = byte(alpha)
    }
  }

  /// Tries colours at equal distances.
  private static func keepsBytes(_ source: Side, _ target: Side, _ columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)) -> Bool {
    guard case .curves(let inputs) = source, case .curves(let outputs) = target, inputs.count == outputs.count else { return false }
    let steps = (0...16).map { Float($0) / 16 }
    let others = inputs.count == 1 ? [0] : steps
    for red in steps {
      for green in others {
        for blue in others {
          let color = [red, green, blue]
          var light = SIMD3<Float>.zero
          for index in inputs.indices { light += [columns.0, columns.1, columns.2][index] * inputs[index].decode(color[index]) }
          for index in outputs.indices where abs(outputs[index].encode(light[index]) - color[index]) > 0.49 / 255 { return false }
        }
      }
    }
    return true
  }
}
