import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct DetectionModelTests {
  private static let suppression = Sample.model(
    [.array("c", 10, 2), .array("b", 10, 4), .double("iou").optional], [.array("cs", 5, 2), .array("bs", 5, 4)]
  ) {
    $0.nonMaximumSuppression.pickTop.perClass = true
    $0.nonMaximumSuppression.iouThreshold = 0.5
    $0.nonMaximumSuppression.confidenceThreshold = 0.25
    $0.nonMaximumSuppression.stringClassLabels.vector = ["cat", "dog"]
    $0.nonMaximumSuppression.confidenceInputFeatureName = "c"
    $0.nonMaximumSuppression.coordinatesInputFeatureName = "b"
    $0.nonMaximumSuppression.iouThresholdInputFeatureName = "iou"
    $0.nonMaximumSuppression.confidenceThresholdInputFeatureName = "unused"
    $0.nonMaximumSuppression.confidenceOutputFeatureName = "cs"
    $0.nonMaximumSuppression.coordinatesOutputFeatureName = "bs"
  }

  private static let thresholding = Sample.model([.double("x")], [.double("y")]) {
    var curve = SpecPrecisionRecallCurve()
    curve.precisionValues.vector = [0.5, 1]
    curve.precisionConfidenceThresholds.vector = [0.25, 0.75]
    curve.recallValues.vector = [1]
    curve.recallConfidenceThresholds.vector = [0]
    $0.classConfidenceThresholding.precisionRecallCurves = [curve]
  }

  private static let sound = Sample.model([.array("x", 15600, type: .float32)], [.array("y", 1, 96, 64, type: .float32)]) {
    $0.soundAnalysisPreprocessing.vggish = SpecSoundAnalysisPreprocessing.Vggish()
  }

  @Test func `Suppression has thresholds, labels and names`() throws {
    guard case .nonMaximumSuppression(let model) = try Sample.classic(Self.suppression) else { throw Sample.OtherKind() }
    #expect(model.isPerClass && model.iouThreshold == 0.5 && model.confidenceThreshold == 0.25)
    #expect(model.labels == .strings(["cat", "dog"]))
    #expect(model.names.confidenceInput == "c" && model.names.coordinatesInput == "b")
    #expect(model.names.iouThresholdInput == "iou" && model.names.confidenceThresholdInput == nil)
    #expect(model.names.confidenceOutput == "cs" && model.names.coordinatesOutput == "bs")
  }

  @Test func `Damaged suppression is refused`() {
    let model = Self.suppression
    Sample.expect("nonMaximumSuppression.iouThreshold: 1.5 is not between 0 and 1", model) { $0.nonMaximumSuppression.iouThreshold = 1.5 }
    Sample.expect("nonMaximumSuppression.iouThreshold: nan", model) { $0.nonMaximumSuppression.iouThreshold = .nan }
    Sample.expect("nonMaximumSuppression.confidenceThreshold: -1.0 is", model) { $0.nonMaximumSuppression.confidenceThreshold = -1 }
    Sample.expect("there is no output 'bs', which nonMaximumSuppression.coordinatesOutputFeatureName names", model) {
      $0.description_p.output[1].name = "other"
    }
    Sample.expect("description.input (z): no parameter names this input", model) {
      $0.description_p.input.append(Feature.double("z").message)
    }
    Sample.expect("description.output (z): no parameter names this output", model) {
      $0.description_p.output.append(Feature.double("z").message)
    }
    Sample.expect("description.output (cs): has not the element type of 'c'", model) {
      $0.description_p.output[0] = Feature.array("cs", 5, 2, type: .float32).message
    }
    Sample.expect("description.input (c): boxes are arrays of float32 or float64", model) {
      $0.description_p.input[0] = Feature.array("c", 10, 2, type: .int32).message
    }
    Sample.expect("description.output (bs): has 4 rows, but 'cs' has 5", model) {
      $0.description_p.output[1] = Feature.array("bs", 4, 4).message
    }
    Sample.expect("description.output (cs): has 1 axes instead of 2", model) {
      $0.description_p.output[0] = Feature.array("cs", 5).message
    }
    Sample.expect("description.output (cs): the number of columns is not that of the labels, 3", model) {
      $0.nonMaximumSuppression.int64ClassLabels.vector = [1, 2, 3]
    }
  }

  @Test func `Thresholding has curves`() throws {
    guard case .classConfidenceThresholding(let model) = try Sample.classic(Self.thresholding) else { throw Sample.OtherKind() }
    #expect(model.curves.count == 1)
    #expect(model.curves[0].precision == [0.5, 1] && model.curves[0].precisionThresholds == [0.25, 0.75])
    #expect(model.curves[0].recall == [1] && model.curves[0].recallThresholds == [0])
  }

  @Test func `Damaged curves are refused`() {
    func expect(_ message: String, _ change: (inout SpecPrecisionRecallCurve) -> Void) {
      Sample.expect("classConfidenceThresholding.precisionRecallCurves[0]." + message, Self.thresholding) {
        change(&$0.classConfidenceThresholding.precisionRecallCurves[0])
      }
    }
    expect("precisionValues: there are none") { $0.precisionValues.vector = [] }
    expect("recallConfidenceThresholds: there are 2 thresholds for 1 values") { $0.recallConfidenceThresholds.vector = [1, 2] }
    expect("precisionValues[1]: -1.0 is negative or not finite") { $0.precisionValues.vector[1] = -1 }
    expect("recallConfidenceThresholds[0]: inf is negative or not finite") { $0.recallConfidenceThresholds.vector = [.infinity] }
    Sample.expect("classConfidenceThresholding.precisionRecallCurves: there are none", Self.thresholding) {
      $0.classConfidenceThresholding.precisionRecallCurves = []
    }
  }

  @Test func `Preprocessing of sounds has fixed shapes`() throws {
    #expect(try Sample.classic(Self.sound) == .soundAnalysisPreprocessing(.vggish))
    Sample.expect("soundAnalysisPreprocessing.SoundAnalysisPreprocessingType", Self.sound) {
      $0.soundAnalysisPreprocessing.soundAnalysisPreprocessingType = nil
    }
    Sample.expect("description.input (x): is not an array of float32 with the shape [15600]", Self.sound) {
      $0.description_p.input[0] = Feature.array("x", 16000, type: .float32).message
    }
    Sample.expect("description.output (y): is not an array of float32 with the shape [1, 96, 64]", Self.sound) {
      $0.description_p.output[0] = Feature.array("y", 1, 96, 64).message
    }
  }
}
