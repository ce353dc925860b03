import Foundation
import Martlet
import Testing

@Suite("Flexible shapes")
struct FlexibleShapeTests {
  private func inputs(_ path: String) throws -> [String: ValueSignature] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let inspection = try ModelInspection(contentsOf: tests.appendingPathComponent(path))
    let inputs = try #require(inspection.methods.first).signature.inputs
    return Dictionary(inputs.map { ($0.name, $0) }) { first, _ in first }
  }

  @Test func `Ranges are told with the default shape`() throws {
    let x = try #require(try inputs("MartletCoreMLFileTests/Fixtures/flexible.mlpackage")["x"])
    #expect(x.flexibleShapes?.defaultShape == [1, 32])
    guard case .ranges(let ranges)? = x.flexibleShapes?.choices else {
      Issue.record("\(String(describing: x.flexibleShapes))")
      return
    }
    #expect(ranges == [1...1, 1...Int.max])
    #expect("\(x)" == "x: float16[1, ?], default [1, 32], from [1, 1...]")
  }

  @Test func `Enumerated shapes of arrays and images are told, an image's as height and width`() throws {
    let inputs = try inputs("CoreMLTests/Fixtures/features.mlmodel")
    #expect(inputs["listed"]?.flexibleShapes?.defaultShape == [1, 2])
    #expect(inputs["listed"]?.flexibleShapes?.choices == .enumerated([[1, 2], [1, 4]]))
    #expect(inputs["listed"]?.description.hasSuffix(", default [1, 2], one of [1, 2] [1, 4]") == true)
    guard case .enumerated(let sizes)? = inputs["gray"]?.flexibleShapes?.choices else {
      Issue.record("\(String(describing: inputs["gray"]))")
      return
    }
    #expect(sizes.count > 1 && sizes.allSatisfy { $0.count == 2 })
  }

  @Test func `A shape that is fixed or only bounded has no choices`() throws {
    #expect(try inputs("MartletExecuTorchFileTests/Fixtures/dynamic.pte")["input0"]?.flexibleShapes == nil)
    #expect(try inputs("CoreMLTests/Fixtures/state.mlpackage").values.allSatisfy { $0.flexibleShapes == nil })
  }
}
