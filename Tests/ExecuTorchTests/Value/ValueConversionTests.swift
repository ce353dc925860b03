import ExecuTorch
import Testing

/// Swift types to values and back.
struct ValueConversionTests {
  private func values(_ inputs: any ValueConvertible...) -> [Value] { inputs.map { $0.asValue() } }

  /// The code of what `body` throws.
  private func code(_ body: () throws -> Void) -> ErrorCode.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ErrorCode)?.code
    }
  }

  private func roundTrip<T: ValueConvertible & ValueConstructible & ValueSequenceConstructible & Equatable>(
    _ original: T, _ tag: ValueTag, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let value = original.asValue()
    #expect(value.tag == tag, sourceLocation: sourceLocation)
    #expect(try T.from(value) == original, sourceLocation: sourceLocation)
    #expect(try T(value) == original, sourceLocation: sourceLocation)
    #expect(try T.from([value]) == original, sourceLocation: sourceLocation)
    #expect(try T([value]) == original, sourceLocation: sourceLocation)
    #expect(try [T].from([value, value]) == [original, original], sourceLocation: sourceLocation)
  }

  @Test func `every type comes back from its value`() throws {
    try roundTrip(Value("text"), .string)
    try roundTrip(AnyTensor.ones(shape: [2], dataType: .half), .tensor)
    try roundTrip(Tensor<Float>([1, 2]), .tensor)
    try roundTrip("text", .string)
    try roundTrip(true, .boolean)
    try roundTrip(false, .boolean)
    try roundTrip(Float(0.1), .double)
    try roundTrip(0.1, .double)
    try roundTrip(NSNumber(value: 0.5), .double)
    try roundTrip(NSNumber(value: 5), .integer)
    try roundTrip(NSNumber(value: true), .boolean)
    try roundTrip(Int.min, .integer)
    try roundTrip(Int8.min, .integer)
    try roundTrip(Int16.min, .integer)
    try roundTrip(Int32.min, .integer)
    try roundTrip(Int64.min, .integer)
    try roundTrip(UInt8.max, .integer)
    try roundTrip(UInt16.max, .integer)
    try roundTrip(UInt32.max, .integer)
    try roundTrip(UInt64.max, .integer)
    try roundTrip(UInt.max, .integer)
  }

  @Test func `a value of another kind is of the wrong type`() {
    #expect(code { _ = try AnyTensor.from(Value(1)) } == .invalidType)
    #expect(code { _ = try Tensor<Float>.from(Value(1)) } == .invalidType)
    #expect(code { _ = try Tensor<Float>.from(Value(Tensor([1, 2]))) } == .invalidType)
    #expect(code { _ = try String.from(Value(1)) } == .invalidType)
    #expect(code { _ = try Bool.from(Value(1)) } == .invalidType)
    #expect(code { _ = try Float.from(Value(1)) } == .invalidType)
    #expect(code { _ = try Double.from(Value(true)) } == .invalidType)
    #expect(code { _ = try NSNumber.from(Value("1")) } == .invalidType)
    #expect(code { _ = try Int.from(Value("1")) } == .invalidType)
    #expect(code { _ = try Int8.from(Value()) } == .invalidType)
    #expect(code { _ = try Int16.from(Value()) } == .invalidType)
    #expect(code { _ = try Int32.from(Value()) } == .invalidType)
    #expect(code { _ = try Int64.from(Value()) } == .invalidType)
    #expect(code { _ = try UInt8.from(Value()) } == .invalidType)
    #expect(code { _ = try UInt16.from(Value()) } == .invalidType)
    #expect(code { _ = try UInt32.from(Value()) } == .invalidType)
    #expect(code { _ = try UInt64.from(Value()) } == .invalidType)
    #expect(code { _ = try UInt.from(Value(Tensor(1))) } == .invalidType)
  }

  @Test func `integers are taken from numbers of every kind`() throws {
    #expect(try Int(Value(2.9)) == 2)
    #expect(try Int(Value(true)) == 1)
    #expect(try UInt8(Value(300)) == 44)
    #expect(try Int8(Value(200)) == -56)
  }

  @Test func `one value is expected where one is wanted`() {
    #expect(code { _ = try Int.from([Value]()) } == .invalidType)
    #expect(code { _ = try Int.from(values(1, 2)) } == .invalidType)
    #expect(code { _ = try Tensor<Float>(values(Tensor<Float>([1]), Tensor<Float>([1]))) } == .invalidType)
  }

  @Test func `arrays take every value`() throws {
    #expect(try [Int].from(values()) == [])
    #expect(try [Double](values(1.5, 2.5)) == [1.5, 2.5])
    #expect(try [Value].from(values(1, "two")).map(\.tag) == [.integer, .string])
    #expect(try [Tensor<Float>].from(values(Tensor<Float>([1]), Tensor<Float>([2]))).map { $0.scalars() } == [[1], [2]])
    #expect(code { _ = try [Int].from(values(1, "two")) } == .invalidType)
  }

  @Test func `a client's own type can be a value and a sequence of values`() throws {
    struct Celsius: ValueConvertible, ValueConstructible, Equatable {
      var degrees: Double
      func asValue() -> Value { Value(degrees) }
      static func from(_ value: Value) throws -> Celsius { Celsius(degrees: try Double(value)) }
    }
    struct Detection: ValueSequenceConstructible {
      var box: Tensor<Float>
      var score: Double
      static func from(_ values: [Value]) throws -> Detection {
        Detection(box: try Tensor<Float>(values[0]), score: try Double(values[1]))
      }
    }
    #expect(try Celsius(Celsius(degrees: 21.5).asValue()) == Celsius(degrees: 21.5))
    #expect(try [Celsius].from(values(1.0, 2.0)).map(\.degrees) == [1, 2])
    let detection = try Detection(values(Tensor<Float>([1, 2, 3, 4]), 0.5))
    #expect(detection.box.scalars() == [1, 2, 3, 4] && detection.score == 0.5)
  }

  /// Stands for the overloads of a module's `forward`.
  private struct Echo {
    func forward(_ inputs: any ValueConvertible...) throws -> [Value] { inputs.map { $0.asValue() } }
    func forward<Output: ValueSequenceConstructible>(_ inputs: any ValueConvertible...) throws -> Output {
      try Output(inputs.map { $0.asValue() })
    }
  }

  @Test func `outputs become a tensor in one expression`() throws {
    let input = Tensor<Float>([1, 2, 3])
    let output = try Tensor<Float>(Echo().forward(input))
    #expect(output.anyTensor === input.anyTensor)
    let inferred: Tensor<Float> = try Echo().forward(input)
    #expect(inferred == input)
    let numbers: [Int] = try Echo().forward(1, 2)
    #expect(numbers == [1, 2])
  }

  @Test func `a tensor in a value is the same tensor`() throws {
    let tensor = Tensor<Float>([1, 2])
    let back = try Tensor<Float>(Value(tensor))
    unsafe back.withUnsafeMutableBytes { unsafe $0[0] = 7 }
    #expect(tensor.scalars() == [7, 2])
  }
}
