/// The meaning of a colour's components.
///
/// Colours of different spaces meet in the connection space of ICC profiles: CIE XYZ relative to the white D50, to which other whites are
/// adapted by Bradford's matrix.
package struct ColorSpace: Sendable, Hashable {
  package enum Definition: Sendable, Hashable {
    /// Red, green and blue. `toConnection` maps amounts of light to XYZ.
    case rgb(toConnection: Matrix3, red: ToneCurve, green: ToneCurve, blue: ToneCurve)
    /// Shades of the white D50.
    case gray(ToneCurve)
    /// Cyan, magenta, yellow and black: what is left of sRGB's primaries is `(1 - c)(1 - k)`.
    case simpleCMYK
    /// A profile that maps colours by tables, which Little CMS evaluates.
    case library(LibraryProfile)
  }

  package let definition: Definition
  /// True if components below 0 and above 1 are meaningful.
  package let isExtended: Bool
  /// From the space's own white to D50; nil if the space does not say.
  package let adaptation: Matrix3?

  package init(_ definition: Definition, isExtended: Bool = false, adaptation: Matrix3? = nil) {
    self.definition = definition
    self.isExtended = isExtended
    self.adaptation = adaptation
  }

  /// A space with the same curve for its three primaries, given by chromaticities.
  package init(_ primaries: Primaries, _ curve: ToneCurve, isExtended: Bool = false) {
    self.init(
      .rgb(toConnection: primaries.toConnection, red: curve, green: curve, blue: curve), isExtended: isExtended,
      adaptation: primaries.adaptation)
  }

  package static let sRGB = ColorSpace(.bt709, .sRGB)
  package static let linearSRGB = ColorSpace(.bt709, .linear)
  package static let displayP3 = ColorSpace(.displayP3, .sRGB)
  /// Neutral colours of sRGB have the same numbers here.
  package static let deviceGray = ColorSpace(.gray(.sRGB))
  package static let simpleCMYK = ColorSpace(.simpleCMYK)

  /// Number of components, 1, 3 or 4, without alpha.
  package var componentCount: Int {
    switch definition {
    case .rgb: 3
    case .gray: 1
    case .simpleCMYK: 4
    case .library(let profile): profile.componentCount
    }
  }

  /// The same space with components that may lie outside of 0…1.
  package var extended: ColorSpace { ColorSpace(definition, isExtended: true, adaptation: adaptation) }

  /// The same primaries with linear components; nil unless the space has primaries or shades.
  package var linear: ColorSpace? {
    switch definition {
    case .rgb(let matrix, _, _, _):
      ColorSpace(
        .rgb(toConnection: matrix, red: .linear, green: .linear, blue: .linear), isExtended: isExtended, adaptation: adaptation)
    case .gray: ColorSpace(.gray(.linear), isExtended: isExtended)
    case .simpleCMYK, .library: nil
    }
  }
}

/// Chromaticities (CIE x and y) of red, green, blue and white.
package struct Primaries: Sendable, Hashable {
  var red: SIMD2<Double>
  var green: SIMD2<Double>
  var blue: SIMD2<Double>
  var white: SIMD2<Double>

  package init(red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>) {
    self.red = red
    self.green = green
    self.blue = blue
    self.white = white
  }

  private static let d65 = SIMD2(0.3127, 0.3290)

  package static let bt709 = Primaries(red: SIMD2(0.64, 0.33), green: SIMD2(0.30, 0.60), blue: SIMD2(0.15, 0.06), white: d65)
  package static let displayP3 = Primaries(red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: d65)
  package static let dciP3 = Primaries(
    red: SIMD2(0.680, 0.320), green: SIMD2(0.265, 0.690), blue: SIMD2(0.150, 0.060), white: SIMD2(0.314, 0.351))
  package static let bt2020 = Primaries(red: SIMD2(0.708, 0.292), green: SIMD2(0.170, 0.797), blue: SIMD2(0.131, 0.046), white: d65)
  package static let adobeRGB = Primaries(red: SIMD2(0.64, 0.33), green: SIMD2(0.21, 0.71), blue: SIMD2(0.15, 0.06), white: d65)
  package static let romm = Primaries(
    red: SIMD2(0.7347, 0.2653), green: SIMD2(0.1596, 0.8404), blue: SIMD2(0.0366, 0.0001), white: SIMD2(0.3457, 0.3585))
  package static let acesCG = Primaries(
    red: SIMD2(0.713, 0.293), green: SIMD2(0.165, 0.830), blue: SIMD2(0.128, 0.044), white: SIMD2(0.32168, 0.33767))

  /// XYZ of a chromaticity with a luminance of 1.
  private static func xyz(_ chromaticity: SIMD2<Double>) -> SIMD3<Double> {
    SIMD3(chromaticity.x / chromaticity.y, 1, (1 - chromaticity.x - chromaticity.y) / chromaticity.y)
  }

  /// From amounts of red, green and blue light to XYZ relative to D50. The identity for primaries that lie on one line.
  var toConnection: Matrix3 {
    let columns = Matrix3(columns: Self.xyz(red), Self.xyz(green), Self.xyz(blue))
    guard let inverse = columns.inverse else { return .identity }
    return adaptation * columns * Matrix3(diagonal: inverse * Self.xyz(white))
  }

  /// From the white of the primaries to D50.
  var adaptation: Matrix3 { ChromaticAdaptation.toD50(from: Self.xyz(white)) }
}

/// Adaptation of colours to another white point by Bradford's cone responses.
enum ChromaticAdaptation {
  /// The white of the connection space, as ICC profiles state it.
  static let d50 = SIMD3(0.9642, 1, 0.8249)

  private static let cones = Matrix3(SIMD3(0.8951, 0.2664, -0.1614), SIMD3(-0.7502, 1.7135, 0.0367), SIMD3(0.0389, -0.0685, 1.0296))

  static func toD50(from white: SIMD3<Double>) -> Matrix3 {
    // In range: the matrix of cone responses is regular.
    let inverse = cones.inverse!
    return inverse * Matrix3(diagonal: (cones * d50) / (cones * white)) * cones
  }
}
