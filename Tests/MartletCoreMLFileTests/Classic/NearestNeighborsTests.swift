import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct NearestNeighborsTests {
  private static let model = Sample.model([.array("x", 2, type: .float32)], [.string("label")], label: "label") {
    for row in [[1, 2], [3, 4], [5, 6]] as [[Float]] {
      var vector = SpecFloatVector()
      vector.vector = row
      $0.kNearestNeighborsClassifier.nearestNeighborsIndex.floatSamples.append(vector)
    }
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.numberOfDimensions = 2
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.singleKdTreeIndex.leafSize = 30
    $0.kNearestNeighborsClassifier.nearestNeighborsIndex.squaredEuclideanDistance = SpecSquaredEuclideanDistance()
    $0.kNearestNeighborsClassifier.numberOfNeighbors.defaultValue = 3
    $0.kNearestNeighborsClassifier.numberOfNeighbors.range.minValue = 1
    $0.kNearestNeighborsClassifier.numberOfNeighbors.range.maxValue = 10
    $0.kNearestNeighborsClassifier.stringClassLabels.vector = ["b", "a", "b"]
    $0.kNearestNeighborsClassifier.defaultStringLabel = "none"
    $0.kNearestNeighborsClassifier.inverseDistanceWeighting = SpecInverseDistanceWeighting()
  }

  private func read(_ message: SpecModel) throws -> NearestNeighborsClassifier {
    guard case .kNearestNeighborsClassifier(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
    return model
  }

  @Test func `Samples lie in one array, and classes are the distinct labels`() throws {
    let model = try read(Self.model)
    #expect(model.samples == [1, 2, 3, 4, 5, 6] && model.sampleCount == 3 && model.dimensionCount == 2)
    #expect(model.index == .kdTree(leafSize: 30) && model.weighting == .inverseDistance)
    #expect(model.neighborCount == 3 && model.allowedCounts == .range(1...10))
    #expect(model.sampleLabels == .strings(["b", "a", "b"]) && model.defaultLabel == .strings(["none"]))
    #expect(model.classes == .strings(["b", "a"]))
    #expect(try Sample.read(Self.model).description.defaultFunction.classification?.labels == .strings(["b", "a"]))
  }

  @Test func `A linear index, uniform weights and a set of neighbours are read`() throws {
    var message = Self.model
    message.kNearestNeighborsClassifier.nearestNeighborsIndex.linearIndex = SpecLinearIndex()
    message.kNearestNeighborsClassifier.uniformWeighting = SpecUniformWeighting()
    message.kNearestNeighborsClassifier.numberOfNeighbors.set.values = [5, 3]
    message.kNearestNeighborsClassifier.defaultClassLabel = nil
    message.isUpdatable = true
    let model = try read(message)
    #expect(model.index == .linear && model.weighting == .uniform && model.allowedCounts == .set([5, 3]))
    #expect(model.defaultLabel == .strings([]))
  }

  @Test func `A classifier without samples predicts the default label`() throws {
    var message = Self.model
    message.kNearestNeighborsClassifier.nearestNeighborsIndex.floatSamples = []
    message.kNearestNeighborsClassifier.classLabels = nil
    let model = try read(message)
    #expect(model.sampleCount == 0 && model.samples == [] && model.dimensionCount == 2)
    #expect(model.sampleLabels == .strings([]) && model.classes == .strings(["none"]))
  }

  @Test func `Damaged parameters are refused`() {
    func expect(_ message: String, _ change: (inout SpecKNearestNeighborsClassifier) -> Void) {
      Sample.expect("kNearestNeighborsClassifier." + message, Self.model) { change(&$0.kNearestNeighborsClassifier) }
    }
    expect("nearestNeighborsIndex.singleKdTreeIndex.leafSize: 0 is not a positive") {
      $0.nearestNeighborsIndex.singleKdTreeIndex.leafSize = 0
    }
    expect("nearestNeighborsIndex.IndexType: the kind of index is missing") { $0.nearestNeighborsIndex.indexType = nil }
    expect("nearestNeighborsIndex.DistanceFunction") { $0.nearestNeighborsIndex.distanceFunction = nil }
    expect("nearestNeighborsIndex.numberOfDimensions: -1 is negative") { $0.nearestNeighborsIndex.numberOfDimensions = -1 }
    expect("nearestNeighborsIndex.floatSamples[0]: there are 2 values for 3 dimensions") {
      $0.nearestNeighborsIndex.numberOfDimensions = 3
    }
    expect("nearestNeighborsIndex.floatSamples[1]: there are 3 values instead of 2") {
      $0.nearestNeighborsIndex.floatSamples[1].vector = [1, 2, 3]
    }
    expect("ClassLabels: there are 2 labels for 3 samples") { $0.stringClassLabels.vector = ["a", "b"] }
    expect("DefaultClassLabel: one of the labels") { $0.defaultInt64Label = 1 }
    expect("DefaultClassLabel: a classifier without labels") {
      ($0.classLabels, $0.defaultClassLabel, $0.nearestNeighborsIndex.floatSamples) = (nil, nil, [])
    }
    expect("WeightingScheme") { $0.weightingScheme = nil }
    expect("numberOfNeighbors.defaultValue: 0 is not positive") { $0.numberOfNeighbors.defaultValue = 0 }
    expect("numberOfNeighbors.defaultValue: 11 is not between 1 and 10") { $0.numberOfNeighbors.defaultValue = 11 }
    expect("numberOfNeighbors.range.minValue: -9223372036854775808 is not positive") { $0.numberOfNeighbors.range.minValue = .min }
    expect("numberOfNeighbors.range: the range from 11 to 10 is empty") { $0.numberOfNeighbors.range.minValue = 11 }
    expect("numberOfNeighbors.set.values[1]: 0 is not positive") { $0.numberOfNeighbors.set.values = [3, 0] }
    expect("numberOfNeighbors.defaultValue: 3 is not one of") { $0.numberOfNeighbors.set.values = [1, 2] }
  }
}
