package import MartletTensor

/// Elementwise differences between an actual and an expected tensor of the same dtype and shape.
package struct TensorComparison: Sendable, Equatable {
  /// Number of elements outside the tolerance.
  package private(set) var differingCount = 0
  package let elementCount: Int
  /// The first element outside the tolerance in row-major order, with both values as text.
  package private(set) var firstDifference: Difference?
  /// The largest `|a - b|` over all elements; infinite if a NaN or an infinity does not match.
  package private(set) var maximumAbsoluteError = 0.0
  /// The mean of `|a - b|`; 0 for an empty tensor.
  package private(set) var meanAbsoluteError = 0.0
  /// The cosine of the angle between the tensors as vectors; 1 if both are zero or empty. Not computed, but set to 1, if the bytes are
  /// identical; NaN if an element is not finite.
  package private(set) var cosine = 1.0

  package struct Difference: Sendable, Equatable {
    package var index: [Int]
    package var actual: String
    package var expected: String
  }

  /// - Precondition: both tensors have the same dtype and shape.
  package init(actual: HostTensor, expected: HostTensor, tolerance: Tolerance) {
    precondition(actual.dtype == expected.dtype && actual.shape == expected.shape)
    elementCount = expected.elementCount
    if actual.bytes == expected.bytes { return }
    switch (actual.elements, expected.elements) {
    case (.floating(let a), .floating(let b)): compare(a, b, shape: expected, tolerance: tolerance)
    case (.complex(let a), .complex(let b)): compareComplex(a, b, shape: expected, tolerance: tolerance)
    case (.signed(let a), .signed(let b)):
      let steps = expected.dtype == .int8 ? UInt64(clamping: tolerance.quantizationSteps) : 0
      compare(a, b, shape: expected, steps: steps, isBoolean: expected.dtype == .bool)
    case (.unsigned(let a), .unsigned(let b)):
      let steps = expected.dtype == .uint8 ? UInt64(clamping: tolerance.quantizationSteps) : 0
      compare(a, b, shape: expected, steps: steps, isBoolean: false)
    default: preconditionFailure("one dtype has one kind of elements")
    }
  }

  private mutating func note(_ position: Int, _ tensor: HostTensor, _ actual: String, _ expected: String) {
    differingCount += 1
    if firstDifference == nil {
      firstDifference = Difference(index: tensor.index(ofElement: position), actual: actual, expected: expected)
    }
  }

  private mutating func compare(_ a: [Double], _ b: [Double], shape: HostTensor, tolerance: Tolerance) {
    var sum = 0.0
    for position in b.indices {
      if !tolerance.accepts(a[position], b[position]) {
        note(position, shape, "\(a[position])", "\(b[position])")
      }
      let error = Self.error(a[position], b[position])
      maximumAbsoluteError = max(maximumAbsoluteError, error)
      sum += error
    }
    meanAbsoluteError = b.isEmpty ? 0 : sum / Double(b.count)
    cosine = Self.cosine(a, b)
  }

  /// Complex numbers are compared by the modulus of their difference; if a part is not finite, part by part.
  private mutating func compareComplex(_ a: [Double], _ b: [Double], shape: HostTensor, tolerance: Tolerance) {
    func text(_ parts: [Double], _ start: Int) -> String { "(\(parts[start]), \(parts[start + 1]))" }
    var sum = 0.0
    for position in 0..<b.count / 2 {
      let real = 2 * position
      let parts = [a[real], a[real + 1], b[real], b[real + 1]]
      let error: Double
      let agrees: Bool
      if parts.allSatisfy(\.isFinite) {
        error = Self.modulus(parts[0] - parts[2], parts[1] - parts[3])
        agrees = error <= tolerance.absolute + tolerance.relative * Self.modulus(parts[2], parts[3])
      } else {
        error = max(Self.error(parts[0], parts[2]), Self.error(parts[1], parts[3]))
        agrees = tolerance.accepts(parts[0], parts[2]) && tolerance.accepts(parts[1], parts[3])
      }
      if !agrees { note(position, shape, text(a, real), text(b, real)) }
      maximumAbsoluteError = max(maximumAbsoluteError, error)
      sum += error
    }
    meanAbsoluteError = b.isEmpty ? 0 : sum / Double(b.count / 2)
    cosine = Self.cosine(a, b)
  }

  private mutating func compare<Integer: FixedWidthInteger>(
    _ a: [Integer], _ b: [Integer], shape: HostTensor, steps: UInt64, isBoolean: Bool
  ) {
    var sum = 0.0
    for position in b.indices where a[position] != b[position] {
      let (lower, upper) = (min(a[position], b[position]), max(a[position], b[position]))
      let distance = UInt64(truncatingIfNeeded: upper) &- UInt64(truncatingIfNeeded: lower)
      if distance > steps {
        func text(_ value: Integer) -> String { isBoolean ? "\(value != 0)" : "\(value)" }
        note(position, shape, text(a[position]), text(b[position]))
      }
      maximumAbsoluteError = max(maximumAbsoluteError, Double(distance))
      sum += Double(distance)
    }
    meanAbsoluteError = b.isEmpty ? 0 : sum / Double(b.count)
    cosine = Self.cosine(a.map { Double($0) }, b.map { Double($0) })
  }

  /// `|a - b|`; 0 for two NaNs and for equal infinities.
  private static func error(_ a: Double, _ b: Double) -> Double {
    if a == b || (a.isNaN && b.isNaN) { return 0 }
    return a.isFinite && b.isFinite ? abs(a - b) : .infinity
  }

  private static func modulus(_ real: Double, _ imaginary: Double) -> Double {
    let largest = max(abs(real), abs(imaginary))
    guard largest > 0 else { return 0 }
    let (x, y) = (real / largest, imaginary / largest)
    // In range: floating-point numbers.
    return largest * (x * x + y * y).squareRoot()
  }

  private static func cosine(_ a: [Double], _ b: [Double]) -> Double {
    var (dot, squareA, squareB) = (0.0, 0.0, 0.0)
    for position in b.indices {
      dot += a[position] * b[position]
      squareA += a[position] * a[position]
      squareB += b[position] * b[position]
    }
    if squareA == 0, squareB == 0 { return 1 }
    if squareA == 0 || squareB == 0 { return 0 }
    return dot / (squareA.squareRoot() * squareB.squareRoot())
  }
}

extension TensorComparison {
  /// The failures under the tolerance: elements, cosine, mean error.
  func failures(tolerance: Tolerance, place: String) -> [CaseFailure] {
    var failures: [CaseFailure] = []
    if let firstDifference {
      failures.append(
        CaseFailure(
          .values, place: place,
          "\(differingCount) of \(elementCount) elements differ, the first at \(firstDifference.index): "
            + "\(firstDifference.actual), expected \(firstDifference.expected); largest error \(maximumAbsoluteError)"))
    }
    // Written so that NaN fails.
    if let bound = tolerance.minimumCosine, !(cosine >= bound) {
      failures.append(CaseFailure(.cosine, place: place, "cosine \(cosine), expected at least \(bound)"))
    }
    if let bound = tolerance.meanAbsolute, !(meanAbsoluteError <= bound) {
      failures.append(
        CaseFailure(.meanError, place: place, "mean error \(meanAbsoluteError), expected at most \(bound)"))
    }
    return failures
  }
}
