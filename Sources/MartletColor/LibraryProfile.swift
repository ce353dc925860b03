import MartletTensor

/// An ICC profile that Little CMS evaluates. Profiles are equal if their bytes are.
package struct LibraryProfile: Sendable, Hashable {
  package let bytes: [UInt8]
  package let componentCount: Int

  /// - Throws: if the library is missing, or cannot use the profile.
  package init(_ bytes: [UInt8], componentCount: Int) throws(ColorProfileError) {
    self.bytes = bytes
    self.componentCount = componentCount
    _ = try LibraryTransform(self, .toConnection)
  }
}

/// A conversion between the colours of a profile and XYZ by Little CMS. Threads may share it.
@safe
final class LibraryTransform: @unchecked Sendable {
  enum Direction { case toConnection, fromConnection }

  private let library: LittleCMS
  private let transform: UnsafeMutableRawPointer
  private let componentCount: Int
  /// The library's value for 1: inks are percentages.
  private let unit: Float

  init(_ profile: LibraryProfile, _ direction: Direction) throws(ColorProfileError) {
    let library = try LittleCMS.shared.get()
    self.library = library
    componentCount = profile.componentCount
    unit = profile.componentCount == 4 ? 100 : 1
    let spaces: [Int: UInt32] = [1: 3, 3: 4, 4: 6]
    let colors = LittleCMS.floats(space: spaces[profile.componentCount] ?? 0, count: profile.componentCount)
    let opened = unsafe profile.bytes.withUnsafeBytes { unsafe library.open($0.baseAddress, UInt32(clamping: $0.count)) }
    guard let opened = unsafe opened else {
      throw ColorProfileError(field: "header", reason: .invalid("Little CMS does not accept the profile"))
    }
    defer { _ = unsafe library.close(opened) }
    guard let connection = unsafe library.createXYZ() else {
      throw ColorProfileError(field: "header", reason: .invalid("Little CMS has no memory left"))
    }
    defer { _ = unsafe library.close(connection) }
    let xyz = LittleCMS.floats(space: 9, count: 3)
    let isInput = direction == .toConnection
    let transform =
      unsafe isInput
      ? library.createTransform(opened, colors, connection, xyz, LittleCMS.relativeColorimetric, LittleCMS.withoutCache)
      : library.createTransform(connection, xyz, opened, colors, LittleCMS.relativeColorimetric, LittleCMS.withoutCache)
    guard let transform = unsafe transform else {
      let tag = isInput ? "tag 'A2B0'" : "tag 'B2A0'"
      throw ColorProfileError(field: tag, reason: .unsupported("Little CMS cannot convert colours by this profile"))
    }
    unsafe self.transform = unsafe transform
  }

  deinit { unsafe library.deleteTransform(transform) }

  /// XYZ of colours in the first components of `colors`.
  func toConnection(_ colors: [SIMD4<Float>]) -> [SIMD3<Float>] {
    var numbers: [Float] = []
    numbers.reserveCapacity(colors.count * componentCount)
    for color in colors { for index in 0..<componentCount { numbers.append(color[index] * unit) } }
    let xyz = convert(numbers, to: colors.count * 3, count: colors.count)
    return colors.indices.map { SIMD3(xyz[3 * $0], xyz[3 * $0 + 1], xyz[3 * $0 + 2]) }
  }

  func fromConnection(_ colors: [SIMD3<Float>]) -> [SIMD4<Float>] {
    let result = convert(colors.flatMap { [$0.x, $0.y, $0.z] }, to: colors.count * componentCount, count: colors.count)
    return colors.indices.map { position in
      var color = SIMD4<Float>()
      for index in 0..<componentCount { color[index] = result[position * componentCount + index] / unit }
      return color
    }
  }

  private func convert(_ input: [Float], to outputCount: Int, count: Int) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: outputCount) { output, initialized in
      unsafe output.initialize(repeating: 0)
      unsafe input.withUnsafeBytes { unsafe library.doTransform(transform, $0.baseAddress, output.baseAddress, UInt32(clamping: count)) }
      initialized = outputCount
    }
  }
}

/// The functions of Little CMS in use, by the names and numbers of its header `lcms2.h`.
@safe
struct LittleCMS: @unchecked Sendable {
  typealias Handle = UnsafeMutableRawPointer

  static let relativeColorimetric: UInt32 = 1
  /// So that threads can share a transform.
  static let withoutCache: UInt32 = 0x40

  let open: @convention(c) (UnsafeRawPointer?, UInt32) -> Handle?
  let createXYZ: @convention(c) () -> Handle?
  let close: @convention(c) (Handle?) -> Int32
  let createTransform: @convention(c) (Handle?, UInt32, Handle?, UInt32, UInt32, UInt32) -> Handle?
  let deleteTransform: @convention(c) (Handle?) -> Void
  let doTransform: @convention(c) (Handle?, UnsafeRawPointer?, UnsafeMutableRawPointer?, UInt32) -> Void

  static let shared = Result<LittleCMS, ColorProfileError> { () throws(ColorProfileError) in try LittleCMS() }

  /// The library's number for a format of interleaved numbers of type `Float`.
  static func floats(space: UInt32, count: Int) -> UInt32 {
    1 << 22 | space << 16 | UInt32(clamping: count) << 3 | 4
  }

  private init() throws(ColorProfileError) {
    do throws(SharedLibrary.LoadFailure) {
      let library = try SharedLibrary(name: "liblcms2.so.2", debianPackage: "liblcms2-2")
      unsafe open = unsafe try library.function("cmsOpenProfileFromMem", as: (@convention(c) (UnsafeRawPointer?, UInt32) -> Handle?).self)
      unsafe createXYZ = unsafe try library.function("cmsCreateXYZProfile", as: (@convention(c) () -> Handle?).self)
      unsafe close = unsafe try library.function("cmsCloseProfile", as: (@convention(c) (Handle?) -> Int32).self)
      unsafe createTransform = unsafe try library.function(
        "cmsCreateTransform", as: (@convention(c) (Handle?, UInt32, Handle?, UInt32, UInt32, UInt32) -> Handle?).self)
      unsafe deleteTransform = unsafe try library.function("cmsDeleteTransform", as: (@convention(c) (Handle?) -> Void).self)
      unsafe doTransform = unsafe try library.function(
        "cmsDoTransform", as: (@convention(c) (Handle?, UnsafeRawPointer?, UnsafeMutableRawPointer?, UInt32) -> Void).self)
    } catch {
      throw ColorProfileError(
        field: "tables",
        reason: .missingLibrary(name: error.libraryName, debianPackage: error.debianPackage, detail: error.detail))
    }
  }
}
