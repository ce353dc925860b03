import CoreML
import Testing

/// Feature values, providers, sequences and batches.
struct FeatureValueTests {
  private func pixelBuffer() throws -> CVPixelBuffer {
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 2, 3, kCVPixelFormatType_32BGRA, nil, &created)
    return try #require(created)
  }

  @Test func `each value has its type, and other types' values are empty`() throws {
    let buffer = try pixelBuffer()
    let array = try MLMultiArray([1, 2])
    let values: [(MLFeatureValue, MLFeatureType)] = [
      (MLFeatureValue(int64: 7), .int64), (MLFeatureValue(double: 2.5), .double), (MLFeatureValue(string: "text"), .string),
      (MLFeatureValue(pixelBuffer: buffer), .image), (MLFeatureValue(multiArray: array), .multiArray),
      (MLFeatureValue(shapedArray: MLShapedArray<Float>(scalar: 1)), .multiArray),
      (try MLFeatureValue(dictionary: ["a": 1]), .dictionary), (MLFeatureValue(sequence: MLSequence(strings: ["a"])), .sequence),
      (MLFeatureValue(undefined: .image), .image),
    ]
    for (value, type) in values {
      #expect(value.type == type && value.isUndefined == (value === values.last!.0))
      #expect(value.int64Value == (type == .int64 ? 7 : 0))
      #expect(value.doubleValue == (type == .double ? 2.5 : 0))
      #expect(value.stringValue == (type == .string ? "text" : ""))
      #expect((value.multiArrayValue != nil) == (type == .multiArray))
      #expect((value.imageBufferValue == buffer) == (type == .image && !value.isUndefined))
      #expect(value.dictionaryValue == (type == .dictionary ? ["a": 1] : [:]))
      #expect((value.sequenceValue != nil) == (type == .sequence))
      #expect(value.copy() as? MLFeatureValue === value)
    }
    #expect(values[4].0.multiArrayValue === array)
    let types: [MLFeatureType] = [.invalid, .int64, .double, .string, .image, .multiArray, .dictionary, .sequence, .state]
    #expect((0...8).map { MLFeatureType(rawValue: $0) } == types)
  }

  @Test func `a shaped array comes back as itself and as one multi-array`() {
    let shaped = MLShapedArray<Float>(scalars: [1, 2, 3], shape: [3])
    let value = MLFeatureValue(shapedArray: shaped)
    #expect(value.shapedArrayValue(of: Float.self) == shaped && value.shapedArrayValue(of: Int32.self) == nil)
    let array = value.multiArrayValue
    #expect(array?[2] == 3 && value.multiArrayValue === array)
    #expect(MLFeatureValue(multiArray: array!).shapedArrayValue(of: Float.self) == shaped)
    #expect(MLFeatureValue(multiArray: array!).shapedArrayValue(of: Double.self) == nil)
    #expect(value == MLFeatureValue(multiArray: array!))
  }

  @Test func `dictionaries have keys of one kind`() throws {
    #expect(try MLFeatureValue(dictionary: [1: 0.5, 2: 0.25]).dictionaryValue[2] == 0.25)
    #expect(throws: MLModelError.self) { try MLFeatureValue(dictionary: [1: 1, "a": 2]) }
    #expect(throws: MLModelError.self) { try MLFeatureValue(dictionary: [1.5: 1]) }
    let classes = try MLFeatureValue(dictionary: ["cat": 0.5]).dictionaryValue as! [String: Double]
    #expect(classes == ["cat": 0.5])
  }

  @Test func `equal values are equal and hash alike`() throws {
    func both(_ make: () throws -> MLFeatureValue, _ other: MLFeatureValue) rethrows {
      let (first, second) = (try make(), try make())
      #expect(first == second && first.hash == second.hash && first.isEqual(to: second) && first != other)
    }
    both({ MLFeatureValue(int64: 1) }, MLFeatureValue(double: 1))
    both({ MLFeatureValue(string: "a") }, MLFeatureValue(string: "b"))
    both(
      { MLFeatureValue(shapedArray: MLShapedArray<Float>(repeating: 1, shape: [2])) },
      MLFeatureValue(shapedArray: MLShapedArray<Float>(repeating: 1, shape: [1, 2])))
    try both({ try MLFeatureValue(dictionary: ["a": 1]) }, MLFeatureValue(undefined: .dictionary))
    both({ MLFeatureValue(sequence: MLSequence(strings: ["a"])) }, MLFeatureValue(sequence: MLSequence(empty: .string)))
    #expect(MLFeatureValue(double: 2.5).description == "Double : 2.5")
  }

  @Test func `archived values come back`() throws {
    let values = [
      MLFeatureValue(int64: 7), MLFeatureValue(double: 2.5), MLFeatureValue(string: "text"),
      MLFeatureValue(multiArray: try MLMultiArray([1, 2])),
      try MLFeatureValue(dictionary: ["a": 1, "b": 2.5]), try MLFeatureValue(dictionary: [3: 1]),
      MLFeatureValue(sequence: MLSequence(int64s: [1, 2])), MLFeatureValue(undefined: .string),
    ]
    for value in values {
      let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLFeatureValue.self, from: data) == value)
    }
    let provider = try MLDictionaryFeatureProvider(dictionary: ["a": 1, "b": "text"])
    let data = try NSKeyedArchiver.archivedData(withRootObject: provider, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: MLDictionaryFeatureProvider.self, from: data) == provider)
  }

  @Test func `providers with the same, fewer and other names keep their own values`() throws {
    // More sets of names than are remembered, each several times.
    for round in 0..<3 {
      for count in 0..<8 {
        for prefix in ["a", "b"] {
          let entries = (0..<count).map { ("\(prefix)\($0)", Double(round * 100 + $0)) }
          let provider = try MLDictionaryFeatureProvider(dictionary: Dictionary(uniqueKeysWithValues: entries))
          #expect(provider.featureNames == Set(entries.map(\.0)))
          #expect(provider.dictionary == Dictionary(uniqueKeysWithValues: entries.map { ($0, MLFeatureValue(double: $1)) }))
          for (name, number) in entries { #expect(provider[name]?.doubleValue == number) }
          #expect(provider["\(prefix)\(count)"] == nil)
        }
      }
    }
  }

  @Test func `a provider takes raw values of every kind`() throws {
    let array = try MLMultiArray([1, 2])
    let buffer = try pixelBuffer()
    let provider = try MLDictionaryFeatureProvider(dictionary: [
      "value": MLFeatureValue(int64: 1), "array": array, "image": buffer, "text": "t", "double": 3.0, "float": Float(1.5), "int": 3,
      "bool": true, "number": NSNumber(value: 2.5), "whole": NSNumber(value: 4), "classes": ["a": 0.5], "strings": ["a", "b"],
      "integers": [1, 2],
      "sequence": MLSequence(strings: []), "shaped": MLShapedArray<Int32>(repeating: 1, shape: [2]),
    ])
    func value(_ name: String) -> MLFeatureValue { provider.featureValue(for: name) ?? MLFeatureValue(undefined: .invalid) }
    #expect(provider.featureNames.count == 15 && provider.featureNames == Set(provider.dictionary.keys))
    #expect(value("value").int64Value == 1 && value("array").multiArrayValue === array && value("image").imageBufferValue == buffer)
    #expect(value("text").stringValue == "t" && value("double").doubleValue == 3 && value("float").doubleValue == 1.5)
    #expect(value("double").type == .double && value("int").type == .int64 && value("int").int64Value == 3 && value("bool").int64Value == 1)
    #expect(value("number").doubleValue == 2.5 && value("whole").int64Value == 4 && value("classes").dictionaryValue == ["a": 0.5])
    #expect(value("strings").sequenceValue?.stringValues == ["a", "b"] && value("integers").sequenceValue?.int64Values == [1, 2])
    #expect(value("sequence").sequenceValue?.type == .string && value("shaped").multiArrayValue?.count == 2)
    #expect(provider["text"]?.stringValue == "t" && provider["nothing"] == nil && provider.featureValue(for: "nothing") == nil)
    #expect(MLDictionaryFeatureProvider().featureNames.isEmpty)
    #expect {
      try MLDictionaryFeatureProvider(dictionary: ["wrong": Date()])
    } throws: { error in
      (error as? MLModelError)?.code == .featureType && error.localizedDescription.contains("'wrong'")
    }
  }

  @Test func `sequences hold strings or integers`() {
    let strings = MLSequence(strings: ["a", "b"])
    #expect(strings.type == .string && strings.stringValues == ["a", "b"] && strings.int64Values == [])
    let integers = MLSequence(int64s: [1, 2])
    #expect(integers.type == .int64 && integers.int64Values == [1, 2] && integers.stringValues == [])
    #expect(MLSequence(empty: .int64).type == .int64 && MLSequence(strings: []) == MLSequence(empty: .string) && strings != integers)
  }

  @Test func `batches are made of providers or of columns`() throws {
    let batch = try MLArrayBatchProvider(dictionary: ["x": [1, 2, 3], "name": ["a", "b", "c"]])
    #expect(batch.count == 3 && batch.features(at: 1).featureValue(for: "x")?.int64Value == 2)
    #expect(batch.features(at: 2).featureValue(for: "name")?.stringValue == "c")
    #expect(MLArrayBatchProvider(array: [batch.array[0]]).count == 1)
    #expect(throws: MLModelError.self) { try MLArrayBatchProvider(dictionary: ["x": [1, 2], "y": [1]]) }
  }

  @Test func `sendable values go to feature values and back`() throws {
    func check(_ value: MLSendableFeatureValue, _ type: MLFeatureType, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(value.type == type, sourceLocation: sourceLocation)
      #expect(MLFeatureValue(value).type == type, sourceLocation: sourceLocation)
      #expect(MLSendableFeatureValue(MLFeatureValue(value))?.type == type, sourceLocation: sourceLocation)
    }
    check(MLSendableFeatureValue(3), .int64)
    check(MLSendableFeatureValue(2.5), .double)
    check(MLSendableFeatureValue("a"), .string)
    check(MLSendableFeatureValue(["a", "b"]), .sequence)
    check(MLSendableFeatureValue(Int32(3)), .int64)
    check(MLSendableFeatureValue(Float16(0.5)), .double)
    check(MLSendableFeatureValue(Float(0.5)), .double)
    check(MLSendableFeatureValue(["a": 1]), .dictionary)
    check(MLSendableFeatureValue(["a": 0.5]), .dictionary)
    check(MLSendableFeatureValue([1: 2]), .dictionary)
    check(MLSendableFeatureValue([1: 0.5]), .dictionary)
    check(MLSendableFeatureValue(MLShapedArray<Float>(scalar: 2)), .multiArray)
    check(MLSendableFeatureValue(undefined: .image), .image)
    #expect(MLSendableFeatureValue(3).integerValue == 3 && MLSendableFeatureValue(3).doubleValue == nil)
    #expect(MLSendableFeatureValue(3).isScalar)
    #expect(MLSendableFeatureValue(Float16(1.5)).floatValue == 1.5 && MLSendableFeatureValue(Float(0.5)).float16Value == 0.5)
    #expect(MLSendableFeatureValue(["a", "b"]).stringArrayValue == ["a", "b"] && !MLSendableFeatureValue(["a"]).isScalar)
    #expect(MLSendableFeatureValue(["a": 1]).stringDictionaryValue == ["a": 1])
    #expect(MLSendableFeatureValue([1: 0.5]).integerDictionaryValue == [1: 0.5])
    #expect(MLSendableFeatureValue(try MLFeatureValue(dictionary: [1: 2]))?.integerDictionaryValue == [1: 2])
    let array = MLSendableFeatureValue(MLShapedArray<Float>(repeating: 2, shape: [2]))
    #expect(array.isShapedArray && array.shapedArrayValue(of: Float.self)?.scalars == [2, 2])
    #expect(array.shapedArrayValue(of: Int32.self) == nil)
    #expect(array == MLSendableFeatureValue(MLShapedArray<Float>(repeating: 2, shape: [2])) && array != MLSendableFeatureValue(2.0))
    #expect(MLSendableFeatureValue(undefined: .string).isUndefined && !MLSendableFeatureValue(1).isUndefined)
    #expect(MLSendableFeatureValue("text").stringValue == "text" && MLSendableFeatureValue(1).stringValue == nil)
    #expect(MLSendableFeatureValue(2.5).debugDescription.contains("2.5"))
    #expect(MLSendableFeatureValue(MLFeatureValue(pixelBuffer: try pixelBuffer())) == nil)
  }
}
