/// The allowed difference between actual and expected outputs.
package struct Tolerance: Sendable, Equatable {
  /// An element `a` matches an expected `b` if `|a - b| <= absolute + relative * |b|`.
  package var relative: Double
  package var absolute: Double
  /// Lower bound for the cosine of the angle between an output and the expected one as vectors; nil for no bound.
  package var minimumCosine: Double?
  /// Upper bound for the mean of `|a - b|` over an output; nil for no bound.
  package var meanAbsolute: Double?
  /// Number of largest entries that expected dictionaries list; nil if they list all.
  package var topCount: Int?
  /// Allowed difference of int8 and uint8 elements in quantisation steps.
  package var quantizationSteps: Int

  package init(
    relative: Double = 0, absolute: Double = 0, minimumCosine: Double? = nil, meanAbsolute: Double? = nil,
    topCount: Int? = nil, quantizationSteps: Int = 0
  ) {
    self.relative = relative
    self.absolute = absolute
    self.minimumCosine = minimumCosine
    self.meanAbsolute = meanAbsolute
    self.topCount = topCount
    self.quantizationSteps = quantizationSteps
  }

  init(_ reader: inout CaseReader) throws(CaseError) {
    relative = try reader.bound("rtol") ?? 0
    absolute = try reader.bound("atol") ?? 0
    minimumCosine = try reader.bound("cosine_min")
    meanAbsolute = try reader.bound("mean_atol")
    topCount = try reader.count("top_k")
    quantizationSteps = try reader.count("quantization_steps") ?? 0
  }

  /// Whether two numbers match: within the tolerance, both NaN, or the same infinity.
  func accepts(_ actual: Double, _ expected: Double) -> Bool {
    if actual == expected { return true }
    if expected.isNaN { return actual.isNaN }
    // An infinite expected value would make the bound infinite.
    guard actual.isFinite, expected.isFinite else { return false }
    return abs(actual - expected) <= absolute + relative * abs(expected)
  }
}
