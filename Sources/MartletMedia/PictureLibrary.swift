package import MartletTensor

/// The libraries of the system that read and write picture files. Each is opened when it is first needed.
package enum PictureLibrary: String, CaseIterable, Sendable {
  case libpng, libturbojpeg, libheif, libwebp

  /// The formats that need it.
  package var formats: String {
    switch self {
    case .libpng: "PNG"
    case .libturbojpeg: "JPEG"
    case .libheif: "HEIC, AVIF"
    case .libwebp: "WebP"
    }
  }

  /// Opens the library.
  /// - Returns: why it cannot be used, with the package that has it; nil if it can.
  package var loadFailure: SharedLibrary.LoadFailure? {
    switch self {
    case .libpng: Self.failure(LibPNG.loaded)
    case .libturbojpeg: Self.failure(LibTurboJPEG.loaded)
    case .libheif: Self.failure(LibHEIF.loaded)
    case .libwebp: Self.failure(LibWebP.loaded)
    }
  }

  private static func failure<Library>(_ loaded: Result<Library, SharedLibrary.LoadFailure>) -> SharedLibrary.LoadFailure? {
    if case .failure(let failure) = loaded { failure } else { nil }
  }
}
