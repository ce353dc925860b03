import MartletBytes
import MartletFeatures
import MartletTensor

/// Translates and checks the messages of a network.
struct NetworkReader {
  /// Path of the file, for errors.
  let path: String
  /// The values of weights.
  let outline: SpecificationOutline
  /// The inputs and outputs of the model.
  let function: FunctionDescription

  func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }

  // MARK: Networks

  func network(_ network: SpecNeuralNetwork) throws(FileError) -> CoreMLNetwork {
    try self.network(
      network.layers, network.preprocessing, network.arrayInputShapeMapping, network.imageInputShapeMapping, classifier: nil,
      training: network.hasUpdateParams ? network.updateParams : nil)
  }

  func network(_ network: SpecNeuralNetworkRegressor) throws(FileError) -> CoreMLNetwork {
    try self.network(
      network.layers, network.preprocessing, network.arrayInputShapeMapping, network.imageInputShapeMapping, classifier: nil,
      training: network.hasUpdateParams ? network.updateParams : nil)
  }

  func network(_ network: SpecNeuralNetworkClassifier) throws(FileError) -> CoreMLNetwork {
    let labels: ClassLabels
    switch network.classLabels {
    case .stringClassLabels(let strings)?: labels = .strings(strings.vector)
    case .int64ClassLabels(let integers)?: labels = .integers(integers.vector)
    case nil: throw error("ClassLabels", "are missing")
    }
    let blob = network.labelProbabilityLayerName
    return try self.network(
      network.layers, network.preprocessing, network.arrayInputShapeMapping, network.imageInputShapeMapping,
      classifier: CoreMLNetwork.Classifier(labels: labels, probabilities: blob.isEmpty ? nil : blob),
      training: network.hasUpdateParams ? network.updateParams : nil)
  }

  private func network(
    _ layers: [SpecNeuralNetworkLayer], _ preprocessing: [SpecNeuralNetworkPreprocessing],
    _ arrays: SpecNeuralNetworkMultiArrayShapeMapping, _ images: SpecNeuralNetworkImageShapeMapping,
    classifier: CoreMLNetwork.Classifier?, training: SpecNetworkUpdateParameters?
  ) throws(FileError) -> CoreMLNetwork {
    let arrayMapping: CoreMLNetwork.ArrayMapping
    switch arrays {
    case .rank5ArrayMapping: arrayMapping = .rank5
    case .exactArrayMapping: arrayMapping = .exact
    case .UNRECOGNIZED(let value): throw error("arrayInputShapeMapping", "\(value) is not a mapping")
    }
    let imageMapping: CoreMLNetwork.ImageMapping
    switch images {
    case .rank5ImageMapping: imageMapping = .rank5
    case .rank4ImageMapping: imageMapping = .rank4
    case .UNRECOGNIZED(let value): throw error("imageInputShapeMapping", "\(value) is not a mapping")
    }
    var steps: [NetworkPreprocessing] = []
    for (index, step) in preprocessing.enumerated() {
      switch step.preprocessor {
      case .scaler(let scaler)?:
        steps.append(
          NetworkPreprocessing(
            feature: step.featureName,
            step: .scale(
              // The format's default.
              scaler.channelScale == 0 ? 1 : scaler.channelScale, red: scaler.redBias, green: scaler.greenBias, blue: scaler.blueBias,
              gray: scaler.grayBias)))
      case .meanImage(let image)?:
        steps.append(NetworkPreprocessing(feature: step.featureName, step: .subtract(mean: image.meanImage)))
      case nil: throw error("preprocessing[\(index)]", "is neither a scaler nor a mean image")
      }
    }
    let network = CoreMLNetwork(
      layers: try self.layers(layers, loopDepth: 0), preprocessing: steps, arrayMapping: arrayMapping, imageMapping: imageMapping,
      classifier: classifier, training: try training.map { source throws(FileError) in try self.training(source) })
    var connections = NetworkConnections(path: path, function, arrayMapping, imageMapping)
    try connections.add(layers)
    try checkOutputs(connections, classifier)
    return network
  }

  /// Checks that layers give the outputs of the model, and the probabilities of a classifier.
  private func checkOutputs(_ connections: NetworkConnections, _ classifier: CoreMLNetwork.Classifier?) throws(FileError) {
    if let name = classifier?.probabilities, !connections.isResult(name) {
      throw error("labelProbabilityLayerName", "no layer gives the blob '\(name)'")
    }
    let labels = classifier == nil ? [] : [function.predictedFeatureName, function.predictedProbabilitiesName]
    for output in function.outputs where !labels.contains(output.name) && !connections.isResult(output.name) {
      throw error("layers", "no layer gives the output '\(output.name)'")
    }
  }

  // MARK: Layers

  /// - Parameter loopDepth: number of loops around the layers.
  func layers(_ layers: [SpecNeuralNetworkLayer], loopDepth: Int) throws(FileError) -> [NetworkLayer] {
    var result: [NetworkLayer] = []
    result.reserveCapacity(layers.count)
    for (index, layer) in layers.enumerated() {
      do throws(FileError) {
        result.append(try self.layer(layer, loopDepth: loopDepth))
      } catch {
        throw error.nested(in: "layers[\(index)] (\(layer.name))")
      }
    }
    return result
  }

  private func layer(_ layer: SpecNeuralNetworkLayer, loopDepth: Int) throws(FileError) -> NetworkLayer {
    guard let parameters = layer.layer else { throw error("layer", "has no type, or one that is newer than specification version 10") }
    let arity = NetworkArity(parameters)
    guard arity.inputs.contains(layer.input.count) else {
      throw error("input", "there are \(layer.input.count) inputs instead of \(NetworkArity.text(arity.inputs))")
    }
    guard arity.outputs.contains(layer.output.count) else {
      throw error("output", "there are \(layer.output.count) outputs instead of \(NetworkArity.text(arity.outputs))")
    }
    return NetworkLayer(
      name: layer.name, type: parameters.name, inputs: layer.input, outputs: layer.output,
      inputShapes: try shapes(layer.inputTensor, "inputTensor"), outputShapes: try shapes(layer.outputTensor, "outputTensor"),
      isUpdatable: layer.isUpdatable, operation: try operation(parameters, of: layer, loopDepth: loopDepth))
  }

  private func shapes(_ tensors: [SpecTensor], _ field: String) throws(FileError) -> [[Int]] {
    var shapes: [[Int]] = []
    for tensor in tensors {
      // A rank alone leaves every extent open.
      guard !tensor.dimValue.isEmpty else {
        guard tensor.rank <= 16 else { throw error(field, "\(tensor.rank) axes are more than 16") }
        shapes.append([Int](repeating: -1, count: Int(widening: tensor.rank)))
        continue
      }
      guard tensor.dimValue.count <= 16 else { throw error(field, "\(tensor.dimValue.count) axes are more than 16") }
      shapes.append(try tensor.dimValue.map { value throws(FileError) in try self.int(value, field) })
    }
    return shapes
  }

  // MARK: Numbers

  func int(_ value: some BinaryInteger, _ field: String) throws(FileError) -> Int {
    guard let number = Int(exactly: value) else { throw error(field, "\(value) is too large") }
    return number
  }

  /// A number of elements along an axis.
  func extent(_ value: some BinaryInteger, _ field: String) throws(FileError) -> Int {
    guard let count = Extent(value).count, count > 0 else { throw error(field, "\(value) is not an extent") }
    return count
  }

  func extents(_ values: [UInt64], _ field: String) throws(FileError) -> [Int] {
    try values.map { value throws(FileError) in try extent(value, field) }
  }

  func ints(_ values: [Int64], _ field: String) throws(FileError) -> [Int] {
    try values.map { value throws(FileError) in try int(value, field) }
  }

  /// One extent per spatial axis, or the default.
  func window(_ values: [UInt64], _ field: String, default defaultExtent: Int, count: Int = 2) throws(FileError) -> [Int] {
    guard values.isEmpty || values.count == count else { throw error(field, "has \(values.count) values instead of \(count)") }
    return values.isEmpty ? [Int](repeating: defaultExtent, count: count) : try extents(values, field)
  }

  /// Amounts at the borders of height and width; none if there are none.
  func borders(_ amounts: SpecBorderAmounts, _ field: String) throws(FileError) -> NetworkBorders {
    let edges = amounts.borderAmounts
    guard edges.isEmpty || edges.count == 2 else { throw error(field, "has amounts for \(edges.count) axes instead of 2") }
    return NetworkBorders(
      before: edges.isEmpty ? [0, 0] : try edges.map { edge throws(FileError) in try int(edge.startEdgeSize, field) },
      after: edges.isEmpty ? [0, 0] : try edges.map { edge throws(FileError) in try int(edge.endEdgeSize, field) })
  }

  func isHeavyAtStart(_ padding: SpecSamePadding, _ field: String) throws(FileError) -> Bool {
    switch padding.asymmetryMode {
    case .bottomRightHeavy: false
    case .topLeftHeavy: true
    case .UNRECOGNIZED(let value): throw error(field, "\(value) is not a mode of same padding")
    }
  }

  /// A constant of a declared shape.
  func constant(_ shape: [UInt64], _ values: SpecWeightParams, _ field: String) throws(FileError) -> NetworkConstant {
    let shape = try extents(shape, field + ".shape")
    return NetworkConstant(shape: shape, values: try weights(values, field, count: Extent.product(shape)))
  }
}

extension Float {
  /// The value, or the format's default where it is 0 or missing.
  func or(_ defaultValue: Float) -> Float { self == 0 ? defaultValue : self }
}
