package import MartletGraph
package import MartletKernels
package import MartletTensor

/// An operand of the node being planned.
package enum PlannedOperand: Sendable {
  case tensor(TensorView, Constant?)
  case scalar(ScalarOperand)
  case string(String)
  case absent
}

/// An integer operand, known when planning or read by kernels at run time.
package struct RuntimeInt: Sendable {
  let slot: Int?
  let offset: Int64

  /// The value clamped to `±Shape.largestElementCount`. It is a position or a number of positions, and the bounds are beyond any valid one,
  /// so kernels may add and subtract without overflow.
  package func value(_ context: KernelContext) -> Int {
    guard let slot else { return Self.limited(offset) }
    return Self.limited(context.int(slot: slot) &+ offset)
  }

  /// The value if it is known when planning, clamped likewise.
  package var known: Int? { slot == nil ? Self.limited(offset) : nil }

  /// The unclamped value, if it is known when planning.
  package var exact: Int? { slot == nil ? Int(widening: offset) : nil }

  private static func limited(_ value: Int64) -> Int {
    let limit = Int64(widening: Shape.largestElementCount)
    return Int(widening: min(max(value, -limit), limit))
  }
}

/// A number operand, known when planning or read by kernels at run time.
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

/// The node being planned: its operands in memory, its results, and functions to emit kernels.
package struct NodePlan {
  package let builder: PlanBuilder
  package let operands: [PlannedOperand]
  /// Placed results; empty during `alias` and `outputOrder`. The entries of scalar results must not be used.
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

  /// A node for a component operator of a composite one, with its own operands and result.
  func part(_ operands: [PlannedOperand], to output: TensorView) -> NodePlan {
    NodePlan(builder: builder, operands: operands, outputs: [output], outputSlots: [], outputTypes: [.tensor(output.type)], source: source)
  }

  package var workers: Int { builder.workers }

  /// Type of a tensor result.
  package func outputType(_ index: Int) -> TensorType {
    switch outputTypes[index] {
    case .tensor(let type), .bounded(let type, _): type
    default: preconditionFailure("result \(index) is not a tensor")
    }
  }

  /// The tensor operand in its present layout. `infer` has checked that it is a tensor.
  package func input(_ index: Int) -> TensorView {
    guard case .tensor(let view, _) = operands[index] else { preconditionFailure("operand \(index) is not a tensor") }
    builder.touch(view.buffer)
    return view
  }

  package func optionalInput(_ index: Int) -> TensorView? {
    guard index < operands.count, case .tensor = operands[index] else { return nil }
    return input(index)
  }

  /// True if the operand is a tensor.
  package func has(_ index: Int) -> Bool {
    guard index < operands.count, case .tensor = operands[index] else { return false }
    return true
  }

  /// Dtype and shape of a tensor operand.
  package func operandType(_ index: Int) -> TensorType {
    guard case .tensor(let view, _) = operands[index] else { preconditionFailure("operand \(index) is not a tensor") }
    return view.type
  }

  /// The operand with any strides, converted to `dtype`.
  package func strided(_ index: Int, as dtype: DType) -> TensorView {
    let view = input(index)
    if view.dtype == dtype { return view }
    return builder.materialize(view, order: view.denseOrder ?? Array(view.shape.indices), dtype: dtype, source: source)
  }

  /// The operand's constant, for packing; nil if it is not constant.
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
    guard case .scalar(let operand) = operands[index] else { preconditionFailure("operand \(index) is not a number") }
    return RuntimeScalar(operand: operand)
  }

  package func int(_ argument: IntArgument) -> RuntimeInt {
    switch argument {
    case .constant(let value): return RuntimeInt(slot: nil, offset: Int64(widening: value))
    case .operand(let index):
      switch scalar(index).operand {
      case .known(let value): return RuntimeInt(slot: nil, offset: value.intValue ?? 0)
      case .runtime(_, let slot, let offset): return RuntimeInt(slot: slot, offset: offset)
      }
    }
  }

  /// A temporary tensor that lives during this node.
  package func temporary(_ dtype: DType, _ shape: [Int]) -> TensorView { builder.temporary(TensorType(dtype, shape)) }

  /// Emits kernels that write the node's only result densely in `order`. If the result has other strides, it is copied from a temporary.
  package func emitDense(order: [Int], _ emit: (_ result: TensorView) -> Void) {
    let y = outputs[0]
    let result = y.isDense(inOrder: order) ? y : builder.temporary(y.type, order: order)
    emit(result)
    if result != y { builder.emitCopy(from: result, to: y, source: source) }
  }

  /// Throws if a kernel's table would exceed the memory limit of a call.
  package func checkTable(entryCount: Int, byteCount: Int) throws(OperatorError) {
    guard entryCount <= builder.largestByteCount / byteCount else {
      throw .overBudget("a table of \(entryCount) entries needs more memory than a call may take")
    }
  }

  /// Scratch memory of `byteCount` bytes per worker; see `KernelContext.scratch`.
  package func workerScratch(byteCount: Int) -> TensorView {
    builder.temporary(TensorType(.uint8, [workers, (Extent(byteCount) + 127).clamped & ~63]))
  }

  /// Scratch memory of the size that a kernel needs; nil if none.
  package func scratch(_ need: KernelScratch) -> TensorView? {
    let byteCount = need.byteCount(workers: workers)
    return byteCount == 0 ? nil : temporary(.uint8, [byteCount])
  }

  /// A weight packed from constant operands once per program.
  /// - Parameter byteCount: its size if it may be stored for later loads. It must then consist of numbers only and be fully described by
  ///   `layout` and `parameters`.
  package func packed(
    _ sources: [Constant], layout: String, parameters: [Int], dtype: DType = .float32, byteCount: Int? = nil,
    build: () throws -> TensorStorage
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

  /// A weight packed from constant operands once per program. `fill` writes its content when the plan is complete, on any thread.
  /// - Parameters:
  ///   - byteCount: its size.
  ///   - isLasting: whether the weight may be stored for later loads. It must then consist of numbers only and be fully described by `layout`
  ///     and `parameters`.
  package func packed(
    _ sources: [Constant], layout: String, parameters: [Int], dtype: DType = .float32, byteCount: Int, isLasting: Bool = true,
    fill: @escaping @Sendable (TensorStorage) throws -> Void
  ) throws(OperatorError) -> TensorView {
    do {
      return builder.view(
        of: try builder.queued(
          sources, layout: layout, parameters: parameters, byteCount: byteCount, isLasting: isLasting, fill: fill), dtype: dtype)
    } catch {
      throw .invalid("weights cannot be packed: \(error)")
    }
  }

  /// A row-major tensor of `dtype` in which to compute result `index`: the result itself if its layout fits. Pass it to `finish` after
  /// emitting the kernel.
  package func staging(_ index: Int, as dtype: DType) -> TensorView {
    let output = outputs[index]
    if output.dtype == dtype, output.isContiguous { return output }
    return temporary(dtype, output.shape)
  }

  /// Copies a staging tensor to its result with conversion, unless it is the result itself.
  package func finish(_ index: Int, from staging: TensorView) {
    if staging != outputs[index] { builder.emitCopy(from: staging, to: outputs[index], source: source) }
  }

  /// Appends a kernel to the plan. Kernels whose results have no elements are omitted unless requested: for kernels that check values or
  /// set a count.
  ///
  /// Kernels may therefore compute numbers of lines and blocks from products of the other extents, which are meaningless if one extent is
  /// 0.
  ///
  /// - Parameters:
  ///   - flops: number of operations on elements.
  ///   - bytes: bytes read and written at least once; by default those of all operands and results.
  ///   - work: the kind of loop, which determines the rate of operations.
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
    var weights = 0.0
    for case .tensor(_, let constant?) in operands { weights += Double(constant.type.byteCount) }
    builder.emit(
      label: label, source: source, flops: flops, bytes: bytes ?? total, weightBytes: min(weights, bytes ?? total), work: work,
      elementCount: outputs.map(\.elementCount).max() ?? 0, kernel: kernel)
  }
}
