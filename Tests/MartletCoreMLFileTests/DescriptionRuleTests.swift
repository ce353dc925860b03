import Foundation
import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

/// What the description of a model may hold. Each rule refuses one model and accepts the nearest legal one.
@Suite struct DescriptionRuleTests {
  /// A model of a kind that nothing but its description constrains.
  private static func model(_ input: Feature, version: Int32 = 9, _ fill: (inout SpecFeatureType) -> Void = { _ in }) -> SpecModel {
    Sample.model([input], [.double("y")]) {
      $0.specificationVersion = version
      $0.serializedModel.identifier = "model"
      $0.serializedModel.model = Data([1])
      fill(&$0.description_p.input[0].type)
    }
  }

  private static func shape(_ extents: Int64...) -> SpecArrayFeatureType.Shape {
    var shape = SpecArrayFeatureType.Shape()
    shape.shape = extents
    return shape
  }

  private static func range(_ lower: UInt64, _ upper: Int64) -> SpecSizeRange {
    var range = SpecSizeRange()
    (range.lowerBound, range.upperBound) = (lower, upper)
    return range
  }

  // MARK: Sizes

  @Test func `an array has a shape, which is one of those allowed`() {
    let fixed = Self.model(.array("x", 2, 3))
    Sample.expect("description.input[0] (x).multiArrayType.shape: an input needs a shape", fixed) {
      $0.input.multiArrayType.shape = []
    }
    let listed = Self.model(.array("x", 2, 3)) { $0.multiArrayType.enumeratedShapes.shapes = [Self.shape(4, 3), Self.shape(2, 3)] }
    Sample.expect("enumeratedShapes: the default shape [2, 4] is not one of them", listed) { $0.input.multiArrayType.shape = [2, 4] }
    Sample.expect("enumeratedShapes: a shape has no extents", listed) {
      $0.input.multiArrayType.enumeratedShapes.shapes[0] = Self.shape()
    }
    Sample.expect("enumeratedShapes: there are none", listed) { $0.input.multiArrayType.enumeratedShapes.shapes = [] }
    let ranges = Self.model(.array("x", 2, 3)) { $0.multiArrayType.shapeRange.sizeRanges = [Self.range(1, 2), Self.range(3, -1)] }
    Sample.expect("shapeRange: the default shape [3, 3] is not within it", ranges) { $0.input.multiArrayType.shape = [3, 3] }
    Sample.expect("shapeRange: there are 1 ranges for the 2 axes", ranges) {
      $0.input.multiArrayType.shapeRange.sizeRanges.removeLast()
    }
  }

  @Test func `an image has a positive size, which is one of those allowed`() throws {
    func sizes(_ list: (UInt64, UInt64)...) -> [SpecImageFeatureType.ImageSize] {
      list.map { width, height in
        var size = SpecImageFeatureType.ImageSize()
        (size.width, size.height) = (width, height)
        return size
      }
    }
    Sample.expect("imageType: the size 0 × 4 is not positive", Self.model(.image("x"))) { $0.input.imageType.width = 0 }
    let listed = Self.model(.image("x")) { $0.imageType.enumeratedSizes.sizes = sizes((8, 6), (4, 4)) }
    Sample.expect("enumeratedSizes: the default size, 4 × 4, is not one of them", listed) {
      $0.input.imageType.enumeratedSizes.sizes = sizes((8, 6), (4, 6))
    }
    Sample.expect("enumeratedSizes: there are none", listed) { $0.input.imageType.enumeratedSizes.sizes = [] }
    let ranges = Self.model(.image("x")) {
      $0.imageType.imageSizeRange.widthRange = Self.range(2, 4)
      $0.imageType.imageSizeRange.heightRange = Self.range(4, -1)
    }
    Sample.expect("imageSizeRange.widthRange: the default width, 4, is not within it", ranges) {
      $0.input.imageType.imageSizeRange.widthRange = Self.range(1, 3)
    }
    Sample.expect("imageSizeRange.heightRange: the default height, 3, is not within it", ranges) { $0.input.imageType.height = 3 }
    // Without a default the first size that is allowed takes its place.
    for (model, width, height) in [(listed, 8, 6), (ranges, 2, 4)] {
      var model = model
      (model.input.imageType.width, model.input.imageType.height) = (0, 0)
      guard case .image(let image) = try Sample.read(model).description.defaultFunction.inputs[0].type else { throw Sample.OtherKind() }
      #expect(image.size == ImageFeature.Size(width: width, height: height))
    }
  }

  // MARK: Versions and values

  @Test func `a model of a version that is not known is refused`() {
    let newest = Self.model(.double("x"), version: 10)
    Sample.expect("specificationVersion: 11 is newer than 10", newest) { $0.specificationVersion = 11 }
    Sample.expect("specificationVersion: 0 is not a version", newest) { $0.specificationVersion = 0 }
  }

  @Test func `types need the version that introduced them`() {
    let gray = Self.model(.image("x"), version: 7) { $0.imageType.colorSpace = .grayscaleFloat16 }
    for (model, first, field) in [
      (Self.model(.sequence("x"), version: 3), 3, "sequenceType: a sequence"),
      (Self.model(.array("x", 2, type: .float16), version: 7), 7, "multiArrayType.dataType: half precision"),
      (gray, 7, "imageType.colorSpace: half precision"),
      (Self.model(.array("x", 2, type: .int8), version: 10), 10, "multiArrayType.dataType: an array of int8"),
    ] {
      let message = "description.input[0] (x).\(field) needs specification version \(first), and the model has \(first - 1)"
      Sample.expect(message, model) { $0.specificationVersion -= 1 }
    }
  }

  @Test func `a default value is one of the array's type, in models that can use it`() {
    func model(_ type: SpecArrayFeatureType.ArrayDataType, _ value: SpecArrayFeatureType.OneOf_DefaultOptionalValue) -> SpecModel {
      Self.model(.array("x", 2, type: type).optional, version: 10) { $0.multiArrayType.defaultOptionalValue = value }
    }
    let single = model(.float32, .floatDefaultValue(1))
    Sample.expect("defaultOptionalValue: is no value of the type float32", single) {
      $0.input.multiArrayType.defaultOptionalValue = .intDefaultValue(1)
    }
    Sample.expect("is no value of the type float64", model(.double, .doubleDefaultValue(1))) {
      $0.input.multiArrayType.defaultOptionalValue = .floatDefaultValue(1)
    }
    Sample.expect("is no value of the type int8", model(.int8, .intDefaultValue(127))) {
      $0.input.multiArrayType.defaultOptionalValue = .intDefaultValue(128)
    }
    Sample.expect("a default value of an optional input needs specification version 5, and the model has 4", single) {
      $0.specificationVersion = 4
    }
    Sample.expect("defaultOptionalValue: a model of the kind identity has no default values", single) {
      $0.identity = SpecIdentity()
    }
  }

  // MARK: Features

  @Test func `a model has outputs, and inputs unless it is a network, a program or a pipeline`() {
    let model = Self.model(.double("x"))
    Sample.expect("description.input: a model of the kind serializedModel has at least one input", model) { $0.description_p.input = [] }
    Sample.expect("description.output: a model of the kind serializedModel has at least one output", model) {
      $0.description_p.output = []
    }
    Sample.expect("description.input[0] ().name: is empty", model) { $0.description_p.input[0].name = "" }
    let network = NetworkSample.model {
      $0.input = []
      $0.fillStatic.targetShape = [3]
    }
    var withoutInputs = network
    withoutInputs.description_p.input = []
    Sample.expect("description.input: a model without inputs needs specification version 9, and the model has 8", withoutInputs) {
      $0.specificationVersion = 8
    }
  }

  private static func tensor(_ type: MILSpecDataType) -> MILSpecValueType {
    var dimension = MILSpecDimension()
    dimension.constant.size = 2
    var value = MILSpecValueType()
    value.tensorType.dataType = type
    (value.tensorType.rank, value.tensorType.dimensions) = (1, [dimension])
    return value
  }

  private static func named(_ name: String, _ type: MILSpecValueType) -> MILSpecNamedValueType {
    var input = MILSpecNamedValueType()
    (input.name, input.type) = (name, type)
    return input
  }

  private static func stateFeature(_ name: String) -> SpecFeatureDescription {
    var feature = SpecFeatureDescription()
    feature.name = name
    feature.type.stateType.arrayType.shape = [2]
    feature.type.stateType.arrayType.dataType = .float16
    return feature
  }

  /// A program that returns its input, with a state.
  private static let program = Sample.model([.array("x", 2, type: .float32)], [.array("x", 2, type: .float32)]) {
    $0.description_p.state = [stateFeature("s")]
    var state = MILSpecValueType()
    state.stateType.wrappedType = tensor(.float16)
    var function = MILSpecFunction()
    function.inputs = [named("x", tensor(.float32)), named("s", state)]
    function.opset = "CoreML8"
    function.blockSpecializations["CoreML8", default: MILSpecBlock()].outputs = ["x"]
    $0.mlProgram.version = 1
    $0.mlProgram.functions["main"] = function
  }

  @Test func `states are arrays of fixed shape`() {
    func expect(_ message: String, _ change: (inout SpecFeatureDescription) -> Void) {
      Sample.expect("description.state[0] (s).\(message)", Self.program) { change(&$0.description_p.state[0]) }
    }
    expect("stateType.arrayType.dataType: a state is an array of float16 or int8") { $0.type.stateType.arrayType.dataType = .float32 }
    expect("stateType.arrayType.shape: the shape of a state is missing") { $0.type.stateType.arrayType.shape = [] }
    expect("stateType.arrayType: the shape of a state is fixed") {
      $0.type.stateType.arrayType.shapeRange.sizeRanges = [Self.range(1, 2)]
    }
    expect("stateType.arrayType: the shape of a state is fixed") {
      $0.type.stateType.arrayType.enumeratedShapes.shapes = [Self.shape(2)]
    }
    expect("stateType.arrayType: a state has no default value") { $0.type.stateType.arrayType.floatDefaultValue = 1 }
    expect("isOptional: a state cannot be optional") { $0.type.isOptional = true }
    expect("type: only states can be declared as state") { $0.type = Feature.array("s", 2, type: .float16).message.type }
    Sample.expect("description.output[1] (s).type: a state cannot be declared as output", Self.program) {
      $0.description_p.output.append(Self.stateFeature("s"))
    }
    Sample.expect("stateType: a state needs specification version 9, and the model has 8", Self.program) { $0.specificationVersion = 8 }
  }

  @Test func `a state among the inputs is a state`() throws {
    var model = Self.program
    model.description_p.input += model.description_p.state
    model.description_p.state = []
    let function = try Sample.read(model).description.defaultFunction
    #expect(function.inputs.map(\.name) == ["x"] && function.states.map(\.name) == ["s"])
  }

  @Test func `several functions are described without features of the model`() {
    var functions = Self.program
    var function = SpecFunctionDescription()
    (function.name, function.input, function.output) = ("main", functions.description_p.input, functions.description_p.output)
    function.state = functions.description_p.state
    (functions.description_p.input, functions.description_p.output, functions.description_p.state) = ([], [], [])
    (functions.description_p.functions, functions.description_p.defaultFunctionName) = ([function], "main")
    Sample.expect("description.functions: a description of several functions needs specification version 9", functions) {
      $0.specificationVersion = 8
    }
    Sample.expect("description.defaultFunctionName: there is no function 'other'", functions) {
      $0.description_p.defaultFunctionName = "other"
    }
    func expect(_ field: String, _ change: (inout SpecModelDescription) -> Void) {
      Sample.expect("description.\(field): must be empty beside the descriptions of functions", functions) { change(&$0.description_p) }
    }
    expect("input") { $0.input = function.input }
    expect("output") { $0.output = function.output }
    expect("state") { $0.state = function.state }
    expect("predictedFeatureName") { $0.predictedFeatureName = "x" }
    expect("predictedProbabilitiesName") { $0.predictedProbabilitiesName = "x" }
    expect("trainingInput") { $0.trainingInput = function.input }
  }
}

extension SpecModel {
  /// The type of the first input.
  fileprivate var input: SpecFeatureType {
    get { description_p.input[0].type }
    set { description_p.input[0].type = newValue }
  }
}
