import MartletBytes
import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

/// Layers of networks as checked values.
struct NetworkLayerTests {
  @Test func `layers have the names of the format, and none is missing`() throws {
    let fields = try FormatFields().fields(of: "NeuralNetworkLayer").filter { $0.number >= 100 }
    #expect(fields.count == 158)
    for field in fields {
      // A layer without parameters, inputs or outputs: the error names the layer, or it is read.
      let layer = serializedField(1, Array("probe".utf8)) + serializedField(field.number, [])
      let model = try NetworkSample.serialized(serializedField(1, layer))
      do {
        let read = try CoreMLModel(specification: MappedFile(copying: model, name: "test").bytes, weights: nil)
        guard case .network(let network) = read.content else { throw Sample.OtherKind() }
        #expect(network.layers[0].type == field.name)
      } catch let error as FileError {
        #expect(!error.reason.contains("not known") && !error.reason.contains("newer"), "\(field.name): \(error)")
        #expect("\(error)".contains("layers[0] (probe)"), "\(field.name): \(error)")
      }
    }
    let newer = try NetworkSample.serialized(serializedField(1, serializedField(1999, [])))
    let error = #expect(throws: FileError.self) {
      try CoreMLModel(specification: MappedFile(copying: newer, name: "test").bytes, weights: nil)
    }
    #expect(error?.reason.contains("newer than specification version 10") == true)
  }

  @Test func `connections, notes and labels`() throws {
    let model = Sample.model([.array("x", 1, 1, 7)], [.string("label"), .dictionary("p")], label: "label") {
      $0.description_p.predictedProbabilitiesName = "p"
      $0.neuralNetworkClassifier.layers = [
        NetworkSample.layer { layer in
          layer.activation.reLu = SpecActivationReLU()
          layer.isUpdatable = true
          var note = SpecTensor()
          note.rank = 3
          layer.inputTensor = [note]
          note.dimValue = [1, -1, 7]
          layer.outputTensor = [note]
        }
      ]
      $0.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b", "c"]
      $0.neuralNetworkClassifier.labelProbabilityLayerName = "y"
      $0.neuralNetworkClassifier.arrayInputShapeMapping = .exactArrayMapping
    }
    let read = try Sample.read(model)
    guard case .network(let network) = read.content else { throw Sample.OtherKind() }
    let layer = network.layers[0]
    #expect(layer.name == "l" && layer.type == "activation" && layer.inputs == ["x"] && layer.outputs == ["y"] && layer.isUpdatable)
    #expect(layer.inputShapes == [[-1, -1, -1]] && layer.outputShapes == [[1, -1, 7]])
    #expect(network.classifier?.labels == .strings(["a", "b", "c"]) && network.classifier?.probabilities == "y")
    #expect(network.arrayMapping == .exact && network.imageMapping == .rank5 && network.layerCount == 1)
    #expect(read.description.functions[0].classification?.labels == .strings(["a", "b", "c"]))
  }

  @Test func `missing values have the defaults that the format states`() throws {
    guard case .lstm(let lstm) = try NetworkSample.operation(Self.lstm) else { throw Sample.OtherKind() }
    #expect(lstm.clip == 50 && lstm.backward == nil && lstm.forward.input.bias == nil && lstm.forward.cell.weights.elementCount == 2)
    guard case .convolution(let convolution) = try NetworkSample.operation(Self.convolution) else { throw Sample.OtherKind() }
    #expect(convolution.kernel == [3, 3] && convolution.stride == [1, 1] && convolution.dilation == [1, 1] && convolution.groups == 1)
    guard case .unary(.exp, alpha: 0, epsilon: 1e-6, scale: 1, shift: 0) = try NetworkSample.operation({ $0.unary.type = .exp })
    else { throw Sample.OtherKind() }
    guard case .l2Normalize(epsilon: 1e-6) = try NetworkSample.operation({ $0.l2Normalize = SpecL2NormalizeLayerParams() })
    else { throw Sample.OtherKind() }
    guard case .sequenceRepeat(count: 1) = try NetworkSample.operation({ $0.sequenceRepeat = SpecSequenceRepeatLayerParams() })
    else { throw Sample.OtherKind() }
    guard
      case .topK(axis: 0, count: nil, isSmallest: false) = try NetworkSample.operation({
        $0.output = ["y", "i"]
        $0.topK = SpecTopKLayerParams()
      })
    else { throw Sample.OtherKind() }
  }

  private static func convolution(_ layer: inout SpecNeuralNetworkLayer) {
    layer.convolution.outputChannels = 2
    layer.convolution.kernelChannels = 1
    layer.convolution.valid = SpecValidPadding()
    layer.convolution.weights.floatValue = [Float](repeating: 1, count: 18)
  }

  /// One unit with two inputs.
  private static func lstm(_ layer: inout SpecNeuralNetworkLayer) {
    layer.input = ["x", "h", "c"]
    layer.output = ["y", "ho", "co"]
    layer.uniDirectionalLstm.inputVectorSize = 2
    layer.uniDirectionalLstm.outputVectorSize = 1
    var sigmoid = SpecActivationParams()
    sigmoid.sigmoid = SpecActivationSigmoid()
    layer.uniDirectionalLstm.activations = [sigmoid, sigmoid, sigmoid]
    for path in [
      \SpecLSTMWeightParams.inputGateWeightMatrix, \.forgetGateWeightMatrix, \.blockInputWeightMatrix, \.outputGateWeightMatrix,
    ] {
      layer.uniDirectionalLstm.weightParams[keyPath: path].floatValue = [1, 2]
    }
    for path in [
      \SpecLSTMWeightParams.inputGateRecursionMatrix, \.forgetGateRecursionMatrix, \.blockInputRecursionMatrix,
      \.outputGateRecursionMatrix,
    ] {
      layer.uniDirectionalLstm.weightParams[keyPath: path].floatValue = [3]
    }
  }

  @Test func `damaged layers are refused`() {
    let convolution = NetworkSample.model(Self.convolution)
    Sample.expect("there are 3 inputs instead of 1 to 2", convolution) { $0.layer.input = ["a", "b", "c"] }
    Sample.expect("there are 0 outputs instead of 1", convolution) { $0.layer.output = [] }
    Sample.expect("ConvolutionPaddingType: is missing", convolution) { $0.layer.convolution.convolutionPaddingType = nil }
    Sample.expect("3 groups do not divide 2 output channels", convolution) { $0.layer.convolution.nGroups = 3 }
    Sample.expect("kernelSize: has 1 values instead of 2", convolution) { $0.layer.convolution.kernelSize = [3] }
    Sample.expect("stride: 0 is not an extent", convolution) { $0.layer.convolution.stride = [1, 0] }
    Sample.expect("nGroups: 18446744073709551615 is not an extent", convolution) { $0.layer.convolution.nGroups = .max }
    Sample.expect("weights: have 18 values instead of more than", convolution) {
      $0.layer.convolution.outputChannels = 1 << 50
      $0.layer.convolution.kernelChannels = 1 << 50
    }
    Sample.expect("weights cannot be an input of a deconvolution", convolution) {
      $0.layer.input = ["x", "w"]
      $0.layer.convolution.isDeconvolution = true
    }
    Sample.expect("inputTensor: 17 axes are more than 16", convolution) {
      var note = SpecTensor()
      note.rank = 17
      $0.layer.inputTensor = [note]
    }
    let lstm = NetworkSample.model(Self.lstm)
    Sample.expect("blockInputRecursionMatrix: have no values", lstm) {
      $0.layer.uniDirectionalLstm.weightParams.blockInputRecursionMatrix = SpecWeightParams()
    }
    Sample.expect("activations: has 2 entries instead of 3", lstm) { $0.layer.uniDirectionalLstm.activations.removeLast() }
    Sample.expect("forgetGatePeepholeVector: have no values", lstm) {
      $0.layer.uniDirectionalLstm.params.hasPeepholeVectors_p = true
      $0.layer.uniDirectionalLstm.weightParams.inputGatePeepholeVector.floatValue = [1]
    }
    let slice = NetworkSample.model {
      $0.sliceStatic.beginIds = [0]
      $0.sliceStatic.endIds = [1]
      $0.sliceStatic.beginMasks = [false]
      $0.sliceStatic.endMasks = [false]
      $0.sliceStatic.strides = [1]
    }
    Sample.expect("strides: [0] contain 0", slice) { $0.layer.sliceStatic.strides = [0] }
    Sample.expect("endMasks: has 0 entries for 1 axes", slice) { $0.layer.sliceStatic.endMasks = [] }
    let transpose = NetworkSample.model { $0.transpose.axes = [1, 0] }
    Sample.expect("is not a permutation of 2 axes", transpose) { $0.layer.transpose.axes = [1, 1] }
    Sample.expect("is not a permutation of 2 axes", transpose) { $0.layer.transpose.axes = [0, .max] }
    let reshape = NetworkSample.model { $0.reshapeStatic.targetShape = [2, -1] }
    Sample.expect("with at most one -1", reshape) { $0.layer.reshapeStatic.targetShape = [-1, -1] }
    let fill = NetworkSample.model {
      $0.input = []
      $0.fillStatic.targetShape = [2, 3]
    }
    Sample.expect("has too many elements", fill) { $0.layer.fillStatic.targetShape = [1 << 40, 1 << 40] }
    let reduce = NetworkSample.model { $0.reduceSum.axes = [0] }
    Sample.expect("name an axis twice", reduce) { $0.layer.reduceSum.axes = [0, 0] }
  }

  @Test func `parameters that contradict one another are refused`() throws {
    let pool = NetworkSample.model {
      $0.pooling3D.kernelDepth = 2
      $0.pooling3D.kernelHeight = 2
      $0.pooling3D.kernelWidth = 2
      $0.pooling3D.strideDepth = 1
      $0.pooling3D.strideHeight = 1
      $0.pooling3D.strideWidth = 1
      $0.pooling3D.paddingType = .custom
      $0.pooling3D.customPaddingLeft = 1
    }
    Sample.expect("customPadding: is for the padding type custom only", pool) { $0.layer.pooling3D.paddingType = .same }
    let upsample = NetworkSample.model {
      $0.upsample.fractionalScalingFactor = [1.5, 2]
      $0.upsample.mode = .bilinear
      $0.upsample.linearUpsampleMode = .alignCornersTrue
    }
    let needsLinear = "fractionalScalingFactor: needs a linear mode"
    Sample.expect(needsLinear, upsample) { $0.layer.upsample.linearUpsampleMode = .default }
    Sample.expect(needsLinear, upsample) { ($0.layer.upsample.mode, $0.layer.upsample.linearUpsampleMode) = (.nn, .default) }
    for (start, end, late) in [(1, 2, 3), (-3, -2, -1)] as [(Int64, Int64, Int64)] {
      let slice = NetworkSample.model { ($0.slice.startIndex, $0.slice.endIndex, $0.slice.stride) = (start, end, 1) }
      Sample.expect("endIndex: \(end) lies before the start, \(late)", slice) { $0.layer.slice.startIndex = late }
    }
    let uniform = NetworkSample.model {
      $0.input = []
      $0.randomUniformStatic.outputShape = [2]
      ($0.randomUniformStatic.minVal, $0.randomUniformStatic.maxVal) = (1, 1)
    }
    Sample.expect("minVal: 2.0 is above maxVal, 1.0", uniform) { $0.layer.randomUniformStatic.minVal = 2 }
    let bernoulli = NetworkSample.model { $0.randomBernoulliLike.prob = 1 }
    Sample.expect("prob: 1.5 is not a probability", bernoulli) { $0.layer.randomBernoulliLike.prob = 1.5 }
    Sample.expect("prob: -0.5 is not a probability", bernoulli) { $0.layer.randomBernoulliLike.prob = -0.5 }
    let pad = NetworkSample.model {
      $0.constantPad.padAmounts = [0, 5]
      $0.constantPad.padToGivenOutputSizeMode = true
    }
    Sample.expect("padAmounts: 4 and 5 are two sizes for one axis of the output", pad) { $0.layer.constantPad.padAmounts = [4, 5] }
    let sort = NetworkSample.model { $0.argSort.axis = 0 }
    Sample.expect("axis: -1 is negative", sort) { $0.layer.argSort.axis = -1 }
    // The flag decides whether the bias counts.
    func embedding(_ hasBias: Bool) -> SpecModel {
      NetworkSample.model {
        ($0.embedding.inputDim, $0.embedding.outputChannels, $0.embedding.hasBias_p) = (2, 1, hasBias)
        $0.embedding.weights.floatValue = [1, 2]
        $0.embedding.bias.floatValue = [3]
      }
    }
    Sample.expect("bias: have no values", embedding(true)) { $0.layer.embedding.bias = SpecWeightParams() }
    for hasBias in [true, false] {
      let network = try NetworkSample.network(embedding(hasBias))
      guard case .embedding(let table, _) = network.layers[0].operation else { throw Sample.OtherKind() }
      #expect((table.bias != nil) == hasBias)
    }
  }

  // MARK: Control flow

  private static func network(_ layers: SpecNeuralNetworkLayer...) -> SpecNeuralNetwork {
    var network = SpecNeuralNetwork()
    network.layers = layers
    return network
  }

  private static let copy = NetworkSample.layer { $0.copy = SpecCopyLayerParams() }
  private static let end = NetworkSample.layer {
    $0.input = []
    $0.output = []
    $0.loopBreak = SpecLoopBreakLayerParams()
  }

  private static let loop = NetworkSample.model {
    $0.input = []
    $0.output = []
    $0.loop.maxLoopIterations = 3
    $0.loop.bodyNetwork = network(copy, end)
  }

  @Test func `branches and loops hold layers`() throws {
    guard case .loop(let loop) = try NetworkSample.network(Self.loop).layers[0].operation else { throw Sample.OtherKind() }
    #expect(loop.iterationCount == 3 && loop.condition.isEmpty && loop.body.map(\.type) == ["copy", "loopBreak"])
    let branch = NetworkSample.model {
      $0.output = []
      $0.branch.ifBranch = Self.network(Self.copy)
      $0.branch.elseBranch = Self.network(Self.copy, Self.copy)
    }
    guard case .branch(let then, let otherwise) = try NetworkSample.network(branch).layers[0].operation else { throw Sample.OtherKind() }
    #expect(then.count == 1 && otherwise.count == 2)
    #expect(try NetworkSample.network(branch).layerCount == 4)
    Sample.expect("ifBranch: has no layers", branch) { $0.layer.branch.ifBranch = SpecNeuralNetwork() }
    Sample.expect("ifBranch.layers[0] (l).layer: is not inside a loop", branch) { $0.layer.branch.ifBranch = Self.network(Self.end) }
  }

  @Test func `loops that nothing ends are refused`() {
    Sample.expect("maxLoopIterations: is 0", Self.loop) { $0.layer.loop.maxLoopIterations = 0 }
    Sample.expect("conditionVar: must be named if and only if", Self.loop) { $0.layer.loop.conditionVar = "c" }
    Sample.expect("bodyNetwork: has no layers", Self.loop) { $0.layer.loop.bodyNetwork = SpecNeuralNetwork() }
  }

  @Test func `networks nested too deeply are refused`() throws {
    var layer = serializedField(600, [])
    for _ in 0..<200 { layer = serializedField(605, serializedField(1, serializedField(1, layer))) }
    let model = try NetworkSample.serialized(serializedField(1, layer))
    let error = #expect(throws: FileError.self) {
      try CoreMLModel(specification: MappedFile(copying: model, name: "test").bytes, weights: nil)
    }
    #expect(error?.reason.contains("nested too deeply") == true)
  }
}
