import CoreGraphics
import MartletColor
import MartletMedia

/// The colour space of a file's pixels.
enum PictureColors {
  /// The colour space of pixels with `sampleCount` colour samples.
  static func space(_ metadata: PictureMetadata, sampleCount: Int) -> CGColorSpace {
    if let profile = metadata.profile, let space = try? CGColorSpace(profile: profile), space.numberOfComponents == sampleCount {
      return space
    }
    switch sampleCount {
    case 1: return metadata.png.flatMap { gammaSpace($0, isGray: true) } ?? CGColorSpaceCreateDeviceGray()
    case 4: return CGColorSpaceCreateDeviceCMYK()
    default: return metadata.png.flatMap { gammaSpace($0, isGray: false) } ?? codedSpace(metadata.codedColors)
    }
  }

  static func profileName(_ metadata: PictureMetadata) -> String? {
    if let profile = metadata.profile { return ColorProfile(profile)?.name }
    return metadata.png?.sRGBIntent != nil ? "sRGB IEC61966-2.1" : nil
  }

  private static var sRGB: CGColorSpace { CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB() }

  /// The space that a PNG file describes by primaries and an exponent; nil if that is sRGB or near it.
  private static func gammaSpace(_ png: PictureMetadata.PNGProperties, isGray: Bool) -> CGColorSpace? {
    guard png.sRGBIntent == nil, let gamma = png.gamma, gamma > 0.01, gamma < 10 else { return nil }
    let isUsual = abs(gamma - 0.45455) < 0.01
    let curve: ToneCurve = isUsual ? .sRGB : .gamma(1 / gamma)
    let meaning: ColorSpace
    if isGray {
      guard !isUsual else { return nil }
      meaning = ColorSpace(.gray(curve))
    } else if let numbers = png.chromaticities {
      let points = stride(from: 0, to: 8, by: 2).map { SIMD2(numbers[$0], numbers[$0 + 1]) }
      let usual = [0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
      if isUsual, zip(numbers, usual).allSatisfy({ abs($0 - $1) < 0.002 }) { return nil }
      guard points.allSatisfy({ $0.y > 0 && $0.y < 1 && $0.x >= 0 && $0.x < 1 }) else { return nil }
      meaning = ColorSpace(Primaries(red: points[1], green: points[2], blue: points[3], white: points[0]), curve)
    } else {
      guard !isUsual else { return nil }
      meaning = ColorSpace(.bt709, curve)
    }
    return ProfileWriter.profile(meaning, name: "PNG").flatMap { try? CGColorSpace(profile: $0) }
  }

  /// The space of numbers of ITU-T H.273; sRGB for those that there is no space for.
  private static func codedSpace(_ colors: PictureMetadata.CodedColors?) -> CGColorSpace {
    switch (colors?.primaries, colors?.transfer) {
    case (12, _): CGColorSpace(name: CGColorSpace.displayP3) ?? sRGB
    case (9, 1), (9, 14), (9, 15): CGColorSpace(name: CGColorSpace.itur_2020) ?? sRGB
    default: sRGB
    }
  }

  /// Adds what describes the colours of a picture that is written.
  static func describe(_ space: CGColorSpace?, in metadata: inout PictureMetadata, isPNG: Bool) {
    guard let space = space?.baseColorSpace ?? space else { return }
    if isPNG, space.name == CGColorSpace.sRGB {
      var png = metadata.png ?? PictureMetadata.PNGProperties()
      // Perceptual, the usual intent of photographs.
      png.sRGBIntent = 0
      metadata.png = png
    } else if ![CGColorSpaceCreateDeviceRGB(), CGColorSpaceCreateDeviceGray(), CGColorSpaceCreateDeviceCMYK()].contains(space) {
      metadata.profile = space.copyICCData().map { [UInt8]($0 as Data) }
    }
  }
}
