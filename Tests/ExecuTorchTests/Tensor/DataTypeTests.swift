import MartletTensor
import Testing

import ExecuTorch

/// Data types as numbers, as sizes and as the engine's types.
struct DataTypeTests {
  @Test func `raw values are those of the file format`() {
    let expected: [(DataType, Int8)] = [
      (.byte, 0), (.char, 1), (.short, 2), (.int, 3), (.long, 4), (.half, 5), (.float, 6), (.double, 7), (.complexHalf, 8),
      (.complexFloat, 9), (.complexDouble, 10), (.bool, 11), (.qInt8, 12), (.quInt8, 13), (.qInt32, 14), (.bFloat16, 15),
      (.quInt4x2, 16), (.quInt2x4, 17), (.bits1x8, 18), (.bits2x4, 19), (.bits4x2, 20), (.bits8, 21), (.bits16, 22),
      (.float8_e5m2, 23), (.float8_e4m3fn, 24), (.float8_e5m2fnuz, 25), (.float8_e4m3fnuz, 26), (.uInt16, 27), (.uInt32, 28),
      (.uInt64, 29), (.undefined, 30), (.numOptions, 31),
    ]
    for (type, rawValue) in expected {
      #expect(type.rawValue == rawValue)
      #expect(DataType(rawValue: rawValue) == type)
    }
    #expect(ShapeDynamism.static.rawValue == 0)
    #expect(ShapeDynamism.dynamicBound.rawValue == 1)
    #expect(ShapeDynamism.dynamicUnbound.rawValue == 2)
  }

  @Test func `every type of elements has a size`() {
    let bySize: [Int: [DataType]] = [
      1: [
        .byte, .char, .bool, .qInt8, .quInt8, .quInt4x2, .quInt2x4, .bits1x8, .bits2x4, .bits4x2, .bits8, .float8_e5m2,
        .float8_e4m3fn, .float8_e5m2fnuz, .float8_e4m3fnuz,
      ],
      2: [.short, .half, .bFloat16, .bits16, .uInt16],
      4: [.int, .float, .complexHalf, .qInt32, .uInt32],
      8: [.long, .double, .complexFloat, .uInt64],
      16: [.complexDouble],
    ]
    #expect(bySize.values.joined().count == 30)
    for (bytes, types) in bySize {
      for type in types { #expect(size(ofDataType: type) == bytes) }
    }
  }

  @Test func `an undefined type has no size`() async {
    await #expect(processExitsWith: .failure) { _ = size(ofDataType: .undefined) }
    await #expect(processExitsWith: .failure) { _ = size(ofDataType: .numOptions) }
  }

  @Test func `the engine's types go to data types of the same size and back`() {
    for dtype in DType.allCases {
      let type = DataType(dtype)
      #expect(type.dtype == dtype)
      #expect(size(ofDataType: type) == dtype.byteCount)
    }
    for rawValue in DataType.byte.rawValue...DataType.numOptions.rawValue {
      guard let type = DataType(rawValue: rawValue), let dtype = type.dtype else { continue }
      #expect(DataType(dtype) == type)
    }
    #expect(DataType.qInt8.dtype == nil)
    #expect(DataType.complexHalf.dtype == nil)
    #expect(DataType.undefined.dtype == nil)
  }

  @Test func `scalars have the data type of their layout`() {
    func expect<T: ExecuTorch.Scalar>(_ scalar: T.Type, _ type: DataType) {
      #expect(T.dataType == type)
      #expect(MemoryLayout<T>.size == size(ofDataType: type))
    }
    expect(UInt8.self, .byte)
    expect(Int8.self, .char)
    expect(Int16.self, .short)
    expect(Int32.self, .int)
    expect(Int64.self, .long)
    expect(Int.self, .long)
    expect(Float.self, .float)
    expect(Double.self, .double)
    expect(Bool.self, .bool)
    expect(UInt16.self, .uInt16)
    expect(UInt32.self, .uInt32)
    expect(UInt64.self, .uInt64)
    expect(UInt.self, .uInt64)
    #expect(UInt64.max.asNSNumber().uint64Value == .max)
    #expect(Float(0.1).asNSNumber().floatValue == 0.1)
    #expect(true.asNSNumber().boolValue)
  }

  @Test func `the element count is the product of the extents`() {
    #expect(elementCount(ofShape: []) == 1)
    #expect(elementCount(ofShape: [2, 3, 4]) == 24)
    #expect(elementCount(ofShape: [7, 0, 2]) == 0)
  }

  @Test func `an element count that does not fit an integer ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = elementCount(ofShape: [Int.max, 2]) }
  }
}
