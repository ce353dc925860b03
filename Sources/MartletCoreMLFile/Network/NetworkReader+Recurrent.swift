import MartletBytes
import MartletTensor

extension NetworkReader {
  /// Sizes of the matrices of a gate.
  private struct GateSize {
    let input: Int
    let output: Int
    var weights: Extent { Extent(input) * output }
    var recursion: Extent { Extent(output) * output }
    var vector: Extent { Extent(output) }
  }

  private func size(_ input: UInt64, _ output: UInt64) throws(FileError) -> GateSize {
    GateSize(input: try extent(input, "inputVectorSize"), output: try extent(output, "outputVectorSize"))
  }

  private func gate(
    _ name: String, _ size: GateSize, _ weights: SpecWeightParams, _ recursion: SpecWeightParams, bias: SpecWeightParams?,
    peephole: SpecWeightParams? = nil
  ) throws(FileError) -> NetworkGate {
    NetworkGate(
      weights: try self.weights(weights, name + "WeightMatrix", count: size.weights, channels: size.vector),
      recursion: try self.weights(recursion, name + "RecursionMatrix", count: size.recursion, channels: size.vector),
      bias: try bias.map { bias throws(FileError) in try self.weights(bias, name + "BiasVector", count: size.vector) },
      peephole: try peephole.map { vector throws(FileError) in try self.weights(vector, name + "PeepholeVector", count: size.vector) })
  }

  func recurrent(_ source: SpecSimpleRecurrentLayerParams) throws(FileError) -> NetworkRecurrent {
    let size = try size(source.inputVectorSize, source.outputVectorSize)
    return NetworkRecurrent(
      inputSize: size.input, outputSize: size.output, activation: try activation(source.activation, "activation"),
      givesSequence: source.sequenceOutput, isReversed: source.reverseInput,
      weights: try weights(source.weightMatrix, "weightMatrix", count: size.weights, channels: size.vector),
      recursion: try weights(source.recursionMatrix, "recursionMatrix", count: size.recursion, channels: size.vector),
      bias: source.hasBiasVector ? try weights(source.biasVector, "biasVector", count: size.vector) : nil)
  }

  func gru(_ source: SpecGRULayerParams) throws(FileError) -> NetworkGRU {
    let size = try size(source.inputVectorSize, source.outputVectorSize)
    let hasBias = source.hasBiasVectors_p
    let activations = try activations(source.activations, "activations", count: 2)
    return NetworkGRU(
      inputSize: size.input, outputSize: size.output, gateActivation: activations[0], outputActivation: activations[1],
      givesSequence: source.sequenceOutput, isReversed: source.reverseInput,
      update: try gate(
        "updateGate", size, source.updateGateWeightMatrix, source.updateGateRecursionMatrix,
        bias: hasBias ? source.updateGateBiasVector : nil),
      reset: try gate(
        "resetGate", size, source.resetGateWeightMatrix, source.resetGateRecursionMatrix,
        bias: hasBias ? source.resetGateBiasVector : nil),
      output: try gate(
        "outputGate", size, source.outputGateWeightMatrix, source.outputGateRecursionMatrix,
        bias: hasBias ? source.outputGateBiasVector : nil))
  }

  func lstm(_ source: SpecUniDirectionalLSTMLayerParams) throws(FileError) -> NetworkLSTM {
    let size = try size(source.inputVectorSize, source.outputVectorSize)
    return lstm(
      size, source.params, isReversed: source.reverseInput,
      forward: try direction(
        size, source.params, source.weightParams, try activations(source.activations, "activations", count: 3)), backward: nil)
  }

  func lstm(_ source: SpecBiDirectionalLSTMLayerParams) throws(FileError) -> NetworkLSTM {
    let size = try size(source.inputVectorSize, source.outputVectorSize)
    guard source.weightParams.count == 2 else {
      throw error("weightParams", "has \(source.weightParams.count) entries instead of 2, one for each direction")
    }
    let forward = try activations(source.activationsForwardLstm, "activationsForwardLSTM", count: 3)
    let backward = try activations(source.activationsBackwardLstm, "activationsBackwardLSTM", count: 3)
    return lstm(
      size, source.params, isReversed: false, forward: try direction(size, source.params, source.weightParams[0], forward),
      backward: try direction(size, source.params, source.weightParams[1], backward))
  }

  private func lstm(
    _ size: GateSize, _ parameters: SpecLSTMParams, isReversed: Bool, forward: NetworkLSTM.Direction, backward: NetworkLSTM.Direction?
  ) -> NetworkLSTM {
    // Nothing is added for `forgetBias`: coremltools' Keras converter sets it beside biases that hold the ones already, and its tests of
    // version 5.2 expect Keras's results.
    NetworkLSTM(
      inputSize: size.input, outputSize: size.output, givesSequence: parameters.sequenceOutput,
      isCoupled: parameters.coupledInputAndForgetGate, clip: parameters.cellClipThreshold.or(50), isReversed: isReversed,
      forward: forward, backward: backward)
  }

  private func direction(
    _ size: GateSize, _ parameters: SpecLSTMParams, _ source: SpecLSTMWeightParams, _ activations: [NetworkActivation]
  ) throws(FileError) -> NetworkLSTM.Direction {
    let hasBias = parameters.hasBiasVectors_p
    let hasPeephole = parameters.hasPeepholeVectors_p
    return NetworkLSTM.Direction(
      gateActivation: activations[0], inputActivation: activations[1], outputActivation: activations[2],
      input: try gate(
        "inputGate", size, source.inputGateWeightMatrix, source.inputGateRecursionMatrix,
        bias: hasBias ? source.inputGateBiasVector : nil, peephole: hasPeephole ? source.inputGatePeepholeVector : nil),
      forget: try gate(
        "forgetGate", size, source.forgetGateWeightMatrix, source.forgetGateRecursionMatrix,
        bias: hasBias ? source.forgetGateBiasVector : nil, peephole: hasPeephole ? source.forgetGatePeepholeVector : nil),
      cell: try gate(
        "blockInput", size, source.blockInputWeightMatrix, source.blockInputRecursionMatrix,
        bias: hasBias ? source.blockInputBiasVector : nil),
      output: try gate(
        "outputGate", size, source.outputGateWeightMatrix, source.outputGateRecursionMatrix,
        bias: hasBias ? source.outputGateBiasVector : nil, peephole: hasPeephole ? source.outputGatePeepholeVector : nil))
  }

  private func activations(_ source: [SpecActivationParams], _ field: String, count: Int) throws(FileError) -> [NetworkActivation] {
    guard source.count == count else { throw error(field, "has \(source.count) entries instead of \(count)") }
    var activations: [NetworkActivation] = []
    for (index, activation) in source.enumerated() { activations.append(try self.activation(activation, "\(field)[\(index)]")) }
    return activations
  }
}
