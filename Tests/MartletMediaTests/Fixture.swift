import Foundation
import MartletMedia
import MartletTensor

/// Files made by Oracles/make_media_fixtures.py.
enum Fixture {
  static func path(_ name: String) -> String {
    Bundle.module.resourceURL!.appendingPathComponent("Fixtures/\(name)").path
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    try FileContents.read(path: path(name))
  }

  static func arrays(_ name: String) throws -> [String: HostTensor] {
    let arrays = try NumPyArchive.read(path: path(name))
    return Dictionary(uniqueKeysWithValues: arrays.map { ($0.name, $0.tensor) })
  }
}

/// A small generator with a fixed seed, so that a failing case can be repeated.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Copies of `bytes` with one to four random bytes replaced, most of them near the start, where headers are.
func damaged(_ bytes: [UInt8], count: Int, seed: UInt64) -> [[UInt8]] {
  var generator = SplitMix64(state: seed)
  return (0..<count).map { _ in
    var copy = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let limit = Bool.random(using: &generator) ? copy.count : min(copy.count, 160)
      copy[Int.random(in: 0..<limit, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    return copy
  }
}
