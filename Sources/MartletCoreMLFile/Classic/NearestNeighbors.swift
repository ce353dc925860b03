import MartletBytes
package import MartletFeatures
import MartletTensor

/// Finds the samples with the least squared Euclidean distance.
package struct NearestNeighborsClassifier: Sendable, Equatable {
  package enum Index: Sendable, Equatable {
    case linear
    /// - Parameter leafSize: number of samples in a leaf, at least 1.
    case kdTree(leafSize: Int)
  }

  package enum Weighting: Sendable, Equatable {
    case uniform, inverseDistance
  }

  /// The numbers of neighbours that may be set. All are positive.
  package typealias AllowedCounts = TrainingParameter<Int>.Choices

  /// Row-major, one row for each sample.
  package let samples: NumberTable<Float>
  package let sampleCount: Int
  package let dimensionCount: Int
  package let index: Index
  package var neighborCount: Int
  package let allowedCounts: AllowedCounts
  package let weighting: Weighting
  /// One for each sample.
  package let sampleLabels: ClassLabels
  /// The label that a classifier without samples predicts: one, or none if the file has none.
  package let defaultLabel: ClassLabels
  /// The distinct labels in the order of their first samples; the default label if there are no samples.
  package let classes: ClassLabels
}

extension ClassicReader {
  func nearestNeighborsClassifier(_ source: SpecKNearestNeighborsClassifier) throws(FileError) -> NearestNeighborsClassifier {
    let index = source.nearestNeighborsIndex
    let (labels, defaultLabel) = try labels(source)
    try interface.check(.input, .double, .multiArray, .int64)
    try interface.checkClassifier(integers: labels.areIntegers)
    let sampleCount = if case .samples(_, let count)? = tables { count } else { index.floatSamples.count }
    guard labels.count == sampleCount else {
      throw error("ClassLabels", "there are \(labels.count) labels for \(sampleCount) samples")
    }
    let weighting: NearestNeighborsClassifier.Weighting
    switch source.weightingScheme {
    case .uniformWeighting: weighting = .uniform
    case .inverseDistanceWeighting: weighting = .inverseDistance
    case nil: throw error("WeightingScheme", "the weighting is missing")
    }
    let search: NearestNeighborsClassifier.Index
    switch index.indexType {
    case .linearIndex: search = .linear
    case .singleKdTreeIndex(let tree):
      guard tree.leafSize > 0 else {
        throw error("nearestNeighborsIndex.singleKdTreeIndex.leafSize", "\(tree.leafSize) is not a positive number of samples")
      }
      search = .kdTree(leafSize: Int(widening: tree.leafSize))
    case nil: throw error("nearestNeighborsIndex.IndexType", "the kind of index is missing")
    }
    guard case .squaredEuclideanDistance? = index.distanceFunction else {
      throw error("nearestNeighborsIndex.DistanceFunction", "the distance function is missing")
    }
    guard index.numberOfDimensions >= 0 else {
      throw error("nearestNeighborsIndex.numberOfDimensions", "\(index.numberOfDimensions) is negative")
    }
    let dimensionCount = Int(widening: index.numberOfDimensions)
    let samples: NumberTable<Float>
    if case .samples(let stored, _)? = tables {
      samples = stored
    } else {
      let (values, columnCount) = try flattened(index.floatSamples, field: "nearestNeighborsIndex.floatSamples", row: \.vector)
      guard sampleCount == 0 || columnCount == dimensionCount else {
        throw error("nearestNeighborsIndex.floatSamples[0]", "there are \(columnCount) values for \(dimensionCount) dimensions")
      }
      samples = NumberTable(values)
    }
    guard Extent(samples.count) == Extent(sampleCount) * dimensionCount else {
      throw error("nearestNeighborsIndex.floatSamples", "there are \(samples.count) values for \(sampleCount) samples")
    }
    let (neighborCount, allowedCounts) = try neighborCount(source.numberOfNeighbors)
    return NearestNeighborsClassifier(
      samples: samples, sampleCount: sampleCount, dimensionCount: dimensionCount, index: search,
      neighborCount: neighborCount, allowedCounts: allowedCounts, weighting: weighting, sampleLabels: labels, defaultLabel: defaultLabel,
      classes: labels.count == 0 ? defaultLabel : labels.distinct)
  }

  private func labels(
    _ source: SpecKNearestNeighborsClassifier
  ) throws(FileError) -> (samples: ClassLabels, default: ClassLabels) {
    let labels: ClassLabels?
    switch source.classLabels {
    case .stringClassLabels(let list): labels = .strings(list.vector)
    case .int64ClassLabels(let list): labels = .integers(list.vector)
    case nil: labels = nil
    }
    let defaultLabel: ClassLabels
    switch source.defaultClassLabel {
    case .defaultStringLabel(let label): defaultLabel = .strings([label])
    case .defaultInt64Label(let label): defaultLabel = .integers([label])
    case nil:
      guard let labels, labels.count > 0 else {
        throw error("DefaultClassLabel", "a classifier without labels needs a default label")
      }
      return (labels, labels.areIntegers ? .integers([]) : .strings([]))
    }
    guard let labels else { return (defaultLabel.areIntegers ? .integers([]) : .strings([]), defaultLabel) }
    guard labels.areIntegers == defaultLabel.areIntegers else {
      throw error("DefaultClassLabel", "one of the labels and the default label is a text, the other one an integer")
    }
    return (labels, defaultLabel)
  }

  private func neighborCount(
    _ source: SpecInt64Parameter
  ) throws(FileError) -> (Int, NearestNeighborsClassifier.AllowedCounts) {
    func positive(_ number: Int64, _ field: String) throws(FileError) -> Int {
      guard number > 0 else { throw error("numberOfNeighbors." + field, "\(number) is not positive") }
      return Int(widening: number)
    }
    let count = try positive(source.defaultValue, "defaultValue")
    switch source.allowedValues {
    case nil: return (count, .any)
    case .range(let range):
      let (least, most) = (try positive(range.minValue, "range.minValue"), try positive(range.maxValue, "range.maxValue"))
      guard least <= most else { throw error("numberOfNeighbors.range", "the range from \(least) to \(most) is empty") }
      guard (least...most).contains(count) else {
        throw error("numberOfNeighbors.defaultValue", "\(count) is not between \(least) and \(most)")
      }
      return (count, .range(least...most))
    case .set(let set):
      var values: [Int] = []
      for value in set.values { values.append(try positive(value, "set.values[\(values.count)]")) }
      guard values.contains(count) else { throw error("numberOfNeighbors.defaultValue", "\(count) is not one of the allowed values") }
      return (count, .set(values))
    }
  }
}

extension ClassLabels {
  /// The distinct labels in the order of their first occurrence.
  fileprivate var distinct: ClassLabels {
    func distinct<Label: Hashable>(_ labels: [Label]) -> [Label] {
      var seen: Set<Label> = []
      return labels.filter { seen.insert($0).inserted }
    }
    return switch self {
    case .strings(let labels): .strings(distinct(labels))
    case .integers(let labels): .integers(distinct(labels))
    }
  }
}
