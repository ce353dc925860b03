import MartletBytes
import MartletExecuTorchFile
import MartletTensor

extension ModelInspection.Method {
  /// - Parameters:
  ///   - uses: what the method's graph does with constants and states.
  ///   - namedData: looks up named data in the program or in a data file.
  init(_ plan: ExecutionPlan, uses: GraphUses, namedData: (String) -> ByteView?) {
    signature = MethodSignature(plan)
    plannedByteCount = Extent.sum(plan.bufferSizes.dropFirst()).clamped
    var kernelCalls: [String: Int] = [:]
    var delegateCalls: [Int: Int] = [:]
    for instruction in plan.chains.lazy.flatMap(\.instructions) {
      switch instruction {
      case .kernelCall(let index, _): kernelCalls[plan.operators[index].description, default: 0] += 1
      case .delegateCall(let index, _): delegateCalls[index, default: 0] += 1
      case .move, .jumpIfFalse, .free: continue
      }
    }
    operators = ModelInspection.OperatorCount.sorted(kernelCalls)
    delegates = plan.delegates.enumerated().map { index, delegate in
      ModelInspection.Delegate(delegate, callCount: delegateCalls[index] ?? 0, namedData: namedData)
    }
    let stateTensors = plan.stateTensors
    states = stateTensors.map { tensor in
      ModelInspection.Data(name: tensor.qualifiedName, type: "\(tensor.layout)", byteCount: tensor.layout.byteCount ?? 0)
    }
    stateWriters = stateTensors.map { tensor in tensor.place.flatMap { uses.writers[tensor.stateName(at: $0)] } }
    weights = ModelInspection.Weights.of(plan, tables: uses.tables, namedData: namedData)
    constants = plan.constants
  }
}

extension ModelInspection.OperatorCount {
  /// Merges both lists and sums the counts; most frequent first.
  public static func sum(_ first: [Self], _ second: [Self]) -> [Self] {
    sorted(Dictionary((first + second).map { ($0.name, $0.count) }, uniquingKeysWith: +))
  }

  /// Sorts by descending count, then by name.
  static func sorted(_ counts: [String: Int]) -> [Self] {
    counts.map { Self(name: $0, count: $1) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }
}

extension ModelInspection.Delegate {
  fileprivate init(_ delegate: BackendDelegate, callCount: Int, namedData: (String) -> ByteView?) {
    id = delegate.id
    byteCount = delegate.payload.count
    self.callCount = callCount
    do throws(FileError) {
      guard let names = try delegate.nodeNames(namedData: namedData) else {
        (operators, problem) = (nil, nil)
        return
      }
      (operators, problem) = (ModelInspection.OperatorCount.sorted(Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)), nil)
    } catch {
      (operators, problem) = (nil, "\(error)")
    }
  }
}

extension BackendDelegate {
  /// The operations of the payload's nodes; nil for a delegate whose payload is not a list of nodes.
  fileprivate func nodeNames(namedData: (String) -> ByteView?) throws(FileError) -> [String]? {
    switch id {
    case "XnnpackBackend": try XNNPACKGraph(payload, namedData: namedData).nodes.map(\.operation.name)
    case "MPSBackend": try MPSGraph(payload).nodes.map(\.name)
    default: nil
    }
  }
}

extension ExecutionPlan {
  /// Tensors that persist between calls: those with an initial value, and those read before any instruction writes them. Tensors at the
  /// same location are one state.
  fileprivate var stateTensors: [ProgramTensor] {
    var written: Set<ProgramTensor.PlannedLocation> = []
    var states: [ProgramTensor.PlannedLocation: ProgramTensor] = [:]
    var order: [ProgramTensor.PlannedLocation] = []

    func tensors(_ index: Int) -> [ProgramTensor] {
      switch values[index] {
      case .tensor(let tensor): [tensor]
      case .tensorList(let items): items.compactMap { values[$0].tensor }
      case .optionalTensorList(let items): items.compactMap { $0.flatMap { values[$0].tensor } }
      default: []
      }
    }
    func note(_ tensor: ProgramTensor, at place: ProgramTensor.PlannedLocation) {
      guard states.updateValue(tensor, forKey: place) == nil else { return }
      order.append(place)
    }
    for index in inputs {
      for tensor in tensors(index) { if case .planned(let place) = tensor.data { written.insert(place) } }
    }
    for case .tensor(let tensor) in values {
      if case .mutableInitialized(_, let place) = tensor.data { note(tensor, at: place) }
      if case .external(_, let place?) = tensor.data { note(tensor, at: place) }
    }
    for instruction in chains.lazy.flatMap(\.instructions) {
      switch instruction {
      case .kernelCall(_, let arguments):
        // The last argument repeats the kernel's results, which are also among the other arguments; a list may be there as another value.
        guard let last = arguments.last else { continue }
        let results = tensors(last).compactMap { if case .planned(let place) = $0.data { place } else { nil } }
        for tensor in arguments.dropLast().flatMap(tensors) {
          guard case .planned(let place) = tensor.data, !written.contains(place), !results.contains(place) else { continue }
          note(tensor, at: place)
        }
        written.formUnion(results)
      case .delegateCall(_, let arguments):
        // The file does not record the arguments that a delegate writes: a named tensor that nothing has written counts as a state.
        for tensor in arguments.flatMap(tensors) {
          guard case .planned(let place) = tensor.data, !written.contains(place) else { continue }
          if tensor.qualifiedName != nil { note(tensor, at: place) } else { written.insert(place) }
        }
      case .move, .jumpIfFalse, .free: continue
      }
    }
    return order.compactMap { states[$0] }
  }
}
