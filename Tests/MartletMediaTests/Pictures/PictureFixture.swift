import MartletMedia
import MartletTensor
import Testing

/// Files made by Oracles/make_picture_fixtures.py, and their samples.
enum PictureFixture {
  static func bytes(_ name: String) throws -> [UInt8] { try Fixture.bytes("pictures/\(name)") }

  static func file(_ name: String) throws -> PictureFile { try PictureFile(bytes(name), name: name) }

  static let expected = Result { try Fixture.arrays("pictures/expected.npz") }

  static func expected(_ name: String) throws -> HostTensor { try #require(try expected.get()[name], "\(name)") }

  /// The largest difference of samples of 8 or 16 bits.
  static func largestDifference(_ bytes: [UInt8], _ expected: HostTensor) throws -> Int {
    try #require(bytes.count == expected.bytes.count)
    guard expected.dtype == .uint16 else { return zip(bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0 }
    func sample(_ bytes: [UInt8], _ index: Int) -> Int { Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8 }
    return (0..<bytes.count / 2).map { abs(sample(bytes, $0) - sample(Array(expected.bytes), $0)) }.max() ?? 0
  }
}

/// Whether a library that ordinary installations lack is here.
enum InstalledLibrary {
  /// - Parameter file: one of the format that the library decodes.
  private static func decodes(_ file: String) -> Bool {
    guard let picture = try? PictureFixture.file(file) else { return false }
    do throws(MediaError) {
      _ = try picture.decode(at: 0)
    } catch {
      if case .missingLibrary = error.reason { return false }
    }
    return true
  }

  static let heif = decodes("rgb.heic")
  static let webP = decodes("lossless.webp")
}
