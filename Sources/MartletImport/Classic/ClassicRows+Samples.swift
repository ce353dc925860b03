import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Support vector machines and nearest neighbours.
extension ClassicRows {
  /// Sums over groups of vectors, for each row of coefficients.
  private func sums(
    _ member: ClassicMember, _ kernel: SupportVectorKernel, _ vectors: SupportVectors, coefficients: NumberTable<Double>, groups: [Int]
  ) throws -> ValueID {
    let x = try inputs(member)
    guard let columns = try columns(x) else { throw CallError("the number of inputs is open") }
    let isSparse = if case .sparse = vectors.storage { true } else { false }
    guard isSparse ? vectors.columnCount <= columns : vectors.count == 0 || vectors.columnCount == columns else {
      throw CallError("the vectors are for \(vectors.columnCount) columns", expected: "\(vectors.columnCount)", found: "\(columns)")
    }
    let rowCount = vectors.count == 0 ? coefficients.isEmpty ? max(groups.count - 1, 1) : 1 : coefficients.count / vectors.count
    let dense = try dense(vectors, columns: columns)
    return intermediate(
      SupportVectorSums(VectorKernel(kernel), groups: groups),
      [x, dense, try constant(coefficients, .float64, shape: [rowCount, vectors.count])],
      try rows(of: x, (Extent(groups.count) * rowCount).clamped))
  }

  /// Numbers as a constant. They stay in the file if they lie in one.
  /// - Parameter dtype: the type of the numbers.
  private func constant<Element>(_ numbers: NumberTable<Element>, _ dtype: DType, shape: [Int]) throws(CallError) -> ValueID {
    let type = TensorType(dtype, shape)
    if let mapped = numbers.mapped {
      return builder.addConstant(try builder.constants.constant(mapped, type: type, strides: Shape.contiguousStrides(shape)))
    }
    return builder.addConstant(Constant(elements: numbers.array, dtype, shape: shape))
  }

  private func dense(_ vectors: SupportVectors, columns: Int) throws(CallError) -> ValueID {
    switch vectors.storage {
    case .dense(let values): return try constant(values, .float64, shape: [vectors.count, columns])
    case .sparse(let rows):
      let size = Extent.product([vectors.count, columns, 8])
      guard let byteCount = size.value, byteCount <= builder.limits.byteCount else {
        throw CallError(
          "\(vectors.count) vectors of \(columns) columns exceed the memory limit", isOverLimit: true,
          expected: "at most \(builder.limits.byteCount) bytes", found: "\(size)")
      }
      var values = [Double](repeating: 0, count: byteCount / 8)
      for row in 0..<vectors.count {
        for entry in rows.starts[row]..<rows.starts[row + 1] {
          // In range: a position in the array.
          values[row * columns + Int(widening: rows.columns[entry])] = rows.values[entry]
        }
      }
      return builder.addConstant(Constant(values, shape: [vectors.count, columns]))
    }
  }

  func add(_ regressor: SupportVectorRegressor, _ member: ClassicMember) throws {
    let sums = try sums(
      member, regressor.kernel, regressor.vectors, coefficients: regressor.coefficients, groups: [regressor.vectors.count])
    try setValue(member, map("offset", sums) { build, x in build.binary(.sub, x[0], build.literal(regressor.rho)) })
  }

  func add(_ classifier: SupportVectorClassifier, _ member: ClassicMember) throws {
    let classes = classifier.labels.count
    guard classes > 1 else { return try addOnlyClass(member) }
    let sums = try sums(
      member, classifier.kernel, classifier.vectors, coefficients: classifier.coefficients, groups: classifier.vectorsPerClass)
    func pairs(_ values: [Double]) -> ValueID { builder.addConstant(Constant(values, shape: [values.count])) }
    let parameters = classifier.probabilities.map { [pairs($0.a), pairs($0.b)] } ?? []
    // With parameters the label is the most probable class, as in libsvm; otherwise the one that wins most pairs.
    let results = intermediate(PairVotes(classCount: classes), [sums, pairs(classifier.rho)] + parameters, try rows(of: sums, classes))
    try setClasses(member, results)
  }

  func add(_ classifier: NearestNeighborsClassifier, _ member: ClassicMember) throws {
    let x = try inputs(member)
    guard classifier.sampleCount > 0 else { return try addOnlyClass(member) }
    try check(x, columns: classifier.dimensionCount)
    let votes = intermediate(
      NearestVotes(
        count: min(classifier.neighborCount, classifier.sampleCount), classCount: classifier.classes.count,
        isWeighted: classifier.weighting == .inverseDistance),
      [
        x, try constant(classifier.samples, .float32, shape: [classifier.sampleCount, classifier.dimensionCount]),
        builder.addConstant(Constant(classifier.sampleClasses, shape: [classifier.sampleCount])),
      ], try rows(of: x, classifier.classes.count))
    try setClasses(member, votes)
  }

  /// The result of a classifier with one class, whatever its inputs.
  private func addOnlyClass(_ member: ClassicMember) throws {
    guard let first = member.function.inputs.first else { throw CallError("there is no input") }
    let x = try converted(feature(first.name), to: .float64)
    let column = try columns(x) == 1 ? x : sliced([x], axis: 1, SliceRange(end: .count(.constant(1))))
    try setClasses(member, map("fill", column) { build, _ in build.literal(1) })
  }
}

extension VectorKernel {
  fileprivate init(_ kernel: SupportVectorKernel) {
    self =
      switch kernel {
      case .linear: .linear
      case .rbf(let gamma): .rbf(gamma: gamma)
      case .polynomial(let degree, let c, let gamma): .polynomial(degree: degree, c: c, gamma: gamma)
      case .sigmoid(let gamma, let c): .sigmoid(gamma: gamma, c: c)
      }
  }
}

extension NearestNeighborsClassifier {
  /// The position of each sample's label among the classes.
  fileprivate var sampleClasses: [Int32] {
    func positions<Label: Hashable>(_ labels: [Label], _ classes: [Label]) -> [Int32] {
      let places = Dictionary(zip(classes, Int32(0)...), uniquingKeysWith: { first, _ in first })
      return labels.map { places[$0] ?? 0 }
    }
    switch (sampleLabels, classes) {
    case (.strings(let labels), .strings(let classes)): return positions(labels, classes)
    case (.integers(let labels), .integers(let classes)): return positions(labels, classes)
    default: return [Int32](repeating: 0, count: sampleCount)
    }
  }
}
