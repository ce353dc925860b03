import MartletFeatures
import MartletTensor
import Testing

import CoreML
import MartletCoreMLFile

@Suite struct FeatureFormTests {
  private func form(declared shape: [Int]) -> OutputForm {
    let array = ArrayFeature(dataType: .float32, shape: shape, flexibility: .fixed, defaultValue: nil)
    let feature = FeatureDescription(name: "y", shortDescription: "", type: .multiArray(array), isOptional: false)
    return OutputForm(feature, MLFeatureDescription(feature))
  }

  @Test func `an output is seen in the declared shape if that has as many elements`() {
    let type = TensorType(.float32, [2, 3])
    #expect(form(declared: [6]).form(of: type).extents == [6])
    #expect(form(declared: [1, 3, 2]).form(of: type).steps == [6, 2, 1])
    #expect(form(declared: [4]).form(of: type).extents == [2, 3])
    #expect(form(declared: []).form(of: type).extents == [2, 3])
  }

  /// More elements than can be counted, and fewer than none.
  @Test(arguments: [[1 << 40, 1 << 40], [.max, 2], [0, .max, .max], [-2, -3]])
  func `declared shapes that nothing has are no shapes`(shape: [Int]) {
    #expect(form(declared: shape).form(of: TensorType(.float32, [2, 3])).extents == [2, 3])
  }
}
