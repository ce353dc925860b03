package import MartletPixels

/// What a file says about one picture without decoding it.
package struct PictureHeader: Sendable {
  package enum Model: Sendable, Hashable {
    case gray
    case rgb
    case cmyk
    /// Each sample is an index to a table of colours.
    case indexed
  }

  /// Size of the stored picture, which `orientation` says how to turn.
  package var width: Int
  package var height: Int
  package var model: Model
  /// Bits of each sample in the file.
  package var bitsPerComponent: Int
  package var hasAlpha = false
  /// True if the picture comes in passes over all of it: an interlaced PNG, a progressive JPEG.
  package var isProgressive = false
}

/// What a file says about a picture beside its pixels. Blocks of EXIF and IPTC data are as stored.
package struct PictureMetadata: Sendable, Equatable {
  /// How the picture was turned when it was stored, by the container or else by the EXIF block.
  package var orientation: ImageOrientation?
  /// The colour profile in the format of the International Color Consortium.
  package var profile: [UInt8]?
  /// A TIFF block: the EXIF data without signature.
  package var exif: [UInt8]?
  /// Records of the IPTC's Information Interchange Model.
  package var iptc: [UInt8]?
  package var resolution: Resolution?
  /// Colours by the numbers of ITU-T H.273, where there may be no profile.
  package var codedColors: CodedColors?
  package var jfif: JFIF?
  package var png: PNGProperties?

  package init() {}

  /// Pixels per unit of length.
  package struct Resolution: Sendable, Equatable {
    package enum Unit: Sendable, Hashable {
      /// The numbers state a ratio only.
      case none
      case inch
      case centimeter
      case meter
    }

    package var x: Double
    package var y: Double
    package var unit: Unit

    package init(x: Double, y: Double, unit: Unit) {
      self.x = x
      self.y = y
      self.unit = unit
    }

    /// Dots per inch; nil if the unit is not known.
    package var perInch: (x: Double, y: Double)? {
      switch unit {
      case .none: nil
      case .inch: (x, y)
      case .centimeter: (x * 2.54, y * 2.54)
      case .meter: (x * 0.0254, y * 0.0254)
      }
    }
  }

  package struct CodedColors: Sendable, Equatable {
    package var primaries: Int
    package var transfer: Int
  }

  package struct JFIF: Sendable, Equatable {
    package var majorVersion: Int
    package var minorVersion: Int
    /// 0: a ratio only, 1: per inch, 2: per centimetre.
    package var densityUnit: Int
    package var xDensity: Int
    package var yDensity: Int
  }

  /// Chunks of a PNG file that describe colours and texts.
  package struct PNGProperties: Sendable, Equatable {
    package var isInterlaced = false
    package var gamma: Double?
    /// White, red, green and blue, each as x and y.
    package var chromaticities: [Double]?
    /// The rendering intent of an sRGB file.
    package var sRGBIntent: Int?
    /// Texts by their keywords.
    package var texts: [String: String] = [:]

    package init() {}
  }
}
