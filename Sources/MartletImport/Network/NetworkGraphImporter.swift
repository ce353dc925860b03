import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor

/// Converts a neural network to a graph: layers become nodes in the same order, branches and loops become regions.
///
/// All blobs are float32, as in Core ML: truth is 0 or 1, and indices are whole numbers. A blob of more than four axes also has a form as an
/// image, [N, C, H, W], in which its leading axes are one. Layers on images and pointwise layers use this form, so that shapes with leading
/// axes do not separate nodes that passes join. Forms that no layer needs are dead code.
final class NetworkGraphImporter {
  let network: CoreMLNetwork
  let declared: FunctionDescription
  let sequences: NetworkImporter.Sequences
  let customLayers: CustomLayerProvider?
  let builder: GraphBuilder
  /// A `copy` layer assigns a blob again, and branches and bodies of loops assign blobs of the whole network.
  let names: Names<String, ValueID>
  /// The weights that training changes; nil for a graph that only predicts.
  var changingWeights: ChangingWeights?
  /// What is known about the values of each open scope.
  private var notes: [Notes] = [Notes()]
  /// The flags of the open loops, innermost last.
  var loops: [NetworkLoopFlags] = []

  /// What is known about values of one scope.
  private struct Notes {
    /// Values as images.
    var images: [ValueID: ValueID] = [:]
    /// The elements of values of rank 1 as numbers.
    var numbers: [ValueID: [GraphNumber]] = [:]
  }

  init(
    _ network: CoreMLNetwork, declared: FunctionDescription, sequences: NetworkImporter.Sequences, customLayers: CustomLayerProvider?,
    file: String, constants: ConstantPool, limits: GraphBuilder.Limits
  ) {
    self.network = network
    self.declared = declared
    self.sequences = sequences
    self.customLayers = customLayers
    builder = GraphBuilder(declared.programName, file: file, constants: constants, limits: limits)
    names = Names(builder, areVariables: true)
    names.reserveCapacity(network.layerCount)
  }

  func importNetwork() throws -> Graph {
    for feature in declared.inputs { try addInput(feature) }
    try importLayers(network.layers)
    return try builder.graph(outputs: try declared.outputs.map { try output($0) })
  }

  /// Imports layers whose results are the blobs themselves.
  /// - Parameter blobs: the blobs that are outputs.
  func importBlobs(_ layers: [NetworkLayer], _ blobs: [String]) throws -> Graph {
    for feature in declared.inputs { try addInput(feature) }
    try importLayers(layers)
    return try builder.graph(outputs: try blobs.map { name throws(CallError) in try blob(name) })
  }

  func importLayers(_ layers: [NetworkLayer]) throws {
    for (position, layer) in layers.enumerated() {
      try builder.located(at: "layer \(position) '\(layer.name)'", op: layer.type) {
        try builder.operation(layer.type, layer.name, source: "\(layer.type) \(layer.name)") {
          var call = NetworkCall(layer, importer: self)
          try call.importLayer()
        }
      }
      // The rest of the layers runs only if the loop goes on.
      if try skipsRest(after: layer, layers[(position + 1)...]) { return }
    }
  }

  // MARK: Scopes

  /// Runs `body`, which builds a region, with notes of its own.
  func scoped<Result>(_ body: () throws -> Result) rethrows -> Result {
    notes.append(Notes())
    defer { notes.removeLast() }
    return try body()
  }

  /// The value as an image, if it is known.
  func knownImage(of value: ValueID) -> ValueID? { notes[notes.count - 1].images[value] }

  func note(_ image: ValueID, asImageOf value: ValueID) { notes[notes.count - 1].images[value] = image }

  func knownNumbers(of value: ValueID) -> [GraphNumber]? { notes[notes.count - 1].numbers[value] }

  func note(_ numbers: [GraphNumber], of value: ValueID) throws(CallError) {
    try builder.admit(numbers: numbers.count)
    notes[notes.count - 1].numbers[value] = numbers
  }

  func blob(_ name: String) throws(CallError) -> ValueID {
    guard let value = names[name] else { throw CallError("the blob '\(name)' has no value") }
    return value
  }
}
