import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct ArrayModelTests {
  private static let scaler = Sample.model([.array("x", 3)], [.array("y", 3)]) {
    $0.scaler.shiftValue = [1, 2, 3]
    $0.scaler.scaleValue = [4]
  }

  private static let imputer = Sample.model([.array("x", 2)], [.array("y", 2)]) {
    $0.imputer.imputedDoubleArray.vector = [0.5, 1.5]
    $0.imputer.replaceDoubleValue = -1
  }

  private static let extractor = Sample.model([.array("x", 2, 3)], [.array("y", 2)]) {
    $0.arrayFeatureExtractor.extractIndex = [5, 0]
  }

  private func imputer(_ input: Feature, _ output: Feature, _ fill: (inout SpecImputer) -> Void) throws -> Imputer {
    let message = Sample.model([input], [output]) { fill(&$0.imputer) }
    guard case .imputer(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
    return model
  }

  @Test func `A scaler has shifts and scales`() throws {
    guard case .scaler(let model) = try Sample.classic(Self.scaler) else { throw Sample.OtherKind() }
    #expect(model.shifts == [1, 2, 3] && model.scales == [4])
    let number = Sample.model([.int64("x")], [.double("y")]) { $0.scaler.shiftValue = [1] }
    guard case .scaler(let model) = try Sample.classic(number) else { throw Sample.OtherKind() }
    #expect(model.shifts == [1] && model.scales == [])
    Sample.expect("scaler.shiftValue: there are 2 values for an input of 1 elements", number) { $0.scaler.shiftValue = [1, 2] }
  }

  @Test func `All norms are read`() throws {
    for (type, norm) in [(.lmax, .max), (.l1, .l1), (.l2, .l2)] as [(SpecNormalizer.NormType, Normalizer.Norm)] {
      let message = Sample.model([.array("x", 3)], [.array("y", 3)]) { $0.normalizer.normType = type }
      guard case .normalizer(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
      #expect(model.norm == norm)
      Sample.expect("normalizer.normType: 3 is not a known norm", message) { $0.normalizer.normType = .UNRECOGNIZED(3) }
    }
  }

  @Test func `An extractor has indices of elements`() throws {
    guard case .arrayFeatureExtractor(let model) = try Sample.classic(Self.extractor) else { throw Sample.OtherKind() }
    #expect(model.indices == [5, 0])
  }

  @Test func `An imputer has a value of every type, and one that is replaced`() throws {
    guard case .imputer(let model) = try Sample.classic(Self.imputer) else { throw Sample.OtherKind() }
    #expect(model.imputed == .doubles([0.5, 1.5]) && model.replaced == .double(-1))
    let scalar = try imputer(.array("x", 2), .array("y", 2)) { $0.imputedDoubleValue = 3 }
    #expect(scalar.imputed == .double(3) && scalar.replaced == nil)
    let integers = try imputer(.array("x", 2), .array("y", 2)) {
      $0.imputedInt64Array.vector = [1, 2]
      $0.replaceInt64Value = 7
    }
    #expect(integers.imputed == .integers([1, 2]) && integers.replaced == .integer(7))
    let integer = try imputer(.int64("x"), .int64("y")) { $0.imputedInt64Value = 3 }
    #expect(integer.imputed == .integer(3))
    let text = try imputer(.string("x").optional, .string("y")) {
      $0.imputedStringValue = "a"
      $0.replaceStringValue = "b"
    }
    #expect(text.imputed == .string("a") && text.replaced == .string("b"))
    let strings = try imputer(.dictionary("x"), .dictionary("y")) { $0.imputedStringDictionary.map = ["a": 1] }
    #expect(strings.imputed == .stringDictionary(["a": 1]))
    let keys = try imputer(.dictionary("x", isText: false), .dictionary("y", isText: false)) { $0.imputedInt64Dictionary.map = [4: 1] }
    #expect(keys.imputed == .integerDictionary([4: 1]))
  }

  @Test func `Identity is read`() throws {
    let model = Sample.model([.double("x")], [.double("x")]) { $0.identity = SpecIdentity() }
    #expect(try Sample.classic(model) == .identity)
    #expect(try Sample.read(model).kind == .identity)
  }

  @Test func `Damaged parameters are refused`() {
    Sample.expect("scaler.scaleValue: there are 2 values for an input of 3 elements", Self.scaler) { $0.scaler.scaleValue = [1, 2] }
    Sample.expect("description.output (y): the shape [2] is not that of the input, [3]", Self.scaler) {
      $0.description_p.output = [Feature.array("y", 2).message]
    }
    Sample.expect("description.output (y): is not of the input's type, multiArray", Self.scaler) {
      $0.description_p.output = [Feature.double("y").message]
    }
    Sample.expect("description.input (x): the array must have one axis, not 2", Self.scaler) {
      $0.description_p.input = [Feature.array("x", 3, 1).message]
    }
    Sample.expect("description.input: a model of the kind scaler has exactly one, not 2", Self.scaler) {
      $0.description_p.input.append(Feature.double("z").message)
    }
    Sample.expect("arrayFeatureExtractor.extractIndex[0]: 6 is not below the number of elements, 6", Self.extractor) {
      $0.arrayFeatureExtractor.extractIndex[0] = 6
    }
    Sample.expect("arrayFeatureExtractor.extractIndex[1]: 18446744073709551615 is not below", Self.extractor) {
      $0.arrayFeatureExtractor.extractIndex[1] = .max
    }
    Sample.expect("arrayFeatureExtractor.extractIndex: a number as output needs one index, not 2", Self.extractor) {
      $0.description_p.output = [Feature.double("y").message]
    }
    Sample.expect("imputer.ImputedValue: there are 1 values for an input of 2 elements", Self.imputer) {
      $0.imputer.imputedDoubleArray.vector = [1]
    }
    Sample.expect("imputer.ImputedValue: the value does not fit the input's type, multiArray", Self.imputer) {
      $0.imputer.imputedStringValue = "a"
    }
    Sample.expect("imputer.ImputedValue: the value is missing", Self.imputer) { $0.imputer.imputedValue = nil }
    Sample.expect("imputer.ReplaceValue: the value is not of the type", Self.imputer) { $0.imputer.replaceInt64Value = 1 }
  }
}
