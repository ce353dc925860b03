import MartletCompiler
import MartletGraph
import MartletImport
import MartletOps
import MartletRuntime
import MartletTensor

extension Model {
  /// Plans a method and estimates the cost of each of its operations. The operations of a pipeline are those of its models.
  ///
  /// Open extents of inputs take the default values from the file, or their upper bounds if it has none. A method whose kernels depend on
  /// data is run once with zeros; its states are not changed.
  ///
  /// - Parameter method: the method's name; nil for the default method.
  /// - Throws: `MartletError` of the kind `unsupported` naming the operator that the engine does not have.
  public func plan(method: String? = nil) throws -> ModelPlan {
    let name = method ?? defaultMethod
    if let graphs = source.chain(of: name)?.graphs, !source.hasGraph(name) {
      try load(method: name, precision: nil)
      return ModelPlan(method: name, stages: try graphs.map { try planOfGraph($0.method) }, threads: threads)
    }
    return try planOfGraph(method)
  }

  private func planOfGraph(_ method: String?) throws -> ModelPlan {
    let compiled = try compiled(method)
    let inputs = plannedInputs(of: compiled)
    do {
      let plan = try compiled.plan(for: inputs.map(\.binding))
      var steps = plan.steps
      var isPartial = false
      if plan.continuation != nil {
        if let run = try? stepsOfRun(inputs, method: compiled.graph.name) { steps = run } else { isPartial = true }
      }
      return try makePlan(compiled, inputs.map(\.text), steps, measured: nil, isPartial: isPartial)
    } catch {
      throw MartletError(error, file: name, method: compiled.graph.name)
    }
  }

  /// Runs a method and returns its plan with the measured time of each operation.
  ///
  /// - Parameters:
  ///   - inputs: as for `run(_:method:)`.
  ///   - rounds: number of runs after the first one; the shortest time of each operation is reported.
  /// - Throws: as `run(_:method:)`.
  public func measuredPlan(_ inputs: [ModelValue], method: String? = nil, rounds: Int = 10) throws -> ModelPlan {
    let method = method ?? defaultMethod
    guard let chain = source.chain(of: method), !source.hasGraph(method) else {
      return try measuredPlanOfGraph(inputs, method: method, rounds: rounds)
    }
    try load(method: method, precision: nil)
    // The graphs of a run, with the inputs that they get in it.
    var calls: [(graph: String, inputs: [ModelValue])] = []
    _ = try run(chain, inputs) { graph, inputs in
      calls.append((graph, inputs))
      var results: [ModelValue] = []
      try runGraph(inputs, into: &results, method: graph, profile: nil, cancellation: .current, usesOneThread: false)
      return results
    }
    return ModelPlan(
      method: method, stages: try calls.map { try measuredPlanOfGraph($0.inputs, method: $0.graph, rounds: rounds) }, threads: threads)
  }

  private func measuredPlanOfGraph(_ inputs: [ModelValue], method: String, rounds: Int) throws -> ModelPlan {
    let compiled = try compiled(method)
    let name = compiled.graph.name
    var entries = try profiledSteps(inputs, method: name)
    var times = entries.map(\.duration)
    for round in 0..<max(rounds, 1) {
      let next = try profiledSteps(inputs, method: name)
      // All runs execute the same kernels unless they draw random numbers.
      guard next.count == times.count, round > 0 else {
        (entries, times) = (next, next.map(\.duration))
        continue
      }
      for (index, entry) in next.enumerated() { times[index] = min(times[index], entry.duration) }
    }
    let texts = zip(compiled.graph.inputs, inputs).map { id, value in
      value.tensor.map { "\(TensorType($0.host.dtype, $0.shape))" } ?? "\(compiled.graph[id].type)"
    }
    return try makePlan(compiled, texts, entries.map(\.step), measured: times.map { Double($0) * 1e-9 }, isPartial: false)
  }

  private func makePlan(
    _ compiled: CompiledMethod, _ inputs: [String], _ steps: [PlannedStep], measured: [Double]?, isPartial: Bool
  ) throws -> ModelPlan {
    // The imported graph also contains the operations that the passes eliminated.
    let imported = try graph(compiled.graph.name, isOptimized: false)
    var costs = OperationCosts(imported.operations, model: CostModel(workers: threads))
    for (index, step) in steps.enumerated() { costs.add(step, measured: measured?[index]) }
    let all = costs.costs
    let total = all.reduce(0) { $0 + $1.estimate }
    let operations = all.map { cost in
      ModelPlan.Operation(
        op: cost.operation.op, name: cost.operation.name, device: "CPU", kernels: cost.kernels, estimatedSeconds: cost.estimate,
        share: total > 0 ? cost.estimate / total : 1 / Double(all.count), measuredSeconds: measured == nil ? nil : cost.measurement,
        number: cost.operation.number)
    }
    return ModelPlan(
      method: compiled.graph.name, inputs: inputs, threads: threads, operations: operations, kernelCount: steps.count,
      isPartial: isPartial)
  }

  // MARK: Inputs

  private struct PlannedInput {
    let binding: InputBinding
    let text: String

    /// A zero input for a run that only determines the kernels.
    func zeros(limit: Int) throws -> ModelValue {
      switch binding {
      case .tensor(let type, _):
        guard let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape), byteCount <= limit else {
          throw MartletError.invalidInput("\(type) is too large")
        }
        return .tensor(Tensor(HostTensor(zeros: type.dtype, shape: type.shape)))
      case .scalar(.int): return .int(0)
      case .scalar(.double): return .double(0)
      case .scalar(.bool): return .bool(false)
      case .none: return .none
      }
    }
  }

  private func plannedInputs(of compiled: CompiledMethod) -> [PlannedInput] {
    compiled.graph.inputs.enumerated().map { position, id in
      let text = "\(compiled.graph[id].type)"
      switch compiled.graph[id].type {
      case .tensor(let signature):
        let usual = source.usualShape(ofInput: position, of: compiled.graph.name)
        let shape = signature.dimensions.enumerated().map { axis, dimension in
          switch dimension {
          case .fixed(let extent): extent
          case .symbolic(let bound): usual.flatMap { $0.count == signature.rank ? $0[axis] : nil } ?? bound ?? 1
          }
        }
        let type = TensorType(signature.dtype, shape)
        return PlannedInput(binding: .tensor(type, order: options.keepsAxisOrder ? signature.dimOrder : nil), text: "\(type)")
      case .scalar(let kind): return PlannedInput(binding: .scalar(kind), text: text)
      case .string, .none: return PlannedInput(binding: .none, text: text)
      }
    }
  }

  /// Work of a run that only determines the kernels, in the units of `Allowance`.
  private static let workOfRun = 1 << 22

  /// The kernels of a run, made on a separate model if the method has states.
  private func stepsOfRun(_ inputs: [PlannedInput], method: String) throws -> [PlannedStep] {
    let hasStates = try !compiled(method).graph.states.isEmpty
    var options = options
    options.keepsStates = true
    let runner = hasStates ? Model(source: source, url: url, options: options) : self
    return try runner.profiledSteps(
      inputs.map { try $0.zeros(limit: options.limits.memoryByteCount) }, method: method, workLimit: Self.workOfRun
    ).map(\.step)
  }
}
