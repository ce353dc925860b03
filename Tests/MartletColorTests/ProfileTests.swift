import Foundation
import MartletColor
import Testing

/// Profiles and conversions, compared with what Little CMS computes (`Oracles/make_picture_fixtures.py`).
struct ProfileTests {
  struct Recording: Decodable, Sendable {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
      var from: String
      var to: String
      var colors: [UInt8]
      var results: [UInt8]
      var testDescription: String { "\(from) to \(to)" }
    }
    var profiles: [String: Data]
    var cases: [Case]

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try #require(profiles[name])) }
  }

  static let recording: Recording = {
    let url = Bundle.module.url(forResource: "colors", withExtension: "json", subdirectory: "Fixtures")!
    return try! JSONDecoder().decode(Recording.self, from: Data(contentsOf: url))
  }()

  private static func colors(_ bytes: [UInt8], count: Int) -> [SIMD4<Float>] {
    stride(from: 0, to: bytes.count, by: count).map { start in
      var color = SIMD4<Float>.zero
      for index in 0..<count { color[index] = Float(bytes[start + index]) / 255 }
      return color
    }
  }

  @Test(arguments: recording.cases)
  func `colours are those of Little CMS`(_ recorded: Recording.Case) throws {
    let source: ColorSpace
    let target: ColorSpace
    let transform: ColorTransform
    do {
      source = try ProfileReader.colorSpace(Self.recording.bytes(recorded.from))
      target = try ProfileReader.colorSpace(Self.recording.bytes(recorded.to))
      transform = try ColorTransform(from: source, to: target)
    } catch let error as ColorProfileError {
      // Profiles with tables need a library that the system may lack.
      guard case .missingLibrary(_, let debianPackage, _) = error.reason, (recorded.from + recorded.to).contains("cmyk") else {
        throw error
      }
      #expect(debianPackage == "liblcms2-2")
      return
    }
    var colors = Self.colors(recorded.colors, count: source.componentCount)
    transform.convert(&colors)
    let expected = Self.colors(recorded.results, count: target.componentCount)
    let differences = zip(colors, expected).map { ($0.0 - $0.1) }.map { max($0.max(), -$0.min()) * 255 }
    // The recording is rounded to 8 bits.
    #expect(differences.max()! < 1, "\(recorded.from) to \(recorded.to): \(differences.max()!)")
  }

  @Test(arguments: recording.cases.filter { !$0.from.contains("gray") && !$0.to.contains("gray") && !($0.from + $0.to).contains("cmyk") })
  func `bytes are converted as numbers are`(_ recorded: Recording.Case) throws {
    let transform = try ColorTransform(
      from: ProfileReader.colorSpace(Self.recording.bytes(recorded.from)), to: ProfileReader.colorSpace(Self.recording.bytes(recorded.to)))
    try #require(transform.convertsBytes)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: recorded.colors.count, by: 3) { bytes += recorded.colors[start..<start + 3] + [77] }
    transform.convert(bytes: &bytes, pixelStride: 4)
    for pixel in 0..<bytes.count / 4 {
      for channel in 0..<3 { #expect(abs(Int(bytes[4 * pixel + channel]) - Int(recorded.results[3 * pixel + channel])) <= 1) }
      #expect(bytes[4 * pixel + 3] == 77)
    }
  }

  @Test func `profiles that are almost sRGB keep bytes`() throws {
    let space = try ProfileReader.colorSpace(Self.recording.bytes("srgb-lcms"))
    let transform = try ColorTransform(from: space, to: .sRGB)
    #expect(!transform.isIdentity && transform.isByteIdentity)
    #expect(try !ColorTransform(from: .displayP3, to: .sRGB).isByteIdentity)
  }

  @Test func `a written profile is read as the same space`() throws {
    let spaces: [ColorSpace] = [
      .sRGB, .displayP3, .linearSRGB, ColorSpace(.adobeRGB, .gamma(563.0 / 256)), ColorSpace(.gray(.gamma(2.2))), ColorSpace(.romm, .romm),
    ]
    for space in spaces {
      let bytes = try #require(ProfileWriter.profile(space, name: "Test"))
      let read = try ProfileReader.colorSpace(bytes)
      let transform = try ColorTransform(from: read, to: space)
      // Profiles have numbers of 1/65536, which is visible near black.
      for step in 2...18 {
        let level = Float(step) / 20
        let color = space.componentCount == 1 ? SIMD4(level, 0, 0, 0) : SIMD4(level, 1 - level, 0.2 + level / 2, 0)
        let change = transform.convert(color) - color
        #expect(max(change.max(), -change.min()) < 0.001, "\(space)")
      }
    }
    #expect(ProfileWriter.profile(.simpleCMYK, name: "Test") == nil)
  }

  // MARK: Conversions without profiles

  @Test func `neutral colours stay neutral, and shades of the device keep their numbers`() throws {
    let transform = try ColorTransform(from: .deviceGray, to: .sRGB)
    for level in [Float(0), 0.25, 0.5, 1] {
      let color = transform.convert(SIMD4(level, 0, 0, 0))
      #expect(abs(color.x - level) < 1e-4 && abs(color.y - level) < 1e-4 && abs(color.z - level) < 1e-4)
    }
    let p3 = try ColorTransform(from: .displayP3, to: .sRGB).convert(SIMD4(0.5, 0.5, 0.5, 0))
    #expect(abs(p3.x - 0.5) < 1e-4 && abs(p3.z - 0.5) < 1e-4)
  }

  @Test func `colours of extended range lie beyond 0 and 1`() throws {
    let red = try ColorTransform(from: .displayP3, to: ColorSpace.sRGB.extended).convert(SIMD4(1, 0, 0, 0))
    #expect(abs(red.x - 1.0930) < 2e-3 && abs(red.y + 0.2267) < 2e-3 && abs(red.z + 0.1501) < 2e-3)
    let back = try ColorTransform(from: ColorSpace.sRGB.extended, to: .displayP3).convert(red)
    #expect(abs(back.x - 1) < 1e-3 && abs(back.y) < 1e-3 && abs(back.z) < 1e-3)
    let clipped = try ColorTransform(from: .displayP3, to: .sRGB).convert(SIMD4(1, 0, 0, 0))
    #expect(clipped == SIMD4(1, 0, 0, 0))
  }

  @Test func `inks leave their complements`() throws {
    let toRGB = try ColorTransform(from: .simpleCMYK, to: .sRGB)
    for inks in [SIMD4<Float>(0, 0, 0, 0), SIMD4(1, 0, 0, 0), SIMD4(0.2, 0.4, 0.6, 0.1), SIMD4(0, 0, 0, 1)] {
      let color = toRGB.convert(inks)
      for index in 0..<3 { #expect(abs(color[index] - (1 - inks[index]) * (1 - inks.w)) < 1e-4) }
    }
    let back = try ColorTransform(from: .sRGB, to: .simpleCMYK)
    let color = SIMD4<Float>(0.3, 0.6, 0.5, 0)
    let change = toRGB.convert(back.convert(color)) - color
    #expect(max(change.max(), -change.min()) < 1e-3)
  }

  // MARK: Damage

  @Test(arguments: recording.profiles.keys.sorted())
  func `a truncated profile is an error`(_ name: String) throws {
    let bytes = try Self.recording.bytes(name)
    for count in 0..<bytes.count { #expect(throws: ColorProfileError.self) { try ProfileReader.colorSpace(Array(bytes[..<count])) } }
  }

  @Test(arguments: recording.profiles.keys.sorted().filter { !$0.contains("cmyk") })
  func `changed bytes give a space or an error`(_ name: String) throws {
    let original = try Self.recording.bytes(name)
    var generator = SystemRandomNumberGenerator()
    for round in 0..<2000 {
      var bytes = original
      for _ in 0...round % 4 {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = round.isMultiple(of: 3) ? [0, 0x7F, 0x80, 0xFF].randomElement()! : UInt8.random(in: 0...255, using: &generator)
      }
      // Tables of conversions take long.
      guard let space = try? ProfileReader.colorSpace(bytes), round.isMultiple(of: 100),
        let transform = try? ColorTransform(from: space, to: .sRGB)
      else { continue }
      for level in [Float(0), 0.5, 1, .nan, .infinity, -3] { _ = transform.convert(SIMD4(repeating: level)) }
      if let back = try? ColorTransform(from: .sRGB, to: space) { _ = back.convert(SIMD4(0.1, 0.5, 0.9, 0)) }
    }
  }

  @Test func `errors name the part and the reason`() throws {
    let bytes = try Self.recording.bytes("p3-v4")
    func error(_ change: (inout [UInt8]) -> Void) -> ColorProfileError? {
      var copy = bytes
      change(&copy)
      do throws(ColorProfileError) {
        _ = try ProfileReader.colorSpace(copy)
        return nil
      } catch { return error }
    }
    #expect(error { $0[36] = 0 }?.description == "colour profile: header: it has no signature 'acsp'")
    #expect(error { $0[8] = 9 }?.reason == .unsupported("version 9"))
    #expect(error { $0[128] = 0xFF }?.field == "tag table")
    #expect(error { $0.replaceSubrange(16..<20, with: Array("Luv ".utf8)) }?.reason == .unsupported("colours of the space 'Luv '"))
    #expect(error { $0 += [UInt8](repeating: 0, count: ProfileReader.sizeLimit) }?.field == "header")
    // Every tag that colours need.
    for name in ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"] {
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(name.utf8)) })
      #expect(error { $0[place] = 0x3F } != nil, "\(name)")
      #expect(error { $0[place + 4] = 0x7F }?.field == "tag '\(name)'")
    }
  }
}
