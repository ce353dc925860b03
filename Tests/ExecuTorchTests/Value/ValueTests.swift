import ExecuTorch
import Testing

/// Values, what they hold and what they say about it.
struct ValueTests {
  private static func all() -> [(Value, ValueTag)] {
    [
      (Value(), .none), (Value(Tensor([1, 2])), .tensor), (Value(AnyTensor(3)), .tensor), (Value("text"), .string),
      (Value(true), .boolean), (Value(7), .integer), (Value(2.5), .double), (Value(Float(2.5)), .double),
    ]
  }

  @Test func `each value has one tag and the predicates agree`() {
    for (value, tag) in ValueTests.all() {
      #expect(value.tag == tag)
      #expect(value.isNone == (tag == .none))
      #expect(value.isTensor == (tag == .tensor))
      #expect(value.isString == (tag == .string))
      #expect(value.isBoolean == (tag == .boolean))
      #expect(value.isInteger == (tag == .integer))
      #expect(value.isDouble == (tag == .double))
      #expect(value.isFloat == (tag == .double))
      #expect(value.isScalar == [.boolean, .integer, .double].contains(tag))
    }
    #expect(ValueTag.none.rawValue == 0 && ValueTag.tensor.rawValue == 1 && ValueTag.string.rawValue == 2)
    #expect(ValueTag.double.rawValue == 3 && ValueTag.integer.rawValue == 4 && ValueTag.boolean.rawValue == 5)
  }

  @Test func `what a value does not hold is nil, false or zero`() {
    for (value, tag) in ValueTests.all() {
      if tag != .tensor { #expect(value.anyTensor == nil) }
      if tag != .string { #expect(value.string == nil) }
      if !value.isScalar { #expect(value.scalar == nil) }
      if tag != .boolean { #expect(value.boolean == false) }
      if tag != .integer { #expect(value.integer == 0) }
      if tag != .double { #expect(value.double == 0 && value.float == 0) }
    }
  }

  @Test func `what a value holds comes back`() {
    let tensor = Tensor([1, 2])
    #expect(Value(tensor).anyTensor === tensor.anyTensor)
    let same: Tensor<Int>? = Value(tensor).tensor()
    let other: Tensor<Float>? = Value(tensor).tensor()
    #expect(same == tensor && other == nil)
    #expect(Value("text").string == "text")
    #expect(Value(true).boolean && !Value(false).boolean)
    #expect(Value(Int.min).integer == Int.min)
    #expect(Value(0.1).double == 0.1)
    #expect(Value(Float(0.1)).float == 0.1)
    #expect(Value(Float(0.1)).double == Double(Float(0.1)))
    #expect(Value(7).scalar == 7 && Value(2.5).scalar == 2.5 && Value(true).scalar?.boolValue == true)
  }

  @Test func `number objects keep what they were made from`() {
    for boolean in [true as NSNumber, false as NSNumber, NSNumber(value: true), NSNumber(booleanLiteral: false)] {
      #expect(Value(boolean).tag == .boolean)
      #expect(Value(boolean).boolean == boolean.boolValue)
    }
    let integers = [
      0 as NSNumber, 1 as NSNumber, NSNumber(value: Int8(100)), NSNumber(value: Int8(0)), NSNumber(value: UInt8(200)),
      NSNumber(value: UInt8(1)), NSNumber(value: Int16(1000)), NSNumber(value: UInt16(1)), NSNumber(value: Int32(-5)),
      NSNumber(value: UInt32.max), NSNumber(value: Int64.min), NSNumber(value: Int.max), NSNumber(value: UInt(5)),
    ]
    for integer in integers {
      #expect(Value(integer).tag == .integer)
      #expect(Value(integer).integer == integer.intValue)
    }
    for real in [2.5 as NSNumber, NSNumber(value: 1.0), NSNumber(value: 0.0), NSNumber(value: Float(1)), NSNumber(value: Double.nan)] {
      #expect(Value(real).tag == .double)
    }
    #expect(Value(NSNumber(value: UInt64.max)).tag == .integer)
    #expect(Value(NSNumber(value: UInt64.max)).scalar?.uint64Value == UInt64.max)
    #expect(Value(NSNumber(value: Float(0.1))).float == 0.1)
  }

  @Test func `tag and contents decide equality`() {
    let values = ValueTests.all().map(\.0)
    let again = ValueTests.all().map(\.0)
    for (index, value) in values.enumerated() {
      #expect(value == again[index])
      #expect(value.isEqual(again[index]) && value.isEqual(to: again[index]))
      #expect(value.hash == again[index].hash)
    }
    #expect(Value(1) != Value(true))
    #expect(Value(1) != Value(1.0))
    #expect(Value(0) != Value())
    #expect(Value("1") != Value(1))
    #expect(Value(Tensor([1])) != Value(Tensor([2])))
    #expect(!Value(1).isEqual(nil) && !Value(1).isEqual(1) && !Value().isEqual(to: nil))
    #expect(Set([Value(1), Value(1), Value(true), Value(1.0), Value("1"), Value()]).count == 5)
  }

  @Test func `a copy is equal and a tensor in it has memory of its own`() throws {
    for (value, _) in ValueTests.all() {
      let copy = value.copy()
      #expect(copy == value && copy !== value)
      #expect((value as NSObject).copy() as? Value == value)
    }
    let tensor = Tensor([1, 2])
    let copy: Tensor<Int> = try #require(Value(tensor).copy().tensor())
    unsafe tensor.withUnsafeMutableBytes { unsafe $0[0] = 9 }
    #expect(copy.scalars() == [1, 2])
  }

  @Test func `descriptions name tag and contents`() {
    #expect(Value().description == "Value {\n  tag: none,\n  value: nil\n}")
    #expect(Value("a\nb").description == "Value {\n  tag: string,\n  value: a\n  b\n}")
    #expect(Value(7).description == "Value {\n  tag: integer,\n  value: 7\n}")
    #expect(Value(2.5).description == "Value {\n  tag: double,\n  value: 2.5\n}")
    #expect(Value(true).description == "Value {\n  tag: boolean,\n  value: 1\n}")
    #expect("\(Value(Tensor([1, 2])))".contains("value: Tensor {\n    dataType: long,\n    shape: [2],"))
  }

  @Test func `the names of the contents' types are usable`() {
    let scalar: ScalarValue = 1
    let string: StringValue = ""
    let boolean: BoolValue = true
    let integer: IntegerValue = 1
    let double: DoubleValue = 1
    let float: FloatValue = 1
    #expect(
      [Value(scalar), Value(string), Value(boolean), Value(integer), Value(double), Value(float)].map(\.tag) == [
        .integer, .string, .boolean, .integer, .double, .double,
      ])
  }
}
