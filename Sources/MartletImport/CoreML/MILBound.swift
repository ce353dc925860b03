import MartletCoreMLFile
import MartletGraph
import MartletTensor

/// The meaning of a name in a program.
///
/// A tensor may exist in several forms. Tensors computed from shapes are lists of numbers first, so that shapes derived from them stay
/// known when planning. They become tensors only for operators that need one.
struct MILBound: Capturable {
  /// Nil if the value is not a tensor.
  var signature: TensorSignature?
  /// The tensor in the graph.
  var tensor: ValueID?
  /// The elements of a tensor of rank 0 or 1.
  var numbers: [GraphNumber]?
  /// A value of the file: a constant tensor of any element type, a string, a list.
  var value: MILValue?
  /// Index of a state in the graph's `states`.
  var state: Int?
  /// The elements of a list that operators read and write: tensors of equal shape.
  var list: MILTensorList?

  init(tensor: ValueID, _ signature: TensorSignature) {
    self.tensor = tensor
    self.signature = signature
  }

  init(numbers: [GraphNumber], _ signature: TensorSignature) {
    self.numbers = numbers
    self.signature = signature
  }

  init(_ value: MILValue) {
    self.value = value
    if let tensor = value.tensor, let dtype = DType(ofConstants: tensor.dataType), tensor.shape.count <= 16 {
      signature = TensorSignature(TensorType(dtype, tensor.shape))
    }
  }

  init(state: Int, _ signature: TensorSignature) {
    self.state = state
    self.signature = signature
  }

  init(list: MILTensorList) { self.list = list }

  /// A copy with every graph value replaced.
  func mapped(_ replacement: (ValueID) -> ValueID) -> MILBound {
    var copy = self
    copy.tensor = tensor.map(replacement)
    copy.numbers = numbers?.map { number in
      if case .computed(let value) = number { .computed(replacement(value)) } else { number }
    }
    copy.list = list.map { MILTensorList(tensor: replacement($0.tensor), element: $0.element) }
    return copy
  }
}

/// A list of tensors in the graph: one tensor whose first axis counts the elements.
struct MILTensorList {
  var tensor: ValueID
  /// Signature of an element.
  var element: TensorSignature

  init(tensor: ValueID, element: TensorSignature) {
    self.tensor = tensor
    self.element = element
  }
}
