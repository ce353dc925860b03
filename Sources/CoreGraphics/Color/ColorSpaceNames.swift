public import Foundation
import MartletColor

// Names are immutable strings and therefore safe to share between threads.
extension CGColorSpace {
  @safe nonisolated(unsafe) public static let sRGB: CFString = "kCGColorSpaceSRGB"
  @safe nonisolated(unsafe) public static let linearSRGB: CFString = "kCGColorSpaceLinearSRGB"
  @safe nonisolated(unsafe) public static let extendedSRGB: CFString = "kCGColorSpaceExtendedSRGB"
  @safe nonisolated(unsafe) public static let extendedLinearSRGB: CFString = "kCGColorSpaceExtendedLinearSRGB"
  @safe nonisolated(unsafe) public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
  @safe nonisolated(unsafe) public static let linearDisplayP3: CFString = "kCGColorSpaceLinearDisplayP3"
  @safe nonisolated(unsafe) public static let extendedDisplayP3: CFString = "kCGColorSpaceExtendedDisplayP3"
  @safe nonisolated(unsafe) public static let extendedLinearDisplayP3: CFString = "kCGColorSpaceExtendedLinearDisplayP3"
  @safe nonisolated(unsafe) public static let adobeRGB1998: CFString = "kCGColorSpaceAdobeRGB1998"
  @safe nonisolated(unsafe) public static let itur_709: CFString = "kCGColorSpaceITUR_709"
  @safe nonisolated(unsafe) public static let itur_2020: CFString = "kCGColorSpaceITUR_2020"
  @safe nonisolated(unsafe) public static let extendedLinearITUR_2020: CFString = "kCGColorSpaceExtendedLinearITUR_2020"
  @safe nonisolated(unsafe) public static let rommrgb: CFString = "kCGColorSpaceROMMRGB"
  @safe nonisolated(unsafe) public static let dcip3: CFString = "kCGColorSpaceDCIP3"
  @safe nonisolated(unsafe) public static let acescgLinear: CFString = "kCGColorSpaceACESCGLinear"
  @safe nonisolated(unsafe) public static let genericRGBLinear: CFString = "kCGColorSpaceGenericRGBLinear"
  @safe nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"
  @safe nonisolated(unsafe) public static let linearGray: CFString = "kCGColorSpaceLinearGray"
  @safe nonisolated(unsafe) public static let extendedGray: CFString = "kCGColorSpaceExtendedGray"
  @safe nonisolated(unsafe) public static let extendedLinearGray: CFString = "kCGColorSpaceExtendedLinearGray"

  @safe nonisolated(unsafe) static let deviceRGBName: CFString = "kCGColorSpaceDeviceRGB"
  @safe nonisolated(unsafe) static let deviceGrayName: CFString = "kCGColorSpaceDeviceGray"
  @safe nonisolated(unsafe) static let deviceCMYKName: CFString = "kCGColorSpaceDeviceCMYK"

  static let named: [String: ColorSpace] = {
    let grayGamma = ColorSpace(.gray(.gamma(2.2)))
    let linearGrayMeaning = ColorSpace(.gray(.linear))
    let linearP3 = ColorSpace(.displayP3, .linear)
    let spaces: [(CFString, ColorSpace)] = [
      (sRGB, .sRGB), (linearSRGB, .linearSRGB), (extendedSRGB, ColorSpace.sRGB.extended),
      (extendedLinearSRGB, ColorSpace.linearSRGB.extended), (displayP3, .displayP3), (linearDisplayP3, linearP3),
      (extendedDisplayP3, ColorSpace.displayP3.extended), (extendedLinearDisplayP3, linearP3.extended),
      (adobeRGB1998, ColorSpace(.adobeRGB, .gamma(563.0 / 256))), (itur_709, ColorSpace(.bt709, .bt709)),
      (itur_2020, ColorSpace(.bt2020, .bt709)), (extendedLinearITUR_2020, ColorSpace(.bt2020, .linear, isExtended: true)),
      (rommrgb, ColorSpace(.romm, .romm)), (dcip3, ColorSpace(.dciP3, .gamma(2.6))), (acescgLinear, ColorSpace(.acesCG, .linear)),
      (genericRGBLinear, .linearSRGB), (genericGrayGamma2_2, grayGamma), (linearGray, linearGrayMeaning),
      (extendedGray, grayGamma.extended), (extendedLinearGray, linearGrayMeaning.extended), (deviceRGBName, .sRGB),
      (deviceGrayName, .deviceGray), (deviceCMYKName, .simpleCMYK),
    ]
    return Dictionary(uniqueKeysWithValues: spaces.map { ($0.0 as String, $0.1) })
  }()
}
