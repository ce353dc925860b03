import MartletBytes
import MartletFeatures
import MartletTensor

/// Checks which blobs the layers of a network read and give, and the ranks that the file notes for them.
///
/// Layers read inputs of the model and results of layers before them. Only `copy` may give a blob that exists. Blobs of a branch can be read
/// after it if both branches give them, and those of a loop's body if the loop has no condition.
struct NetworkConnections {
  private let path: String
  /// The layers that give each blob, in order; an input of the model is given by nil. Never empty.
  private var givers: [String: [String?]] = [:]
  /// Ranks of blobs, as far as they are known. Only shapes of the exact mappings have ranks.
  private var ranks: [String: Int] = [:]
  private let hasRanks: Bool
  /// What the layers of the innermost branch or body have added, in order.
  private var added = Additions()

  private struct Additions {
    var blobs: [(name: String, giver: String)] = []
    var ranks: [String] = []
  }

  init(path: String, _ function: FunctionDescription, _ arrays: CoreMLNetwork.ArrayMapping, _ images: CoreMLNetwork.ImageMapping) {
    self.path = path
    hasRanks = arrays == .exact || images == .rank4
    for feature in function.inputs { givers[feature.name] = [nil] }
    guard hasRanks else { return }
    for feature in function.inputs {
      switch feature.type {
      case .multiArray(let array): ranks[feature.name] = arrays == .exact ? array.shape.count : 5
      case .image: ranks[feature.name] = images == .rank4 ? 4 : 5
      default: break
      }
    }
    for feature in function.outputs {
      if case .multiArray(let array) = feature.type, !array.shape.isEmpty { ranks[feature.name] = array.shape.count }
    }
  }

  private func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }

  // MARK: Blobs

  /// Adds layers in execution order.
  mutating func add(_ layers: [SpecNeuralNetworkLayer]) throws(FileError) {
    for (index, layer) in layers.enumerated() {
      do throws(FileError) {
        try add(layer)
      } catch {
        throw error.nested(in: "layers[\(index)] (\(layer.name))")
      }
    }
  }

  /// True if `name` is the result of a layer.
  func isResult(_ name: String) -> Bool { givers[name]?.contains { $0 != nil } ?? false }

  private mutating func add(_ layer: SpecNeuralNetworkLayer) throws(FileError) {
    if hasRanks {
      try note(layer.inputTensor, of: layer.input, "input")
      try note(layer.outputTensor, of: layer.output, "output")
      if let parameters = layer.layer { try check(NetworkRanks(parameters), of: layer) }
    }
    for (index, name) in layer.input.enumerated() where givers[name] == nil {
      throw error("input[\(index)]", "no layer before gives the blob '\(name)'")
    }
    switch layer.layer {
    case .branch(let branch)?: try add(branch)
    case .loop(let loop)?: try add(loop)
    default: break
    }
    for (index, name) in layer.output.enumerated() {
      if let giver = givers[name]?.last, !layer.isCopy {
        let role = giver.map { "the result of the layer '\($0)' already" } ?? "an input of the model"
        throw error("output[\(index)]", "the blob '\(name)' is \(role)")
      }
      give(name, layer.name)
    }
  }

  private mutating func give(_ name: String, _ giver: String) {
    givers[name, default: []].append(giver)
    added.blobs.append((name, giver))
  }

  // MARK: Control flow

  /// Checks layers whose blobs are not known after them.
  /// - Returns: the layers that give each blob.
  private mutating func inner(_ field: String, _ network: SpecNeuralNetwork) throws(FileError) -> [String: [String]] {
    let outer = added
    added = Additions()
    do throws(FileError) {
      try add(network.layers)
    } catch {
      throw error.nested(in: field)
    }
    var given: [String: [String]] = [:]
    for (name, giver) in added.blobs { given[name, default: []].append(giver) }
    for name in given.keys {
      givers[name]?.removeLast(given[name]?.count ?? 0)
      if givers[name]?.isEmpty ?? false { givers[name] = nil }
    }
    for name in added.ranks { ranks[name] = nil }
    added = outer
    return given
  }

  private mutating func give(_ blobs: [String: [String]]) {
    for (name, layers) in blobs {
      for layer in layers { give(name, layer) }
    }
  }

  private mutating func add(_ branch: SpecBranchLayerParams) throws(FileError) {
    let then = try inner("ifBranch", branch.ifBranch)
    let otherwise = try inner("elseBranch", branch.elseBranch)
    // A blob from before the branch stays one if a branch gives it anew.
    give(
      then.merging(otherwise, uniquingKeysWith: +).filter { name, _ in
        givers[name] != nil || (then[name] != nil && otherwise[name] != nil)
      })
  }

  private mutating func add(_ loop: SpecLoopLayerParams) throws(FileError) {
    let hasCondition = !loop.conditionNetwork.layers.isEmpty
    let condition = try inner("conditionNetwork", loop.conditionNetwork)
    guard !hasCondition || condition[loop.conditionVar] != nil else {
      throw error("conditionVar", "the condition network does not give the blob '\(loop.conditionVar)'")
    }
    give(condition)
    let body = try inner("bodyNetwork", loop.bodyNetwork)
    give(hasCondition ? body.filter { name, _ in givers[name] != nil } : body)
  }

  // MARK: Ranks

  /// Notes the ranks of a layer's blobs. Those of the model's features, and of blobs that other layers name, must be the same.
  private mutating func note(_ tensors: [SpecTensor], of names: [String], _ side: String) throws(FileError) {
    guard !tensors.isEmpty else { return }
    guard tensors.count == names.count else {
      throw error(side + "Tensor", "there are \(tensors.count) shapes of \(names.count) blobs")
    }
    for (index, (name, tensor)) in zip(names, tensors).enumerated() {
      let rank = Int(widening: tensor.rank)
      guard tensor.dimValue.isEmpty || tensor.dimValue.count == rank else {
        throw error("\(side)Tensor[\(index)]", "there are \(tensor.dimValue.count) extents for the rank \(rank)")
      }
      guard let known = ranks[name] else {
        ranks[name] = rank
        added.ranks.append(name)
        continue
      }
      guard known == rank else {
        throw error("\(side)Tensor[\(index)].rank", "the blob '\(name)' has the rank \(known) elsewhere, not \(rank)")
      }
    }
  }

  private func check(_ allowed: NetworkRanks, of layer: SpecNeuralNetworkLayer) throws(FileError) {
    let (input, output) = (layer.input.first.flatMap { ranks[$0] }, layer.output.first.flatMap { ranks[$0] })
    for (field, rank) in [("input[0]", input), ("output[0]", output)] {
      guard let rank, !allowed.allowed.contains(rank) else { continue }
      throw error(field, "the blob has the rank \(rank) instead of \(NetworkArity.text(allowed.allowed))")
    }
    if let input, let output, let added = allowed.added {
      // In range: ranks and numbers of axes in a file.
      let expected = input + added
      guard output == expected || (expected < 1 && output == 1) else {
        throw error("output[0]", "the blob has the rank \(output) instead of \(expected)")
      }
    }
    for (field, names, areEqual) in [
      ("input", layer.input, allowed.areInputsEqual), ("output", layer.output, allowed.areOutputsEqual),
    ] where areEqual {
      let known = names.compactMap { ranks[$0] }
      guard Set(known).count <= 1 else { throw error(field, "the blobs have different ranks, \(known)") }
    }
  }
}

extension SpecNeuralNetworkLayer {
  fileprivate var isCopy: Bool { if case .copy? = layer { true } else { false } }
}
