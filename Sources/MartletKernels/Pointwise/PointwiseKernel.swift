package import MartletTensor
package import MartletVocabulary

/// An operand of a pointwise kernel.
package enum PointwiseOperand: Sendable {
  case tensor(TensorView)
  case scalar(@Sendable (KernelContext) -> Scalar)
}

/// Evaluates a pointwise program over broadcast operands, one block of elements at a time, so that intermediate results stay in the L1
/// cache.
package struct PointwiseKernel: Sendable {
  /// Maximum number of elements of a block.
  static let blockCount = 1024
  /// Inner runs shorter than this are gathered into blocks; longer ones are blocks of their own.
  static let shortestRun = 64

  private struct Step: Sendable {
    let instruction: PointwiseInstruction
    let type: ComputeType
    /// Offset of the result's block in a worker's scratch memory, in bytes.
    let offset: Int
    /// True if the result is the same for every block.
    let isInvariant: Bool
  }

  /// How a tensor operand's elements relate to those of the output.
  private struct Source: Sendable {
    enum Pattern {
      /// In the order of the output, without gaps.
      case linear
      /// One element for the whole output.
      case constant
      /// The same for every run of the innermost axis.
      case periodic
      case general
    }
    let view: TensorView
    let pattern: Pattern
    /// Strides along the axes of `space`.
    let strides: [Int]
    var innerStride: Int { strides[strides.count - 1] }
  }

  private let steps: [Step]
  /// By operand; nil for numbers.
  private let sources: [Source?]
  private let operands: [PointwiseOperand]
  private let output: TensorView
  private let space: IterationSpace
  private let checksDivision: Bool
  /// True if a block consists of several runs of the innermost axis; false if it is part of one.
  private let isGathered: Bool
  private let blockLength: Int

  /// Bytes of scratch memory that each worker needs.
  package let scratchByteCount: Int

  /// - Parameters:
  ///   - operands: tensors that broadcast to `output.shape`, and scalars.
  ///   - output: dense, with any order of axes.
  package init(_ program: PointwiseProgram, operands: [PointwiseOperand], output: TensorView) {
    self.output = output
    self.operands = operands
    let views = operands.map { if case .tensor(let view) = $0 { view.broadcast(to: output.shape) } else { nil as TensorView? } }
    let space = IterationSpace(output: output, operands: views)
    let sources = views.indices.map { index -> Source? in
      guard let view = views[index], let strides = space.operandStrides[index] else { return nil }
      let pattern: Source.Pattern =
        if strides.allSatisfy({ $0 == 0 }) {
          .constant
        } else if space.isLinear[index] {
          .linear
        } else {
          strides.dropLast().allSatisfy { $0 == 0 } ? .periodic : .general
        }
      return Source(view: view, pattern: pattern, strides: strides)
    }
    self.space = space
    self.sources = sources
    let repeats = sources.contains { $0?.pattern == .periodic } && !sources.contains { $0?.pattern == .general }
    let inner = space.inner
    isGathered = inner > 0 && space.extents.count > 1 && (inner < Self.shortestRun || (repeats && inner <= Self.blockCount / 2))
    blockLength = isGathered ? Self.blockCount / inner * inner : Self.blockCount

    let last = program.instructions.count - 1
    var lastUse = [Int](repeating: -1, count: program.instructions.count)
    for (number, instruction) in program.instructions.enumerated() {
      instruction.forEachRegister { lastUse[$0] = number }
    }
    lastUse[last] = Int.max
    var steps: [Step] = []
    steps.reserveCapacity(program.instructions.count)
    var slots: [(offset: Int, lastUse: Int)] = []
    slots.reserveCapacity(program.instructions.count)
    var byteCount = 64  // The status bits.
    var checks = false
    for (number, instruction) in program.instructions.enumerated() {
      var isInvariant = false
      var isOneElement = false
      switch instruction {
      case .scalar, .literal: (isInvariant, isOneElement) = (number != last, true)
      case .load(let operand, _):
        switch sources[operand]?.pattern {
        case .constant: (isInvariant, isOneElement) = (number != last, true)
        case .periodic: isInvariant = isGathered && number != last
        default: break
        }
      default: break
      }
      let offset: Int
      if isInvariant {
        offset = byteCount
        byteCount += isOneElement ? 64 : Self.blockCount * 8
      } else if let free = slots.firstIndex(where: { $0.lastUse < number }) {
        offset = slots[free].offset
        slots[free].lastUse = lastUse[number]
      } else {
        offset = byteCount
        slots.append((offset, lastUse[number]))
        byteCount += Self.blockCount * 8
      }
      steps.append(Step(instruction: instruction, type: program.types[number], offset: offset, isInvariant: isInvariant))
      if case .binary(let function, let x, _) = instruction, program.types[x] == .int64 || program.types[x] == .uint64 {
        checks = checks || [.divTrunc, .divFloor, .fmod, .remainder].contains(function)
      }
    }
    self.steps = steps
    scratchByteCount = byteCount
    checksDivision = checks
  }

  /// - Parameter scratch: `scratchByteCount` bytes for each worker.
  package func kernel(scratch: TensorView) -> Kernel {
    if output.isEmpty { return { _ in } }
    let blocks = isGathered ? (output.elementCount + blockLength - 1) / blockLength : space.segments(of: blockLength)
    let cost = steps.reduce(0) { $0 + $1.instruction.relativeCost } * min(output.elementCount / blocks + 1, blockLength)
    let grain = max(1, 64 * 1024 / max(cost, 1))
    return { context in
      if checksDivision {
        for worker in 0..<context.workers { unsafe context.scratch(scratch, worker: worker, as: Int32.self).pointee = 0 }
      }
      context.parallelRanges(blocks, grain: grain) { range, worker in
        unsafe evaluate(range, context, memory: context.scratch(scratch, worker: worker, as: UInt8.self))
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

  private func evaluate(_ range: Range<Int>, _ context: KernelContext, memory: UnsafeMutablePointer<UInt8>) {
    let base = UnsafeMutableRawPointer(memory)
    let status = unsafe base.assumingMemoryBound(to: Int32.self)
    let target = unsafe context.address(output)
    let outputType = output.dtype
    let total = output.elementCount
    let last = steps.count - 1
    unsafe withUnsafeTemporaryAllocation(of: Register.self, capacity: steps.count) { registers in
      // First the registers that do not change, and the operands' first elements for the loads that do.
      for (number, step) in steps.enumerated() {
        let own = unsafe base + step.offset
        unsafe registers[number] = Register(address: own, stride: 1)
        switch step.instruction {
        case .load(let operand, let type):
          guard let source = sources[operand] else { preconditionFailure("operand \(operand) is not a tensor") }
          let first = unsafe context.address(source.view)
          if step.isInvariant, source.pattern == .constant {
            unsafe mk_convert(Int32(source.view.dtype.rawValue), first, 1, Int32(type.dtype.rawValue), own, 1)
            unsafe registers[number].stride = 0
          } else if step.isInvariant {
            unsafe gather(source, type, 0, min(blockLength, total), from: first, to: own)
          } else {
            unsafe registers[number].address = first
          }
        case .scalar(let operand, let type) where step.isInvariant:
          unsafe fill(self.number(operand, context), type, 1, own)
          unsafe registers[number].stride = 0
        case .literal(let scalar, let type) where step.isInvariant:
          unsafe fill(scalar, type, 1, own)
          unsafe registers[number].stride = 0
        default: break
        }
      }
      // The addresses of loads advance from block to block.
      unsafe withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: steps.count) { starts in
        for number in steps.indices { unsafe starts[number] = registers[number].address }
        for block in range {
          let first: Int
          let count: Int
          if isGathered {
            first = block * blockLength
            count = min(blockLength, total - first)
          } else {
            (first, count) = space.segment(block, length: blockLength)
          }
          for (number, step) in steps.enumerated() where !step.isInvariant {
            let isResult = number == last && step.type.dtype == outputType
            let destination = unsafe isResult ? target + first * outputType.byteCount : base + step.offset
            switch step.instruction {
            case .load(let operand, let type):
              unsafe registers[number] = load(
                sources[operand]!, type, first, count, from: starts[number], to: destination, isResult: isResult)
            case .scalar(let operand, let type):
              unsafe fill(self.number(operand, context), type, isResult ? count : 1, destination)
              unsafe registers[number] = Register(address: destination, stride: isResult ? 1 : 0)
            case .literal(let scalar, let type):
              unsafe fill(scalar, type, isResult ? count : 1, destination)
              unsafe registers[number] = Register(address: destination, stride: isResult ? 1 : 0)
            default:
              unsafe registers[number] = Register(address: destination, stride: 1)
              let bits = unsafe apply(step, registers, count, destination)
              if bits != 0 { unsafe status.pointee |= bits }
            }
          }
          let type = steps[last].type.dtype
          if type != outputType {
            unsafe mk_convert(
              Int32(type.rawValue), registers[last].address, registers[last].stride, Int32(outputType.rawValue),
              target + first * outputType.byteCount, count)
          }
        }
      }
    }
  }

  private func number(_ operand: Int, _ context: KernelContext) -> Scalar {
    guard case .scalar(let value) = operands[operand] else { preconditionFailure("operand \(operand) is not a number") }
    return value(context)
  }

  /// Elements `first ..< first + count` of an operand whose first element is at `start`: in place if possible, otherwise copied to
  /// `destination`.
  private func load(
    _ source: Source, _ type: ComputeType, _ first: Int, _ count: Int, from start: UnsafeMutableRawPointer,
    to destination: UnsafeMutableRawPointer, isResult: Bool
  ) -> Register {
    let dtype = source.view.dtype
    let isInPlace = dtype == type.dtype && !isResult
    var stride = 1
    var address = unsafe start
    switch source.pattern {
    case .linear: unsafe address += first * dtype.byteCount
    case .constant: stride = 0
    case .periodic, .general:
      if isGathered {
        unsafe gather(source, type, first, count, from: start, to: destination)
        return unsafe Register(address: destination, stride: 1)
      }
      stride = source.innerStride
      unsafe address += space.offset(of: first, source.strides) * dtype.byteCount
    }
    if isInPlace, stride == 0 || stride == 1 { return unsafe Register(address: address, stride: stride) }
    let converted = stride == 0 && !isResult ? 1 : count
    unsafe mk_convert(Int32(dtype.rawValue), address, stride, Int32(type.dtype.rawValue), destination, converted)
    return unsafe Register(address: destination, stride: converted == 1 && count > 1 ? 0 : 1)
  }

  /// Collects elements `first ..< first + count` run by run. `first` is the beginning of a run of the innermost axis.
  private func gather(
    _ source: Source, _ type: ComputeType, _ first: Int, _ count: Int, from start: UnsafeMutableRawPointer,
    to destination: UnsafeMutableRawPointer
  ) {
    let inner = space.inner
    let stride = source.innerStride
    let dtype = source.view.dtype
    let size = dtype.byteCount
    let isFloat = dtype == .float32 && type == .float32
    let axes = space.extents.count - 1
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: axes) { index in
      // The run's position along the outer axes, updated by counting.
      var rest = first / inner
      var offset = 0
      for axis in (0..<axes).reversed() {
        let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: space.extents[axis])
        unsafe index[axis] = remainder
        offset += remainder * source.strides[axis]
        rest = quotient
      }
      var done = 0
      while done < count {
        let length = min(inner, count - done)
        let run = unsafe start + offset * size
        if isFloat {
          let x = unsafe run.floats
          let y = unsafe destination.floats + done
          switch stride {
          case 0: unsafe y.update(repeating: x.pointee, count: length)
          case 1: unsafe y.update(from: x, count: length)
          default: for i in 0..<length { unsafe y[i] = x[i * stride] }
          }
        } else {
          unsafe mk_convert(
            Int32(dtype.rawValue), run, stride, Int32(type.dtype.rawValue), destination + done * type.dtype.byteCount, length)
        }
        done += length
        var axis = axes - 1
        while axis >= 0 {
          unsafe index[axis] += 1
          offset += source.strides[axis]
          if unsafe index[axis] < space.extents[axis] { break }
          unsafe index[axis] = 0
          offset -= source.strides[axis] * space.extents[axis]
          axis -= 1
        }
      }
    }
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
    /// The register as a block with one element per position, for functions without strides.
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
  /// Time per element, in units of a load.
  fileprivate var relativeCost: Int {
    switch self {
    case .load, .convert, .narrow, .shift: 1
    case .scalar, .literal: 0
    case .unary(let function, _):
      [.abs, .neg, .square, .cube, .relu, .relu6, .floor, .ceil, .round, .trunc, .logicalNot, .bitwiseNot].contains(function) ? 1 : 12
    case .binary(let function, _, _): [.pow, .atan2, .fmod, .remainder, .hypot, .logaddexp].contains(function) ? 24 : 1
    case .ternary(let function, _, _, _): [.elu, .softplusBeta].contains(function) ? 12 : 1
    }
  }
}
