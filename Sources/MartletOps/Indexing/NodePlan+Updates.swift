import MartletGraph
import MartletTensor

extension NodePlan {
  /// Initialises the first result with operand 0's elements. They are copied unless the result shares the operand's memory.
  func beginUpdate() {
    let x = input(0)
    if x != outputs[0], !x.isEmpty { builder.emitCopy(from: x, to: outputs[0], source: source) }
  }

  /// The operand with arbitrary strides, converted to `dtype`, in memory that an update of the first result does not touch.
  func updateSource(_ index: Int, as dtype: DType) -> TensorView { apart(strided(index, as: dtype)) }

  /// The view, copied if it lies in the first result's buffer.
  func apart(_ view: TensorView) -> TensorView {
    guard view.buffer == outputs[0].buffer else { return view }
    let copy = builder.temporary(view.type)
    builder.emitCopy(from: view, to: copy, source: source)
    return copy
  }

  /// The operand broadcast to `shape`, row-major, converted to `dtype`.
  func broadcastContiguous(_ index: Int, to shape: [Int], as dtype: DType) -> TensorView {
    let view = strided(index, as: dtype).broadcast(to: shape)
    return builder.materialize(view, order: Array(shape.indices), dtype: dtype, source: source)
  }
}
