import MartletVocabulary
import Testing

/// Functions have the numbers in Swift that the C kernels' tables give them.
struct FunctionCodeTests {
  private let header: String

  init() throws { header = try Sources.text("Sources/CMartletKernels/include/martlet_pointwise.h") }

  /// The names in a table of the header, in order.
  private func names(_ table: String) throws -> [String] {
    let start = try #require(header.firstRange(of: "#define \(table)(X)")).upperBound
    let end = try #require(header[start...].firstRange(of: "\n\n")).lowerBound
    return header[start..<end].matches(of: /X\(\w+, (\w+),/).map { String($0.1) }
  }

  @Test func `functions of one element`() throws {
    #expect(UnaryFunction.all.map(\.name) == (try names("MK_UNARY_OPS")))
    #expect(UnaryFunction.all.map { Int($0.code) } == Array(UnaryFunction.all.indices))
  }

  @Test func `functions of two elements`() throws {
    #expect(BinaryFunction.all.map(\.name) == (try names("MK_BINARY_OPS")))
    #expect(BinaryFunction.all.map { Int($0.code) } == Array(BinaryFunction.all.indices))
  }

  @Test func `functions of three elements`() throws {
    #expect(TernaryFunction.all.map(\.name) == (try names("MK_TERNARY_OPS")))
    #expect(TernaryFunction.all.map { Int($0.code) } == Array(TernaryFunction.all.indices))
  }
}
