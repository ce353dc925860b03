import MartletBytes
import MartletTensor

/// The content of a program's root table.
struct ProgramContent {
  let version: UInt32
  let storage: ProgramStorage
  let plans: [ExecutionPlan]
  let namedData: [String: ByteView]

  /// - Parameter program: the root table, `Program`.
  init(_ program: FlatBufferTable, file: ByteView, header: ExecuTorchProgram.Header?) throws(FileError) {
    version = try program.integer(0, "version")
    let storage = try ProgramStorage(program, file: file, header: header)
    self.storage = storage
    plans = try program.tables(1, "execution_plan") { (plan, _) throws(FileError) in try ExecutionPlan(plan, storage: storage) }
    var namedData: [String: ByteView] = [:]
    try readNamedData(program, slot: 7, segments: storage.segments) { (key, data, _) throws(FileError) in namedData[key] = data }
    self.namedData = namedData
  }
}

extension ExecutionPlan {
  /// Reads an `ExecutionPlan` table.
  fileprivate init(_ plan: FlatBufferTable, storage: ProgramStorage) throws(FileError) {
    guard let name = try plan.string(0, "name") else { throw plan.error("is missing", field: "name") }
    let bufferSizes = try Self.bufferSizes(plan)
    let values = try plan.tables(2, "values") { (value, _) throws(FileError) in
      try EValue(value, storage: storage, bufferSizes: bufferSizes)
    }
    try Self.checkLists(values, plan)
    let operators = try plan.tables(6, "operators") { (entry, _) throws(FileError) in
      guard let name = try entry.string(0, "name") else { throw entry.error("is missing", field: "name") }
      return OperatorName(name: name, overload: try entry.string(1, "overload") ?? "")
    }
    let delegates = try plan.tables(7, "delegates") { (delegate, _) throws(FileError) in
      try BackendDelegate(delegate, storage: storage)
    }
    let reader = InstructionReader(
      valueCount: values.count, operatorCount: operators.count, delegateCount: delegates.count)

    self.name = name
    self.containerMetaType = try plan.table(1, "container_meta_type") { (table) throws(FileError) in
      ContainerMetaType(
        encodedInputs: try table.string(0, "encoded_inp_str") ?? "", encodedOutputs: try table.string(1, "encoded_out_str") ?? "")
    }
    self.values = values
    self.inputs = try reader.valueIndices(plan, 3, "inputs")
    self.outputs = try reader.valueIndices(plan, 4, "outputs")
    self.chains = try plan.tables(5, "chains") { (chain, _) throws(FileError) in try reader.chain(chain) }
    self.operators = operators
    self.delegates = delegates
    self.bufferSizes = bufferSizes
    self.bufferDevices = try Self.bufferDevices(plan, bufferCount: bufferSizes.count)
  }

  private static func bufferSizes(_ plan: FlatBufferTable) throws(FileError) -> [Int] {
    let sizes = try plan.ints(8, "non_const_buffer_sizes", of: Int64.self) ?? []
    if let negative = sizes.first(where: { $0 < 0 }) {
      throw plan.error("the size \(negative) is negative", field: "non_const_buffer_sizes")
    }
    guard Extent.sum(sizes).count != nil else {
      throw plan.error("\(Extent.sum(sizes)) bytes of planned memory are beyond any machine", field: "non_const_buffer_sizes")
    }
    return sizes
  }

  private static func bufferDevices(_ plan: FlatBufferTable, bufferCount: Int) throws(FileError) -> [Int: Device] {
    var devices: [Int: Device] = [:]
    _ = try plan.tables(9, "non_const_buffer_device") { (entry, _) throws(FileError) in
      let index: Int32 = try entry.integer(0, "buffer_idx")
      guard index >= 0, index < bufferCount else {
        throw entry.error("there is no buffer \(index), only \(bufferCount)", field: "buffer_idx")
      }
      let device = Device(type: try entry.integer(1, "device_type"), index: try entry.integer(2, "device_index"))
      if device.type != Device.cpu.type { devices[Int(widening: index)] = device }
    }
    return devices
  }

  /// Checks the elements of lists: integers (or values computed at run time, which are initially none) and tensors.
  private static func checkLists(_ values: [EValue], _ plan: FlatBufferTable) throws(FileError) {
    func check(_ item: Int, of index: Int, allowed: (EValue) -> Bool) throws(FileError) {
      guard item >= 0, item < values.count else {
        throw plan.error("there is no value \(item), only \(values.count)").nested(in: "values[\(index)].val.items")
      }
      guard allowed(values[item]) else {
        let kinds = "value \(item) is of kind '\(values[item].kindName)', which a value of kind '\(values[index].kindName)'"
        throw plan.error(kinds + " cannot contain").nested(in: "values[\(index)].val.items")
      }
    }
    for (index, value) in values.enumerated() {
      switch value {
      case .intList(let items):
        for item in items {
          try check(item, of: index) {
            switch $0 {
            case .int, .none: true
            default: false
            }
          }
        }
      case .tensorList(let items):
        for item in items { try check(item, of: index) { $0.tensor != nil } }
      case .optionalTensorList(let items):
        for case let item? in items {
          try check(item, of: index) {
            switch $0 {
            case .tensor, .none: true
            default: false
            }
          }
        }
      case .none, .int, .bool, .double, .tensor, .string, .doubleList, .boolList:
        break
      }
    }
  }
}

extension BackendDelegate {
  /// Reads a `BackendDelegate` table.
  fileprivate init(_ delegate: FlatBufferTable, storage: ProgramStorage) throws(FileError) {
    guard let id = try delegate.string(0, "id") else { throw delegate.error("is missing", field: "id") }
    guard let data = try delegate.table(1, "processed", storage.delegatePayload) else {
      throw delegate.error("is missing", field: "processed")
    }
    self.id = id
    self.payload = data.payload
    self.isInline = data.isInline
    self.compileSpecs = try delegate.tables(2, "compile_specs") { (spec, _) throws(FileError) in
      CompileSpec(key: try spec.string(0, "key") ?? "", value: try spec.bytes(1, "value") ?? ByteView.empty)
    }
  }
}
