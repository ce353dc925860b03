import Martlet
import MartletConformance
import MartletPixels
import MartletTensor
import Testing

@Suite("Comparing values")
struct CaseComparisonTests {
  private func failures(
    _ actual: HostTensor, _ expected: HostTensor, _ tolerance: Tolerance = Tolerance()
  ) -> [CaseFailure] {
    failures(.tensor(actual, dimOrder: nil), .tensor(expected, dimOrder: nil), tolerance)
  }

  private func failures(_ actual: CaseValue, _ expected: CaseValue, _ tolerance: Tolerance = Tolerance()) -> [CaseFailure] {
    CaseComparison(tolerance: tolerance).failures(actual: actual, expected: expected, place: "output 0")
  }

  @Test("An element passes exactly up to atol + rtol * |expected|")
  func boundary() {
    let tolerance = Tolerance(relative: 0.25, absolute: 0.5)
    #expect(failures(floats([3.0, -3.0]), floats([2.0, -2.0]), tolerance).isEmpty)
    #expect(failures(floats([3.0001]), floats([2.0]), tolerance).map(\.kind) == [.values])
    // The bound belongs to the expected value: the other way round it is 1.25.
    #expect(failures(floats([2.0]), floats([3.1]), tolerance).isEmpty)
    #expect(failures(floats([3.3]), floats([2.0]), tolerance).count == 1)
  }

  @Test("A failure names the count, the first index, both values and the largest error")
  func message() {
    let actual = floats([0, 1, 2, 3.5, 4, 9], shape: [2, 3])
    let expected = floats([0, 1, 2, 3, 4, 5], shape: [2, 3])
    #expect(
      failures(actual, expected).map(\.description) == [
        "output 0: 2 of 6 elements differ, the first at [1, 0]: 3.5, expected 3.0; largest error 4.0"
      ])
  }

  @Test("NaN equals NaN only, and infinities only themselves, whatever the tolerance")
  func notFinite() {
    let loose = Tolerance(relative: 1, absolute: 1e30)
    let values: [Float] = [.nan, .infinity, -.infinity, 1]
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        #expect(failures(floats([a]), floats([b]), loose).isEmpty == (i == j), "\(a) beside \(b)")
      }
    }
    // Two NaNs of different bits are equal too.
    let quiet = tensor(.float32, [1], [UInt32(0x7FC0_0000)])
    let other = tensor(.float32, [1], [UInt32(0xFFC0_0001)])
    #expect(failures(quiet, other).isEmpty)
  }

  @Test("Dtype and shape must match before elements are looked at")
  func dtypeAndShape() {
    #expect(failures(floats([1]), tensor(.float64, [1], [1.0])).map(\.kind) == [.dtype])
    #expect(failures(floats([1], shape: [1]), floats([1], shape: [])).map(\.kind) == [.shape])
    #expect(failures(floats([], shape: [0, 2]), floats([], shape: [2, 0])).map(\.kind) == [.shape])
    #expect(failures(floats([], shape: [0, 2]), floats([], shape: [0, 2])).isEmpty)
  }

  @Test("float16, bfloat16 and float64 elements are decoded")
  func otherFloats() {
    // 1.0 and 1.0 + 2^-10; the smallest subnormal; infinity.
    let half = tensor(.float16, [3], [UInt16(0x3C01), 0x0001, 0x7C00])
    let other = tensor(.float16, [3], [UInt16(0x3C00), 0x0000, 0x7BFF])
    #expect(
      failures(half, other).first?.message
        == "3 of 3 elements differ, the first at [0]: 1.0009765625, expected 1.0; largest error inf")
    let messages = failures(half, other, Tolerance(absolute: 1e-3)).map(\.message)
    #expect(messages == ["1 of 3 elements differ, the first at [2]: inf, expected 65504.0; largest error inf"])
    let brain = tensor(.bfloat16, [1], [UInt16(0xBF81)])
    #expect(
      failures(brain, tensor(.bfloat16, [1], [UInt16(0xBF80)])).first?.message.contains("-1.0078125, expected -1.0") == true)
    #expect(failures(tensor(.float64, [1], [1 + 1e-12]), tensor(.float64, [1], [1.0])).count == 1)
  }

  @Test("Integers and booleans are exact, also beyond the precision of a Double")
  func integers() {
    let loose = Tolerance(relative: 1, absolute: 1e30)
    #expect(
      failures(tensor(.int64, [1], [Int64.max]), tensor(.int64, [1], [Int64.max - 1]), loose).first?.message
        == "1 of 1 elements differ, the first at [0]: 9223372036854775807, expected 9223372036854775806; largest error 1.0")
    #expect(failures(tensor(.int64, [1], [Int64.max]), tensor(.int64, [1], [Int64.min]), loose).count == 1)
    #expect(failures(tensor(.uint64, [1], [UInt64.max]), tensor(.uint64, [1], [UInt64.max - 1]), loose).count == 1)
    #expect(failures(tensor(.int16, [2], [Int16(1), -1]), tensor(.int16, [2], [Int16(1), -1]), loose).isEmpty)
    #expect(
      failures(tensor(.bool, [2], [UInt8(1), 0]), tensor(.bool, [2], [UInt8(1), 1]), loose).first?.message
        .contains("at [1]: false, expected true") == true)
  }

  @Test("8-bit elements may be steps off only where the case says so")
  func quantizationSteps() {
    let oneStep = Tolerance(quantizationSteps: 1)
    let a = tensor(.int8, [2], [Int8(-128), 5])
    let b = tensor(.int8, [2], [Int8(-127), 4])
    #expect(failures(a, b).count == 1)
    #expect(failures(a, b, oneStep).isEmpty)
    #expect(failures(tensor(.uint8, [1], [UInt8(3)]), tensor(.uint8, [1], [UInt8(5)]), oneStep).count == 1)
    #expect(failures(tensor(.int32, [1], [Int32(3)]), tensor(.int32, [1], [Int32(4)]), oneStep).count == 1)
  }

  @Test("Complex elements agree by the modulus, and part by part where one is not finite")
  func complex() {
    let tolerance = Tolerance(absolute: 1)
    let expected = tensor(.complex64, [1], [Float(0), 0])
    #expect(failures(tensor(.complex64, [1], [Float(0.5), 0.8]), expected, tolerance).isEmpty)
    #expect(failures(tensor(.complex64, [1], [Float(0.9), 0.9]), expected, tolerance).count == 1)
    let infinite = tensor(.complex128, [1], [Double.infinity, 1])
    #expect(failures(tensor(.complex128, [1], [Double.infinity, 1.5]), infinite, tolerance).isEmpty)
    #expect(failures(tensor(.complex128, [1], [-Double.infinity, 1]), infinite, tolerance).count == 1)
  }

  @Test("The cosine and the mean error are bounded in addition")
  func cosineAndMean() {
    let expected = floats([1, 0])
    let loose = Tolerance(absolute: 10)
    var tolerance = loose
    tolerance.minimumCosine = 0.8
    #expect(failures(floats([4, 3]), expected, tolerance).isEmpty)
    #expect(failures(floats([3, 4]), expected, tolerance).map(\.kind) == [.cosine])
    #expect(failures(floats([0, 0]), expected, tolerance).map(\.kind) == [.cosine])
    #expect(failures(floats([.nan, 0]), floats([.nan, 1]), tolerance).map(\.kind) == [.cosine])
    tolerance = loose
    tolerance.meanAbsolute = 0.5
    #expect(failures(floats([2, 0]), expected, tolerance).isEmpty)
    #expect(failures(floats([2, 0.5]), expected, tolerance).map(\.kind) == [.meanError])
  }

  @Test("Single values are compared by kind")
  func singleValues() {
    #expect(failures(.int(3), .int(3)).isEmpty)
    #expect(failures(.int(3), .int(4)).map(\.kind) == [.values])
    #expect(failures(.int(3), .double(3)).map(\.kind) == [.valueKind])
    #expect(failures(.double(1.05), .double(1), Tolerance(absolute: 0.1)).isEmpty)
    #expect(failures(.double(1.2), .double(1), Tolerance(absolute: 0.1)).count == 1)
    #expect(failures(.double(.nan), .double(.nan)).isEmpty)
    #expect(failures(.bool(true), .bool(false)).count == 1)
    #expect(failures(.string("a"), .string("b")).first?.message == "\"a\", expected \"b\"")
    #expect(failures(.none, .none).isEmpty)
    #expect(failures(.none, .int(0)).map(\.kind) == [.valueKind])
    #expect(failures(.list([.int(1), .int(2)]), .list([.int(1), .int(3)])).map(\.place) == ["output 0[1]"])
    #expect(failures(.list([.int(1)]), .list([])).map(\.kind) == [.shape])
  }

  @Test("Dictionaries have the same keys, unless only the largest are listed")
  func dictionaries() {
    func byString(_ values: [String: Double]) -> CaseValue { .dictionary(.byString(values)) }
    let expected = byString(["cat": 0.7, "dog": 0.2])
    #expect(failures(expected, expected).isEmpty)
    #expect(failures(byString(["cat": 0.7]), expected).first?.message == "dog is missing")
    let more = byString(["cat": 0.7, "dog": 0.2, "eel": 0.1])
    #expect(failures(more, expected).first?.message == "eel is not expected")
    #expect(failures(more, expected, Tolerance(topCount: 2)).isEmpty)
    let larger = byString(["cat": 0.7, "dog": 0.2, "eel": 0.25])
    #expect(failures(larger, expected, Tolerance(topCount: 2)).count == 1)
    #expect(failures(larger, expected, Tolerance(absolute: 0.06, topCount: 2)).isEmpty)
    #expect(failures(.dictionary(.byInteger([1: 1])), byString(["1": 1])).map(\.kind) == [.valueKind])
    #expect(
      failures(.dictionary(.byInteger([1: 1, 2: 5])), .dictionary(.byInteger([1: 2, 2: 6]))).first?.message
        == "1: 1.0, expected 2.0 (and 1 more)")
  }

  @Test("Pictures agree sample by sample")
  func images() throws {
    let a = try #require(Image(width: 2, height: 2, format: .gray8, pixels: [0, 1, 2, 3]))
    let b = try #require(Image(width: 2, height: 2, format: .gray8, pixels: [0, 1, 4, 4]))
    #expect(failures(.image(a), .image(a)).isEmpty)
    #expect(
      failures(.image(a), .image(b), Tolerance(absolute: 1)).first?.message
        == "1 of 4 samples differ, the first in row 1, column 0: 2, expected 4")
    #expect(failures(.image(a), .image(a.converted(to: .rgb8))).map(\.kind) == [.dtype])
  }

  @Test("Random outputs are tested for their distribution, not their values")
  func distributions() {
    let count = 2000
    // The quantiles of the distributions themselves.
    let uniform = (0..<count).map { (Float($0) + 0.5) / Float(count) }
    // The sum of twelve uniform samples is nearly normal.
    let normal = (0..<count).map { index -> Float in
      var sum: Float = -6
      for term in 0..<12 {
        let step: Int = term &* 613 &* (index % 97 + 1)
        sum += uniform[(index &* 7919 &+ step) % count]
      }
      return sum
    }
    let zeros = floats([Float](repeating: 0, count: count))
    func check(_ values: [Float], _ distribution: RecordedCase.Distribution) -> [CaseFailure.Kind] {
      CaseComparison(tolerance: Tolerance(), distribution: distribution).failures(
        actual: .tensor(floats(values), dimOrder: nil), expected: .tensor(zeros, dimOrder: nil), place: "output 0"
      ).map(\.kind)
    }
    #expect(check(uniform, .uniform01).isEmpty)
    #expect(check(uniform.map { $0 * 0.5 }, .uniform01) == [.distribution])
    #expect(check(uniform.map { $0 + 0.01 }, .uniform01) == [.distribution])
    #expect(check([Float](repeating: 0.5, count: count), .uniform01) == [.distribution])
    #expect(check(uniform, .normal01) == [.distribution])
    #expect(check(normal, .normal01).isEmpty)
    #expect(check(normal.map { $0 * 2 }, .normal01) == [.distribution])
    #expect(check([.nan] + normal.dropFirst(), .normal01) == [.distribution])
    #expect(check(Array(uniform.dropLast()), .uniform01) == [.shape])
  }
}
