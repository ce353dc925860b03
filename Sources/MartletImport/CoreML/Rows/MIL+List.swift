import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Lists of tensors of equal shape. A list is represented by a tensor whose first axis counts the elements. The type of a list that may
/// grow does not declare this number, and writing after its end makes it longer.
let milListRows: MILCallTable = [
  // init_length, dynamic_length, elem_shape, dtype
  "make_list": { call in
    guard case .list(let type, _) = try call.listType(), let declared = type.tensor else { throw CallError("the result is not a list") }
    let element = try TensorSignature(declared)
    var operands: [ValueID?] = [call.number(.int(0))]
    let length = call.has("init_length") ? try call.intArgument("init_length", &operands) : .constant(1)
    // Extents that are determined by the first element are 0 until then.
    let shape = element.dimensions.map { dimension in
      if case .fixed(let extent) = dimension { return IntArgument.constant(extent) }
      return .constant(0)
    }
    var count = Dimension.symbolic(bound: nil)
    if case .constant(let extent) = length, try !call.bool("dynamic_length", default: true) { count = .fixed(extent) }
    let tensor = call.intermediate(
      Full(shape: [length] + shape, dtype: element.dtype), operands,
      TensorSignature(dtype: element.dtype, dimensions: [count] + element.dimensions))
    try call.set(MILBound(list: MILTensorList(tensor: tensor, element: element)))
  },
  "list_length": { call in
    try call.set(numbers: [try call.extent(of: try call.list("ls").tensor, axis: 0)])
  },
  "list_read": { call in
    var operands: [ValueID?] = [try call.list("ls").tensor]
    let index = try call.intArgument("index", &operands)
    try call.emit(Select(axis: 0, index: index), operands)
  },
  "list_gather": { call in
    try call.emit(GatherSlices(SliceIndexing(axis: 0)), [try call.list("ls").tensor, try call.tensor("indices")])
  },
  // ls, index, value
  "list_write": { call in
    let list = try call.list("ls")
    let value = try call.tensor("value")
    guard let index = try call.numbers("index")?.first else { throw CallError("parameter index is not a number") }
    let longer = try call.grown(list, like: value) { call in try call.arithmetic(.add, index, .known(.int(1))) }
    var operands: [ValueID?] = [longer.tensor, value]
    let position = try call.intArguments([index], "index", &operands)[0]
    let signature = try call.signature(of: longer.tensor)
    let written = call.intermediate(SelectScatter(axis: 0, index: position), operands, signature)
    try call.set(MILBound(list: MILTensorList(tensor: written, element: longer.element)))
  },
  // ls, indices, value: one element per index
  "list_scatter": { call in
    let list = try call.list("ls")
    let (value, indices) = (try call.tensor("value"), try call.tensor("indices"))
    let dtype = try call.signature(of: indices).dtype
    let longer = try call.grown(list, like: value, isStacked: true) { call in
      let largest = call.intermediate(
        Reduce(.max, axes: nil, keepsAxes: false, dtype: dtype), [indices], TensorSignature(TensorType(dtype, [])))
      return try call.arithmetic(
        .add, .computed(call.number(ScalarFromTensor(kind: .int), [largest], .int)), .known(.int(1)))
    }
    let signature = try call.signature(of: longer.tensor)
    let written = call.intermediate(
      ScatterSlices(SliceIndexing(axis: 0), .update), [longer.tensor, indices, value], signature)
    try call.set(MILBound(list: MILTensorList(tensor: written, element: longer.element)))
  },
]

extension MILCall {
  fileprivate func listType() throws -> MILType {
    guard let type = operation.outputs.first?.type else { throw CallError("there is no result") }
    return type
  }

  fileprivate func list(_ parameter: String) throws -> MILTensorList {
    guard let list = try bound(parameter).list else { throw CallError("parameter \(parameter) is not a list") }
    return list
  }

  /// The list with at least `count` elements, if it may grow. Elements whose shape is not known yet get the shape of `value`, which is one
  /// element or, if `isStacked`, several along axis 0.
  fileprivate mutating func grown(
    _ list: MILTensorList, like value: ValueID, isStacked: Bool = false, _ count: (inout MILCall) throws -> GraphNumber
  ) throws -> MILTensorList {
    let length = try signature(of: list.tensor).dimensions[0]
    if length.isFixed, list.element.isFixed { return list }
    var operands: [ValueID?] = [list.tensor, value]
    let argument = length.isFixed ? .constant(0) : try intArguments([try count(&self)], "index", &operands)[0]
    var element = list.element
    if !element.isFixed {
      let dimensions = try signature(of: value).dimensions
      element.dimensions = isStacked ? Array(dimensions.dropFirst()) : dimensions
    }
    let type = TensorSignature(dtype: element.dtype, dimensions: [length] + element.dimensions)
    let op = GrowList(count: argument, isExampleStacked: isStacked)
    return MILTensorList(tensor: intermediate(op, operands, type), element: element)
  }
}
