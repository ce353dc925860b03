package import MartletGraph
package import MartletKernels
package import MartletTensor

/// An operand of a node that is being planned.
package enum PlannedOperand: Sendable {
  case tensor(TensorView, Constant?)
  case scalar(ScalarOperand)
  case string(String)
  case absent
}

/// An integer that a kernel reads when it runs.
package struct RuntimeInt: Sendable {
  let slot: Int?
  let offset: Int64

  /// The value, within `±Shape.largestElementCount`: it is a position or a number of positions, and far beyond any of them
  /// already where it is cut off, so that kernels may add and subtract without overflow.
  package func value(_ context: KernelContext) -> Int {
    guard let slot else { return Self.limited(offset) }
    return Self.limited(context.int(slot: slot) &+ offset)
  }

  /// The value if it is known when planning, cut off likewise.
  package var known: Int? { slot == nil ? Self.limited(offset) : nil }

  /// The value as it is, if it is known when planning.
  package var exact: Int? { slot == nil ? Int(offset) : nil }

  private static func limited(_ value: Int64) -> Int {
    let limit = Int64(Shape.largestElementCount)
    return Int(min(max(value, -limit), limit))
  }
}

/// A number that a kernel reads when it runs.
package struct RuntimeScalar: Sendable {
  package let operand: ScalarOperand

  package init(operand: ScalarOperand) { self.operand = operand }

  package func double(_ context: KernelContext) -> Double { scalar(context).doubleValue }

  package func scalar(_ context: KernelContext) -> Scalar {
    switch operand {
    case .known(let scalar): scalar
    case .runtime(.int, let slot, let offset): .int(context.int(slot: slot) &+ offset)
    case .runtime(let kind, let slot, _): Scalar(kind: kind, bits: context.bits(slot: slot))
    }
  }
}

/// The node that is being planned: its operands in memory, its results, and the means to emit kernels.
package struct NodePlan {
  package let builder: PlanBuilder
  package let operands: [PlannedOperand]
  /// Placed results; empty while `alias` and `outputOrder` are asked. Scalar results have an entry that must not be used.
  package let outputs: [TensorView]
  /// Slots of scalar results and of the extents of bounded results, in order of result and axis.
  package let outputSlots: [Int]
  /// Inferred types of the results.
  package let outputTypes: [OperandType]
  package let source: NodePlace

  package init(
    builder: PlanBuilder, operands: [PlannedOperand], outputs: [TensorView], outputSlots: [Int], outputTypes: [OperandType],
    source: NodePlace
  ) {
    self.builder = builder
    self.operands = operands
    self.outputs = outputs
    self.outputSlots = outputSlots
    self.outputTypes = outputTypes
    self.source = source
  }

  /// A node for one of the operators that this one is made of, with operands and a result of its own.
  func part(_ operands: [PlannedOperand], to output: TensorView) -> NodePlan {
    NodePlan(builder: builder, operands: operands, outputs: [output], outputSlots: [], outputTypes: [.tensor(output.type)], source: source)
  }

  package var workers: Int { builder.workers }

  /// Type of a tensor result.
  package func outputType(_ index: Int) -> TensorType {
    switch outputTypes[index] {
    case .tensor(let type), .bounded(let type, _): type
    default: preconditionFailure("result \(index) is no tensor")
    }
  }

  /// The tensor operand, as it lies in memory. `infer` has made sure that it is one.
  package func input(_ index: Int) -> TensorView {
    guard case .tensor(let view, _) = operands[index] else { preconditionFailure("operand \(index) is no tensor") }
    builder.touch(view.buffer)
    return view
  }

  package func optionalInput(_ index: Int) -> TensorView? {
    guard index < operands.count, case .tensor = operands[index] else { return nil }
    return input(index)
  }

  /// Whether the operand is a tensor.
  package func has(_ index: Int) -> Bool {
    guard index < operands.count, case .tensor = operands[index] else { return false }
    return true
  }

  /// Dtype and shape of a tensor operand, wherever it lies.
  package func operandType(_ index: Int) -> TensorType {
    guard case .tensor(let view, _) = operands[index] else { preconditionFailure("operand \(index) is no tensor") }
    return view.type
  }

  /// The operand with whatever strides it has, converted to `dtype`.
  package func strided(_ index: Int, as dtype: DType) -> TensorView {
    let view = input(index)
    if view.dtype == dtype { return view }
    return builder.materialize(view, order: view.denseOrder ?? Array(view.shape.indices), dtype: dtype, source: source)
  }

  /// The operand's constant, if it is one, so that it can be packed.
  package func constant(_ index: Int) -> Constant? {
    guard index < operands.count, case .tensor(_, let constant) = operands[index] else { return nil }
    return constant
  }

  /// The operand dense and row-major, converted to `dtype` if given.
  package func contiguous(_ index: Int, as dtype: DType? = nil) -> TensorView {
    let view = input(index)
    return builder.materialize(view, order: Array(view.shape.indices), dtype: dtype ?? view.dtype, source: source)
  }

  /// The operand dense with channels innermost, converted to `dtype` if given.
  package func channelsLast(_ index: Int, as dtype: DType? = nil) -> TensorView {
    let view = input(index)
    return builder.materialize(view, order: Shape.channelsLastOrder(rank: view.rank), dtype: dtype ?? view.dtype, source: source)
  }

  /// The operand with channels innermost and pixels evenly spaced, with or without gaps.
  package func evenPixels(_ index: Int) -> TensorView {
    let view = input(index)
    return view.hasEvenPixels ? view : channelsLast(index)
  }

  /// The operand row-major and of `dtype`. A constant is converted once per program, anything else in every run.
  package func parameter(_ index: Int, as dtype: DType) throws(OperatorError) -> TensorView {
    guard let constant = constant(index) else { return contiguous(index, as: dtype) }
    do {
      return try builder.parameter(constant, as: dtype)
    } catch {
      throw .invalid("constant operand \(index) cannot be read: \(error)")
    }
  }

  package func scalar(_ index: Int) -> RuntimeScalar {
    guard case .scalar(let operand) = operands[index] else { preconditionFailure("operand \(index) is no number") }
    return RuntimeScalar(operand: operand)
  }

  package func int(_ argument: IntArgument) -> RuntimeInt {
    switch argument {
    case .constant(let value): return RuntimeInt(slot: nil, offset: Int64(value))
    case .operand(let index):
      switch scalar(index).operand {
      case .known(let value): return RuntimeInt(slot: nil, offset: value.intValue ?? 0)
      case .runtime(_, let slot, let offset): return RuntimeInt(slot: slot, offset: offset)
      }
    }
  }

  /// A temporary tensor that lives during this node.
  package func temporary(_ dtype: DType, _ shape: [Int]) -> TensorView { builder.temporary(TensorType(dtype, shape)) }

  /// Throws if a table that a kernel keeps would not fit into the memory that a call may take.
  package func checkTable(entryCount: Int, byteCount: Int) throws(OperatorError) {
    guard entryCount <= builder.largestByteCount / byteCount else {
      throw .overBudget("a table of \(entryCount) entries needs more memory than a call may take")
    }
  }

  /// Scratch memory of `byteCount` bytes for every worker; see `KernelContext.scratch`.
  package func workerScratch(byteCount: Int) -> TensorView {
    builder.temporary(TensorType(.uint8, [workers, (byteCount + 127) & ~63]))
  }

  /// Memory as a kernel needs it; nil for none.
  package func scratch(_ need: KernelScratch) -> TensorView? {
    let byteCount = need.byteCount(workers: workers)
    return byteCount == 0 ? nil : temporary(.uint8, [byteCount])
  }

  /// A weight made from constant operands, once per program.
  /// - Parameter byteCount: its size, if it can be kept for later loads: of numbers only, which `layout` and `parameters` describe wholly.
  package func packed(
    _ sources: [Constant], layout: String, parameters: [Int], dtype: DType = .float32, byteCount: Int? = nil,
    build: () throws -> AlignedStorage
  ) throws(OperatorError) -> TensorView {
    do {
      return builder.view(
        of: try builder.packed.storage(sources, layout: layout, parameters: parameters, byteCount: byteCount, build: build), dtype: dtype)
    } catch let error as OperatorError {
      throw error
    } catch let error as AllocationError {
      throw .overBudget("\(error)")
    } catch {
      throw .invalid("weights cannot be read: \(error)")
    }
  }

  /// A weight made from constant operands, once per program: `fill` makes its content when the plan is complete, on any thread.
  /// - Parameter byteCount: its size; it can be kept for later loads: of numbers only, which `layout` and `parameters` describe wholly.
  package func packed(
    _ sources: [Constant], layout: String, parameters: [Int], dtype: DType = .float32, byteCount: Int,
    fill: @escaping @Sendable (AlignedStorage) throws -> Void
  ) throws(OperatorError) -> TensorView {
    do {
      return builder.view(
        of: try builder.queued(sources, layout: layout, parameters: parameters, byteCount: byteCount, fill: fill), dtype: dtype)
    } catch {
      throw .invalid("weights cannot be packed: \(error)")
    }
  }

  /// A row-major tensor of `dtype` to compute result `index` in. It is the result itself if that fits; otherwise call
  /// `finish` with it after emitting the kernel.
  package func staging(_ index: Int, as dtype: DType) -> TensorView {
    let output = outputs[index]
    if output.dtype == dtype, output.isContiguous { return output }
    return temporary(dtype, output.shape)
  }

  /// Copies a staging tensor to its result, converting it, unless it is the result.
  package func finish(_ index: Int, from staging: TensorView) {
    if staging != outputs[index] { builder.emitCopy(from: staging, to: outputs[index], source: source) }
  }

  /// Appends a kernel to the plan; where the results have no elements only if asked to: for what checks values or sets a count.
  ///
  /// Kernels may so count lines and blocks by the product of other extents, which may be anything when one is 0.
  ///
  /// - Parameters:
  ///   - flops: operations on elements.
  ///   - bytes: what is read and written at least once; all operands and results if not given.
  ///   - work: at which rate the kernel does its operations.
  package func emit(
    _ label: String, flops: Double = 0, bytes: Double? = nil, work: KernelWork = .elementwise, evenIfEmpty: Bool = false,
    _ kernel: @escaping Kernel
  ) {
    if !evenIfEmpty, !outputs.isEmpty, outputs.allSatisfy(\.isEmpty) { return }
    var total = 0.0
    if bytes == nil {
      for case .tensor(let view, _) in operands { total += Double(view.byteCount) }
      for output in outputs { total += Double(output.byteCount) }
    }
    builder.emit(
      label: label, source: source, flops: flops, bytes: bytes ?? total, work: work,
      elementCount: outputs.map(\.elementCount).max() ?? 0, kernel: kernel)
  }
}
