import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Recurrent layers. One in the direction "reverse" gives its states in the order of its steps, the backward half of a bidirectional
/// one in the order of the inputs.
let milRecurrentRows: MILCallTable = [
  "lstm": { call in
    let clip = call.has("clip") ? Float(try call.double("clip")) : nil
    let cell = RecurrentCell(
      .lstm, gateActivation: try call.activation("recurrent_activation", default: "sigmoid"),
      cellActivation: try call.activation("cell_activation", default: "tanh"),
      activation: try call.activation("activation", default: "tanh"), clip: clip)
    let direction = try call.string("direction", default: "forward").lowercased()
    guard direction == "bidirectional" else {
      return try call.recurrence(cell, hidden: try call.tensor("initial_h"), memory: try call.tensor("initial_c"))
    }
    try call.bidirectional(cell)
  },
  // bias: of the inputs and the state together, or with reset_after of the state, and input_bias that of the inputs
  "gru": { call in
    let resetsAfter = try call.bool("reset_after", default: false)
    let cell = RecurrentCell(
      resetsAfter ? .gruResetAfter : .gru, gateActivation: try call.activation("recurrent_activation", default: "sigmoid"),
      activation: try call.activation("activation", default: "tanh"))
    try call.recurrence(
      cell, hidden: try call.tensor("initial_h"), memory: nil,
      biases: call.opset >= 18 ? (try call.optionalTensor("input_bias"), try call.optionalTensor("bias")) : nil)
  },
  "rnn": { call in
    let cell = RecurrentCell(.plain, activation: try call.activation("activation", default: "tanh"))
    try call.recurrence(cell, hidden: try call.tensor("initial_h"), memory: nil)
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

  /// One direction as nodes: the states, the last state and an LSTM's last cell.
  private mutating func layer(
    _ op: Recurrence, hidden: ValueID, memory: ValueID?, suffix: String = "", biases: (ValueID?, ValueID?)? = nil
  ) throws -> [ValueID] {
    let x = try tensor("x")
    let (input, weights) = (try tensor("weight_ih" + suffix), try tensor("weight_hh" + suffix))
    let signature = try signature(of: x)
    let extents = try self.signature(of: weights).dimensions
    guard signature.rank == 3, extents.count == 2 else { throw CallError("x has rank \(signature.rank) and weight_hh \(extents.count)") }
    let state = TensorSignature(dtype: signature.dtype, dimensions: [signature.dimensions[1], extents[1]])
    let states = TensorSignature(
      dtype: signature.dtype, dimensions: [op.givesSequence ? signature.dimensions[0] : .fixed(1)] + state.dimensions)
    let (inputBias, hiddenBias) = try biases ?? (try optionalTensor("bias" + suffix), nil)
    return intermediates(
      op, [x, hidden, memory, input, weights, inputBias, hiddenBias, try optionalTensor("peephole" + suffix)],
      memory == nil ? [states, state] : [states, state, state])
  }

  fileprivate mutating func recurrence(
    _ cell: RecurrentCell, hidden: ValueID, memory: ValueID?, biases: (ValueID?, ValueID?)? = nil
  ) throws {
    let direction = try string("direction", default: "forward").lowercased()
    guard direction == "forward" || direction == "reverse" else { throw CallError("direction \"\(direction)\" is not known") }
    let op = Recurrence(
      cell, isReversed: direction == "reverse", keepsStepOrder: true, givesSequence: try bool("output_sequence", default: false))
    for (position, value) in try layer(op, hidden: hidden, memory: memory, biases: biases).enumerated() where position < outputCount {
      try setConverted(value, output: position)
    }
  }

  /// Both directions: their states and cells stand behind one another.
  fileprivate mutating func bidirectional(_ cell: RecurrentCell) throws {
    let givesSequence = try bool("output_sequence", default: false)
    let (hidden, memory) = (try tensor("initial_h"), try tensor("initial_c"))
    guard case .fixed(let width)? = try signature(of: try tensor("weight_hh")).dimensions.last else {
      throw CallError("weight_hh has no fixed width")
    }
    var halves: [[ValueID]] = []
    for (suffix, start) in [("", 0), ("_back", width)] {
      let range = SliceRange(start: .constant(start), end: .count(.constant(width)))
      halves.append(
        try layer(
          Recurrence(cell, isReversed: start > 0, givesSequence: givesSequence), hidden: try sliced([hidden], axis: 1, range),
          memory: try sliced([memory], axis: 1, range), suffix: suffix))
    }
    for position in 0..<min(3, outputCount) {
      let dtype = try signature(of: halves[0][position]).dtype
      let op = Concat(axis: position == 0 ? 2 : 1, dtype: dtype)
      var signature = try outputSignature(position)
      signature.dtype = dtype
      try setConverted(intermediate(op, [halves[0][position], halves[1][position]], signature), output: position)
    }
  }
}
