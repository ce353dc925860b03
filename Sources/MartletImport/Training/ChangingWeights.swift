import MartletCoreMLFile
import MartletGraph
import MartletTensor

/// The weights that training changes. In the graph they are states, which start with the file's values.
final class ChangingWeights {
  struct Entry {
    /// `NetworkWeights.position`.
    let weights: Int
    /// Index of the state.
    let state: Int
    /// The value before the step.
    let value: ValueID
    let shape: [Int]
  }

  private let positions: Set<Int>
  /// In the order in which layers first use them.
  private(set) var entries: [Entry] = []

  /// - Parameter positions: those of the weights, see `NetworkWeights.position`.
  init(_ positions: Set<Int>) { self.positions = positions }

  /// The value of the weights with a shape; nil for weights that stay.
  func value(of weights: NetworkWeights, shape: [Int], in call: NetworkCall) throws -> ValueID? {
    guard let position = weights.position, positions.contains(position) else { return nil }
    if let known = entries.first(where: { $0.weights == position }) {
      return known.shape == shape ? known.value : try call.reshaped(known.value, to: shape)
    }
    let constant = try call.constant(weights, shape: shape)
    let type = TensorType(.float32, shape)
    let builder = call.builder
    let state = builder.addState(StateDeclaration(name: "weights \(position)", type: type, initial: constant))
    let value = builder.stateAtEntry(state, TensorSignature(type))
    entries.append(Entry(weights: position, state: state, value: value, shape: shape))
    return value
  }
}
