import MartletBytes
import MartletExecuTorchFile
import MartletImport
import MartletKernels
import MartletTensor

/// The call of a sample for one column, as a program in memory with its input tensors.
struct OperatorProgram {
  /// The column has no such call, such as the complex type of float16.
  struct NoCall: Error {}

  /// Source of the tensor arguments.
  enum Placement: CaseIterable {
    /// All tensors are inputs of the method.
    case inputs
    /// All tensors except the first are constants of the file, like weights.
    case constants
  }

  let program: ExecuTorchProgram
  let inputs: [HostTensor]

  init(_ sample: OperatorSample, column: OperatorColumn, placement: Placement) throws {
    var builder = Builder(column: column, placement: placement)
    var arguments = try sample.arguments.enumerated().map { try builder.argument($1, isFirst: $0 == 0) }
    let outputs = try builder.outputs(sample, &arguments)
    program = ExecuTorchProgram(
      calling: sample.op, arguments: arguments, values: builder.values, inputs: builder.inputs, outputs: outputs)
    inputs = builder.tensors
  }

  private struct Builder {
    let column: OperatorColumn
    let placement: Placement
    var values: [EValue] = []
    var inputs: [Int] = []
    var tensors: [HostTensor] = []

    private mutating func add(_ value: EValue) -> Int {
      values.append(value)
      return values.count - 1
    }

    mutating func argument(_ text: Substring, isFirst: Bool) throws -> Int {
      switch text.first {
      case "@":
        guard let dtype = column.dtype(named: text.dropFirst()) else { throw NoCall() }
        return add(.int(Int64(ScalarType(dtype).rawValue)))
      case "\"": return add(.string(String(text.dropFirst().dropLast())))
      case "?":
        let items = text.dropFirst(2).dropLast().split(separator: ";")
        return add(.optionalTensorList(try items.map { $0 == "none" ? nil : try argument($0, isFirst: false) }))
      case "{":
        let items = text.dropFirst().dropLast().split(separator: ";")
        return add(.tensorList(try items.map { try argument($0, isFirst: false) }))
      case "[":
        let items = text.dropFirst().dropLast().split(separator: ",")
        if items.contains(where: { $0 == "true" || $0 == "false" }) { return add(.boolList(items.map { $0 == "true" })) }
        if items.contains(where: { $0.contains(".") }) { return add(.doubleList(items.map { Double($0)! })) }
        return add(.intList(items.map { add(.int(Int64($0)!)) }))
      default: break
      }
      if text == "none" { return add(.none) }
      if text == "true" || text == "false" { return add(.bool(text == "true")) }
      if text.hasPrefix("S="), case .number(let kind) = column { return add(number(kind, Double(text.dropFirst(2))!)) }
      if let value = Int64(text) { return add(.int(value)) }
      if let value = Double(text) { return add(.double(value)) }
      return try tensor(text, isConstant: placement == .constants && !isFirst)
    }

    private func number(_ kind: ScalarKind, _ value: Double) -> EValue {
      switch kind {
      case .int: .int(Int64(value))
      case .double: .double(value)
      case .bool: .bool(value != 0)
      }
    }

    private func parts(_ text: Substring) throws -> (dtype: DType, shape: [Int], elements: [Double]) {
      let name = text.prefix { $0 != "[" }
      let shape = text.dropFirst(name.count + 1).prefix { $0 != "]" }
      let elements = text.split(separator: "=").dropFirst().first?.split(separator: ",").map { Double($0)! }
      guard let dtype = column.dtype(named: name) else { throw NoCall() }
      return (dtype, shape.split(separator: ",").map { Int($0)! }, elements ?? [1, 2, 3, 4])
    }

    private mutating func tensor(_ text: Substring, isConstant: Bool) throws -> Int {
      let (dtype, shape, elements) = try parts(text)
      let tensor = HostTensor(repeating: elements, dtype: dtype, shape: shape)
      if isConstant, !shape.contains(0) {
        let bytes = ByteView(of: MappedFile(copying: tensor.bytes, name: "sample"))
        return add(.tensor(ProgramTensor(ScalarType(dtype), sizes: shape, data: .constant(bytes))))
      }
      let index = add(.tensor(ProgramTensor(ScalarType(dtype), sizes: shape, data: .callerProvided)))
      inputs.append(index)
      tensors.append(tensor)
      return index
    }

    private mutating func output(_ text: Substring) throws -> Int {
      let (dtype, shape, _) = try parts(text)
      return add(.tensor(ProgramTensor(ScalarType(dtype), sizes: shape, data: .callerProvided)))
    }

    /// Appends the outputs to the arguments, followed by the return values if the file format requires them.
    mutating func outputs(_ sample: OperatorSample, _ arguments: inout [Int]) throws -> [Int] {
      let isPrimitive = sample.op.hasPrefix("executorch_prim::")
      var outputs: [Int] = []
      for text in sample.outputs {
        if text == "=0" {
          outputs.append(arguments[0])
          if !isPrimitive { arguments.append(arguments[0]) }
          return outputs
        }
        if let kind = column.kind(named: text) {
          // A value that no literal has, to detect operators that do not set it.
          outputs.append(add(number(kind, 99)))
          arguments += outputs
          return outputs
        }
        if text.first == "{" {
          outputs = try text.dropFirst().dropLast().split(separator: ";").map { try output($0) }
          let list = add(.tensorList(outputs))
          arguments += [list, list]
          return outputs
        }
        outputs.append(try output(text))
      }
      arguments += outputs
      if !isPrimitive { arguments.append(outputs.count == 1 ? outputs[0] : add(.tensorList(outputs))) }
      return outputs
    }
  }
}

extension HostTensor {
  /// A tensor that cycles through `elements`, converted to `dtype`.
  fileprivate init(repeating elements: [Double], dtype: DType, shape: [Int]) {
    var source = HostTensor(zeros: .float64, shape: shape)
    let count = source.elementCount
    unsafe source.withUnsafeMutableBytes { bytes in
      for index in 0..<count {
        unsafe bytes.storeBytes(of: elements[index % elements.count], toByteOffset: index * 8, as: Double.self)
      }
    }
    self.init(zeros: dtype, shape: shape)
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { bytes in
        guard count > 0 else { return }
        unsafe StridedCopy.copy(
          from: bytes.baseAddress!, TensorType(.float64, shape), strides: Shape.contiguousStrides(shape), to: target.baseAddress!, as: dtype
        )
      }
    }
  }
}

extension ScalarType {
  /// The file's type that the importer reads as `dtype`.
  fileprivate init(_ dtype: DType) { self = ScalarType.allCases.first { DType($0) == dtype }! }
}
