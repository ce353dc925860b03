import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Recurrent layers. With direction "reverse", the states are in the order of the steps. The states of the backward half of a bidirectional
/// layer are in the order of the inputs.
let milRecurrentRows: MILCallTable = [
  "lstm": { call in
    let clip = call.has("clip") ? Float(try call.double("clip")) : nil
    let cell = RecurrentCell(
      .lstm, gateActivation: try call.activation("recurrent_activation", default: "sigmoid"),
      cellActivation: try call.activation("cell_activation", default: "tanh"),
      activation: try call.activation("activation", default: "tanh"), clip: clip)
    let direction = try call.string("direction", default: "forward").lowercased()
    guard direction == "bidirectional" else {
      return try call.recurrence(cell, memory: try call.tensor("initial_c"), try call.weights())
    }
    let results = try call.bidirectionalRecurrence(
      cell, givesSequence: try call.bool("output_sequence", default: false), try call.tensor("x"), hidden: try call.tensor("initial_h"),
      memory: try call.tensor("initial_c"), [try call.weights(), try call.weights("_back")])
    for (position, value) in results.enumerated() where position < call.outputCount { try call.setConverted(value, output: position) }
  },
  // bias: of the inputs and the state together. With reset_after, bias is that of the state and input_bias that of the inputs.
  "gru": { call in
    let resetsAfter = try call.bool("reset_after", default: false)
    let cell = RecurrentCell(
      resetsAfter ? .gruResetAfter : .gru, gateActivation: try call.activation("recurrent_activation", default: "sigmoid"),
      activation: try call.activation("activation", default: "tanh"))
    var weights = try call.weights()
    if call.opset >= 18 { (weights.inputBias, weights.hiddenBias) = (try call.optionalTensor("input_bias"), weights.inputBias) }
    try call.recurrence(cell, memory: nil, weights)
  },
  "rnn": { call in
    let cell = RecurrentCell(.plain, activation: try call.activation("activation", default: "tanh"))
    try call.recurrence(cell, memory: nil, try call.weights())
  },
]

extension MILCall {
  fileprivate func activation(_ parameter: String, default name: String) throws -> RecurrentActivation {
    let name = try string(parameter, default: name).lowercased()
    switch name {
    case "sigmoid": return .sigmoid
    case "tanh": return .tanh
    case "relu": return .relu
    case "linear": return .linear
    case "hard_sigmoid", "sigmoid_hard": return RecurrentActivation(.hardSigmoid, alpha: 0.2, beta: 0.5)
    case "scaled_tanh": return RecurrentActivation(.scaledTanh, alpha: 1, beta: 1)
    default: throw CallError("parameter \(parameter) is \"\(name)\", which is not known")
    }
  }

  /// The weights of one direction.
  /// - Parameter suffix: suffix of the parameters' names.
  fileprivate func weights(_ suffix: String = "") throws -> RecurrentWeights {
    RecurrentWeights(
      input: try tensor("weight_ih" + suffix), hidden: try tensor("weight_hh" + suffix), inputBias: try optionalTensor("bias" + suffix),
      peephole: try optionalTensor("peephole" + suffix))
  }

  fileprivate mutating func recurrence(_ cell: RecurrentCell, memory: ValueID?, _ weights: RecurrentWeights) throws {
    let direction = try string("direction", default: "forward").lowercased()
    guard direction == "forward" || direction == "reverse" else { throw CallError("direction \"\(direction)\" is not known") }
    let op = Recurrence(
      cell, isReversed: direction == "reverse", keepsStepOrder: true, givesSequence: try bool("output_sequence", default: false))
    let results = try recurrence(op, try tensor("x"), hidden: try tensor("initial_h"), memory: memory, weights)
    for (position, value) in results.enumerated() where position < outputCount { try setConverted(value, output: position) }
  }
}
