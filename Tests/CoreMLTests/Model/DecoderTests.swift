import CoreML
import Testing

/// A decoder whose keys and values are kept in states.
struct DecoderTests {
  private func input(_ step: Int) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: [
      "token": MLShapedArray<Int32>(repeating: Int32(step * 37 % 64), shape: [1, 1]),
      "mask": MLShapedArray<Float16>(repeating: 0, shape: [1, 1, 1, step + 1]),
    ])
  }

  private func expected() throws -> [Int: [Float]] {
    let recorded = try JSONDecoder().decode([String: [Float]].self, from: Data(contentsOf: Fixture.url("decoder.json")))
    return Dictionary(uniqueKeysWithValues: recorded.map { (Int($0.key)!, $0.value) })
  }

  @Test func `a decoder with its cache in states gives what torch gives for 1,000 steps, and keeps no plan per step`() throws {
    let model = try Fixture.model("decoder.mlpackage")
    let states = model.modelDescription.stateDescriptionsByName
    #expect(Set(states.keys) == ["keys", "values"] && states["keys"]?.stateConstraint?.bufferShape == [1, 2, 1024, 16])
    let expected = try expected()
    let state = model.makeState()
    var compared = 0
    for step in 0..<1000 {
      let output = try model.prediction(from: try input(step), using: state)
      guard let logits = expected[step] else { continue }
      let found = try #require(floats(output, "logits"))
      // Half precision.
      #expect(zip(found, logits).allSatisfy { abs($0 - $1) < 0.02 }, "step \(step)")
      compared += 1
    }
    #expect(compared == 8 && expected.count == 8)
    #expect(try model.planCount <= 16)
    // The cache is what makes the difference.
    let alone = try #require(floats(try model.prediction(from: try input(999), using: model.makeState()), "logits"))
    #expect(zip(alone, expected[999]!).contains { abs($0 - $1) > 0.1 })
    // Each step has written its own position, and no other.
    let written = state.withMultiArray(for: "keys") { keys in
      (0..<1024).filter { position in (0..<16).contains { keys[[0, 1, NSNumber(value: position), NSNumber(value: $0)]] != 0 } }
    }
    #expect(written == Array(0..<1000))
  }

  @Test func `streams of one decoder do not see each other's cache`() async throws {
    nonisolated(unsafe) let model = try Fixture.model("decoder.mlpackage")
    let expected = try expected()
    try await withThrowingTaskGroup(of: [Float]?.self) { group in
      for _ in 0..<4 {
        group.addTask { @Sendable in
          let state = model.makeState()
          var last: [Float]?
          for step in 0..<10 { last = floats(try await model.prediction(from: try input(step), using: state), "logits") }
          return last
        }
      }
      for try await logits in group {
        let equal = zip(logits ?? [], expected[9]!).filter { abs($0 - $1) < 0.02 }
        #expect(equal.count == 64)
      }
    }
  }
}
