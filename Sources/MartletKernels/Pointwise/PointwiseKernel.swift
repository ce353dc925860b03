internal import CMartletKernels
package import MartletTensor

/// An operand of a pointwise kernel.
package enum PointwiseOperand: Sendable {
  case tensor(TensorView)
  case scalar(@Sendable (KernelContext) -> Scalar)
}

/// Evaluates a pointwise program over broadcast operands, a block of elements at a time, so that intermediate results
/// stay in the first-level cache.
package struct PointwiseKernel: Sendable {
  /// Elements of a block.
  static let blockCount = 1024
  /// Inner runs shorter than this are gathered into blocks instead of being blocks of their own.
  static let shortestRun = 64

  /// A position of a register in a worker's scratch memory.
  private struct Step: Sendable {
    let instruction: PointwiseInstruction
    let type: ComputeType
    /// Block of scratch memory for the result; -1 if the instruction only refers to memory.
    var slot: Int
  }

  private let steps: [Step]
  private let slotCount: Int
  private let operands: [PointwiseOperand]
  private let output: TensorView
  private let space: IterationSpace
  private let checksDivision: Bool

  /// Bytes of scratch memory that each worker needs.
  package var scratchByteCount: Int { (slotCount + 1) * Self.blockCount * 8 + 64 }

  /// - Parameters:
  ///   - operands: tensors broadcast to `output.shape`, and numbers.
  ///   - output: dense in some order of its axes.
  package init(_ program: PointwiseProgram, operands: [PointwiseOperand], output: TensorView) {
    self.output = output
    self.operands = operands
    space = IterationSpace(
      output: output,
      operands: operands.map { if case .tensor(let view) = $0 { view.broadcast(to: output.shape) } else { nil } })
    var lastUse = [Int](repeating: -1, count: program.instructions.count)
    for (number, instruction) in program.instructions.enumerated() {
      for operand in instruction.registers { lastUse[operand] = number }
    }
    lastUse[program.instructions.count - 1] = Int.max
    var steps: [Step] = []
    var freeAfter: [Int] = []  // last use of the register in each slot
    var checks = false
    for (number, instruction) in program.instructions.enumerated() {
      let slot = freeAfter.firstIndex { $0 < number } ?? freeAfter.count
      if slot == freeAfter.count { freeAfter.append(0) }
      freeAfter[slot] = lastUse[number]
      steps.append(Step(instruction: instruction, type: program.types[number], slot: slot))
      if case .binary(let function, let x, _) = instruction, program.types[x] == .int64 || program.types[x] == .uint64 {
        checks = checks || [.divTrunc, .divFloor, .fmod, .remainder].contains(function)
      }
    }
    self.steps = steps
    slotCount = freeAfter.count
    checksDivision = checks
  }

  /// The kernel. `scratch` holds `scratchByteCount` bytes for every worker.
  package func kernel(scratch: TensorView) -> Kernel {
    if output.isEmpty { return { _ in } }
    let isGathered = space.extents.count > 1 && space.inner < Self.shortestRun
    let count = output.elementCount
    let work = max(steps.count, 1)
    return { context in
      let blocks = isGathered ? (count + Self.blockCount - 1) / Self.blockCount : space.segments(of: Self.blockCount)
      let grain = max(1, 16 * 1024 / (work * min(Self.blockCount, max(space.inner, 1))))
      if checksDivision {
        for worker in 0..<context.workers { unsafe context.scratch(scratch, worker: worker, as: Int32.self).pointee = 0 }
      }
      context.parallelRanges(blocks, grain: grain) { range, worker in
        unsafe evaluate(range, isGathered: isGathered, context, memory: context.scratch(scratch, worker: worker, as: UInt8.self))
      }
      if checksDivision {
        for worker in 0..<context.workers
        where unsafe context.scratch(scratch, worker: worker, as: Int32.self).pointee & Int32(MK_STATUS_DIV_ZERO.rawValue) != 0 {
          throw KernelError("integer division by zero")
        }
      }
    }
  }

  /// A register's block: its first element and its stride, 1 or 0.
  @safe
  private struct Register {
    var address: UnsafeMutableRawPointer
    var stride: Int
  }

  private func evaluate(_ range: Range<Int>, isGathered: Bool, _ context: KernelContext, memory: UnsafeMutablePointer<UInt8>) {
    let base = UnsafeMutableRawPointer(memory)
    let status = unsafe base.assumingMemoryBound(to: Int32.self)
    let slots = unsafe base + 64
    let target = unsafe context.address(output)
    let total = output.elementCount
    unsafe withUnsafeTemporaryAllocation(of: Register.self, capacity: steps.count) { registers in
      for block in range {
        let first: Int
        let count: Int
        if isGathered {
          first = block * Self.blockCount
          count = min(Self.blockCount, total - first)
        } else {
          (first, count) = space.segment(block, length: Self.blockCount)
        }
        for (number, step) in steps.enumerated() {
          let own = unsafe slots + step.slot * Self.blockCount * 8
          let isResult = number == steps.count - 1 && step.type.dtype == output.dtype
          let destination = unsafe isResult ? target + first * output.dtype.byteCount : own
          unsafe registers[number] = Register(address: destination, stride: 1)
          switch step.instruction {
          case .load(let operand, let type):
            unsafe registers[number] = load(operand, type, first, count, isGathered: isGathered, context, destination, isResult)
          case .scalar(let operand, let type):
            guard case .scalar(let value) = operands[operand] else { preconditionFailure("operand \(operand) is no number") }
            unsafe fill(value(context), type, isResult ? count : 1, destination)
            if !isResult { unsafe registers[number].stride = 0 }
          case .literal(let scalar, let type):
            unsafe fill(scalar, type, isResult ? count : 1, destination)
            if !isResult { unsafe registers[number].stride = 0 }
          default:
            let bits = unsafe apply(step, registers, count, destination)
            if bits != 0 { unsafe status.pointee |= bits }
          }
        }
        let result = unsafe registers[steps.count - 1]
        let type = steps[steps.count - 1].type.dtype
        if type != output.dtype {
          unsafe mk_convert(
            Int32(type.rawValue), result.address, result.stride, Int32(output.dtype.rawValue),
            target + first * output.dtype.byteCount, count)
        }
      }
    }
  }

  private func load(
    _ operand: Int, _ type: ComputeType, _ first: Int, _ count: Int, isGathered: Bool, _ context: KernelContext,
    _ destination: UnsafeMutableRawPointer, _ isResult: Bool
  ) -> Register {
    guard case .tensor(let view) = operands[operand] else { preconditionFailure("operand \(operand) is no tensor") }
    let source = unsafe context.address(view)
    let from = Int32(view.dtype.rawValue)
    let to = Int32(type.dtype.rawValue)
    let size = view.dtype.byteCount
    let strides = space.operandStrides[operand]!
    let inner = strides[strides.count - 1]
    if space.isLinear[operand] {
      let start = unsafe source + first * size
      if view.dtype == type.dtype, !isResult { return unsafe Register(address: start, stride: 1) }
      unsafe mk_convert(from, start, 1, to, destination, count)
      return unsafe Register(address: destination, stride: 1)
    }
    if !isGathered || strides.allSatisfy({ $0 == 0 }) {
      let start = unsafe source + space.offset(of: first, strides) * size
      if inner == 0, !isResult {
        if view.dtype == type.dtype { return unsafe Register(address: start, stride: 0) }
        unsafe mk_convert(from, start, 1, to, destination, 1)
        return unsafe Register(address: destination, stride: 0)
      }
      if inner == 1, view.dtype == type.dtype, !isResult { return unsafe Register(address: start, stride: 1) }
      unsafe mk_convert(from, start, inner, to, destination, count)
      return unsafe Register(address: destination, stride: 1)
    }
    // Gather run by run.
    let run = space.inner
    var position = first
    var done = 0
    while done < count {
      let length = min(run - position % run, count - done)
      unsafe mk_convert(
        from, source + space.offset(of: position, strides) * size, inner, to, destination + done * type.dtype.byteCount, length)
      position += length
      done += length
    }
    return unsafe Register(address: destination, stride: 1)
  }

  private func fill(_ scalar: Scalar, _ type: ComputeType, _ count: Int, _ destination: UnsafeMutableRawPointer) {
    switch type {
    case .float32:
      var value = Float(scalar.doubleValue)
      unsafe mk_fill(4, &value, destination, count)
    case .float64:
      var value = scalar.doubleValue
      unsafe mk_fill(8, &value, destination, count)
    case .int64, .uint64:
      var value = scalar.intValue ?? Int64.min
      unsafe mk_fill(8, &value, destination, count)
    }
  }

  /// Runs an arithmetic instruction on a block. Returns `mk_status` bits.
  private func apply(
    _ step: Step, _ registers: UnsafeMutableBufferPointer<Register>, _ count: Int, _ destination: UnsafeMutableRawPointer
  ) -> Int32 {
    /// The block with an element of its own for every position, for functions without strides.
    func dense(_ register: Register, _ type: ComputeType) -> UnsafeMutableRawPointer {
      if register.stride == 1 || count == 1 { return unsafe register.address }
      unsafe mk_fill(Int32(type.dtype.byteCount), register.address, destination, count)
      return unsafe destination
    }
    switch step.instruction {
    case .unary(let function, let x):
      let operand = unsafe dense(registers[x], step.type)
      switch step.type {
      case .float32:
        return unsafe mk_unary_f32(function.code, count, operand.floats, destination.floats)
      case .float64:
        return unsafe mk_unary_f64(function.code, count, operand.doubles, destination.doubles)
      case .int64, .uint64:
        return unsafe mk_unary_i64(function.code, count, operand.ints, destination.ints)
      }
    case .binary(let function, let x, let y):
      let a = unsafe registers[x]
      let b = unsafe registers[y]
      switch step.type {
      case .float32:
        return unsafe mk_binary_f32(
          function.code, count, a.address.floats, a.stride, b.address.floats, b.stride, destination.floats)
      case .float64:
        return unsafe mk_binary_f64(
          function.code, count, a.address.doubles, a.stride, b.address.doubles, b.stride, destination.doubles)
      case .int64:
        return unsafe mk_binary_i64(function.code, count, a.address.ints, a.stride, b.address.ints, b.stride, destination.ints)
      case .uint64:
        return unsafe mk_binary_u64(
          function.code, count, a.address.assumingMemoryBound(to: UInt64.self), a.stride,
          b.address.assumingMemoryBound(to: UInt64.self), b.stride, destination.assumingMemoryBound(to: UInt64.self))
      }
    case .ternary(let function, let x, let y, let z):
      let a = unsafe registers[x]
      let b = unsafe registers[y]
      let c = unsafe registers[z]
      switch step.type {
      case .float32:
        return unsafe mk_ternary_f32(
          function.code, count, a.address.floats, a.stride, b.address.floats, b.stride, c.address.floats, c.stride,
          destination.floats)
      case .float64:
        return unsafe mk_ternary_f64(
          function.code, count, a.address.doubles, a.stride, b.address.doubles, b.stride, c.address.doubles, c.stride,
          destination.doubles)
      case .int64, .uint64:
        return unsafe mk_ternary_i64(
          function.code, count, a.address.ints, a.stride, b.address.ints, b.stride, c.address.ints, c.stride, destination.ints)
      }
    case .shift(let left, let dtype, let x, let y):
      let a = unsafe registers[x]
      let b = unsafe registers[y]
      let function = left ? BinaryFunction.shiftLeft : .shiftRight
      return unsafe mk_shift_i64(
        function.code, Int32(dtype.byteCount * 8), dtype.isUnsigned ? 0 : 1, count, a.address.ints, a.stride, b.address.ints,
        b.stride, destination.ints)
    case .convert(let x, let type):
      let from = steps[x].type
      let operand = unsafe registers[x]
      unsafe mk_convert(
        Int32(from.dtype.rawValue), operand.address, operand.stride, Int32(type.dtype.rawValue), destination, count)
      return 0
    case .narrow(let x, let dtype):
      let operand = unsafe dense(registers[x], step.type)
      switch (step.type, dtype) {
      case (.float32, .float16), (.float32, .bfloat16):
        unsafe mk_round_f32(Int32(dtype.rawValue), count, operand.floats, destination.floats)
      case (.int64, .bool), (.uint64, .bool):
        var zero: Int64 = 0
        return unsafe mk_binary_i64(BinaryFunction.ne.code, count, operand.ints, 1, &zero, 0, destination.ints)
      case (.int64, _), (.uint64, _):
        unsafe mk_wrap_i64(Int32(dtype.byteCount * 8), dtype.isUnsigned ? 0 : 1, count, operand.ints, destination.ints)
      default:
        unsafe destination.copyMemory(from: operand, byteCount: count * step.type.dtype.byteCount)
      }
      return 0
    case .load, .scalar, .literal:
      preconditionFailure("handled by evaluate")
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate var floats: UnsafeMutablePointer<Float> { unsafe assumingMemoryBound(to: Float.self) }
  fileprivate var doubles: UnsafeMutablePointer<Double> { unsafe assumingMemoryBound(to: Double.self) }
  fileprivate var ints: UnsafeMutablePointer<Int64> { unsafe assumingMemoryBound(to: Int64.self) }
}

extension PointwiseInstruction {
  /// The instructions whose results this one uses.
  package var registers: [Int] {
    switch self {
    case .load, .scalar, .literal: []
    case .unary(_, let x), .convert(let x, _), .narrow(let x, _): [x]
    case .binary(_, let x, let y), .shift(_, _, let x, let y): [x, y]
    case .ternary(_, let x, let y, let z): [x, y, z]
    }
  }
}
