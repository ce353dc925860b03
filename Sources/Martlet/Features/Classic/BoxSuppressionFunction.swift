import MartletCoreMLFile
import MartletFeatures
import MartletTensor

/// Keeps the best of boxes that overlap.
///
/// Boxes whose best confidence is below the threshold are dropped. Of the others the most confident one is kept, those whose intersection over
/// union with it exceeds the threshold are dropped, and so on. Of equally confident boxes the one with the lower index is first.
struct BoxSuppressionFunction: FeatureFunction {
  private let model: NonMaximumSuppression
  private let dtype: DType
  /// The numbers of boxes that the outputs may have.
  private let counts: SizeRange
  private let memory: MemoryBudget

  /// - Parameter memory: the budget that the outputs are charged to. The file declares how many rows they have at least.
  init(_ model: NonMaximumSuppression, _ function: FunctionDescription, memory: MemoryBudget) {
    self.model = model
    self.memory = memory
    let outputs = [model.names.confidenceOutput, model.names.coordinatesOutput].compactMap { name -> ArrayFeature? in
      if case .multiArray(let array)? = function.outputs.first(where: { $0.name == name })?.type { array } else { nil }
    }
    dtype = outputs.first.map { DType($0.dataType) } ?? .float64
    counts = outputs.lazy.compactMap(\.rowCounts).first ?? SizeRange(lowerBound: 0)
  }

  func apply(to features: inout [String: ModelValue]) throws {
    let (boxes, boxCount) = try matrix(features, model.names.coordinatesInput, columns: 4)
    let (scores, count) = try matrix(features, model.names.confidenceInput, columns: nil)
    guard boxCount == count else {
      throw MartletError.invalidInput("there are \(boxCount) boxes with the confidences of \(count)")
    }
    let classes = count == 0 ? model.labels?.count ?? 0 : scores.count / count
    let iouThreshold = try features.number(model.names.iouThresholdInput) ?? model.iouThreshold
    let leastConfidence = try features.number(model.names.confidenceThresholdInput) ?? model.confidenceThreshold
    var candidates: [Candidate] = []
    for index in 0..<count {
      // In range: a row of an array.
      let row = scores[index * classes..<(index + 1) * classes]
      // The first of equal confidences counts.
      guard let best = row.indices.max(by: { row[$0] < row[$1] || row[$0] == row[$1] && $0 > $1 }), row[best] >= leastConfidence else {
        continue
      }
      // In range: a row of an array.
      let part = boxes[index * 4..<index * 4 + 4]
      candidates.append(Candidate(index: index, label: best - row.startIndex, score: row[best], box: Box(Array(part))))
    }
    candidates.sort { ($1.score, $0.index) < ($0.score, $1.index) }
    var kept: [Candidate] = []
    for candidate in candidates {
      if let most = counts.upperBound, kept.count >= most { break }
      let isFree = kept.allSatisfy { other in
        model.isPerClass && other.label != candidate.label || !(other.box.overlap(candidate.box) > iouThreshold)
      }
      if isFree { kept.append(candidate) }
    }
    let rows = max(kept.count, counts.lowerBound)
    // In range: rows of an array.
    let keptScores = kept.flatMap { scores[$0.index * classes..<($0.index + 1) * classes] }
    // In range: rows of an array.
    let keptBoxes = kept.flatMap { boxes[$0.index * 4..<$0.index * 4 + 4] }
    features[model.names.confidenceOutput] = try tensor(keptScores, rows: rows, columns: classes)
    features[model.names.coordinatesOutput] = try tensor(keptBoxes, rows: rows, columns: 4)
  }

  private struct Candidate {
    let index: Int
    let label: Int
    let score: Double
    let box: Box
  }

  private struct Box {
    let left, right, top, bottom: Double

    /// - Parameter parts: centre x, centre y, width and height.
    init(_ parts: [Double]) {
      (left, right) = (parts[0] - parts[2] / 2, parts[0] + parts[2] / 2)
      (top, bottom) = (parts[1] - parts[3] / 2, parts[1] + parts[3] / 2)
    }

    /// Intersection over union; NaN for two empty boxes.
    func overlap(_ other: Box) -> Double {
      let width = max(0, min(right, other.right) - max(left, other.left))
      let height = max(0, min(bottom, other.bottom) - max(top, other.top))
      // In range: numbers in double precision.
      let intersection = width * height
      let areas = (right - left) * (bottom - top) + (other.right - other.left) * (other.bottom - other.top)
      return intersection / (areas - intersection)
    }
  }

  /// The elements of an array and its number of rows.
  private func matrix(_ features: [String: ModelValue], _ name: String, columns: Int?) throws -> ([Double], Int) {
    guard case .tensor(let tensor)? = features[name] else { throw MartletError.mismatch(name, "an array", features[name]) }
    let shape = tensor.shape
    guard shape.count >= 2, shape.dropLast(2).allSatisfy({ $0 == 1 }), columns == nil || shape.last == columns else {
      throw MartletError.invalidInput(
        "the feature \(name) is not a matrix" + (columns.map { " of \($0) columns" } ?? ""), found: "\(shape)")
    }
    return (tensor.host.numbers, shape[shape.count - 2])
  }

  /// A matrix whose last rows are zeros.
  /// - Throws: `AllocationError` if it exceeds the budget.
  private func tensor(_ values: [Double], rows: Int, columns: Int) throws -> ModelValue {
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: [rows, columns]) else { throw AllocationError(byteCount: .max) }
    // Charged for the time of the call: afterwards the matrix is the caller's.
    try memory.charge(byteCount)
    defer { memory.refund(byteCount) }
    let storage = try TensorStorage.zeroed(allocating: byteCount)
    unsafe values.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      unsafe copyElements(
        shape: [values.count], from: base, ElementPlacement(.float64, strides: [1]), to: storage.pointer,
        ElementPlacement(dtype, strides: [1]))
    }
    return .tensor(Tensor(HostTensor(dtype: dtype, shape: [rows, columns], storage: storage)))
  }
}

extension ArrayFeature {
  /// The numbers of rows that a matrix may have; nil if the declaration leaves them open.
  fileprivate var rowCounts: SizeRange? {
    switch flexibility {
    case .ranges(let ranges): return ranges.count == 2 ? ranges[0] : nil
    case .fixed: return shape.count == 2 ? SizeRange(lowerBound: shape[0], upperBound: shape[0]) : nil
    case .enumerated(let shapes):
      let rows = shapes.filter { $0.count == 2 }.map { $0[0] }
      guard let least = rows.min(), let most = rows.max() else { return nil }
      return SizeRange(lowerBound: least, upperBound: most)
    }
  }
}
