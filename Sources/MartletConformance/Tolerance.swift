/// How far outputs may be from the expected ones.
package struct Tolerance: Sendable, Equatable {
  /// An element `a` passes beside an expected `b` if `|a - b| <= absolute + relative * |b|`.
  package var relative: Double
  package var absolute: Double
  /// The least cosine of the angle between an output and the expected one, as vectors; nil for no bound.
  package var minimumCosine: Double?
  /// The largest mean of `|a - b|` over an output; nil for no bound.
  package var meanAbsolute: Double?
  /// Expected dictionaries list only this many of the largest entries; nil if they list all.
  package var topCount: Int?
  /// Steps that an element of an int8 or uint8 tensor may be off.
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

  /// Whether two numbers agree: within the bounds, both NaN, or the same infinity.
  func accepts(_ actual: Double, _ expected: Double) -> Bool {
    if actual == expected { return true }
    if expected.isNaN { return actual.isNaN }
    // An infinite expectation would make the bound infinite.
    guard actual.isFinite, expected.isFinite else { return false }
    return abs(actual - expected) <= absolute + relative * abs(expected)
  }
}
