package import MartletGraph
package import MartletKernels
package import MartletTensor

/// Where a buffer's memory comes from.
package enum BufferSource: Sendable {
  /// Temporary memory of the call.
  case arena(byteCount: Int)
  /// Constant or packed memory, alive as long as `owner`.
  case fixed(address: Int, owner: any AnyObject & Sendable)
  case input(Int)
  case output(Int)
  case state(Int)
  /// A variable that a loop left: the loop's number in the call, and the variable's position.
  case loop(Int, variable: Int)
}

/// A buffer of a plan under construction.
package struct PlannedBuffer: Sendable {
  package var source: BufferSource
  /// First and last position of a node that touches it.
  package var firstUse: Int
  package var lastUse: Int
}

/// A kernel with what the profiler wants to know of it.
package struct PlannedStep: Sendable {
  package var kernel: Kernel
  /// What the kernel is, e.g. `conv2d 3x3 s2`.
  package var label: String
  /// The node that the kernel belongs to.
  package var source: NodePlace
  /// The operations of the file that the node computes.
  package var origins: [NodeOrigin]
  /// What limits the kernel besides memory.
  package var work: KernelWork
  /// Floating-point operations of one run.
  package var flops: Double
  /// Bytes read and written at least once.
  package var bytes: Double
  /// Elements of the largest result.
  package var elementCount: Int

  package init(
    kernel: @escaping Kernel, label: String, source: NodePlace, origins: [NodeOrigin], work: KernelWork, flops: Double, bytes: Double,
    elementCount: Int
  ) {
    self.kernel = kernel
    self.label = label
    self.source = source
    self.origins = origins
    self.work = work
    self.flops = flops
    self.bytes = bytes
    self.elementCount = elementCount
  }
}

/// The kinds of loops that kernels consist of, which do their operations at different rates.
package enum KernelWork: Sendable, Hashable {
  /// Products of matrices and convolutions, whose operands stay in registers.
  case product
  /// Convolutions as products of transformed tiles, `side` results wide and high.
  case winograd(side: Int)
  /// Products whose results a convolution of each channel takes up at once.
  case expansion
  /// Convolutions of each channel by itself, and others that load an operand for every operation.
  case depthwise
  /// Products of integers.
  case integerProduct
  /// Arithmetic on vectors of elements that come from memory.
  case elementwise
  /// Elements taken one by one: sorting, sampling, random numbers.
  case single
}

/// Collects the buffers and steps of a plan while its nodes are planned in order.
package final class PlanBuilder {
  package private(set) var buffers: [PlannedBuffer]
  package private(set) var steps: [PlannedStep] = []
  /// Position of the node that is being planned; lifetimes count in it.
  package var position = 0
  /// The operations of the file that steps emitted from here on belong to.
  package var origins: [NodeOrigin] = []
  /// Number of scalar slots in use.
  package private(set) var slotCount: Int
  package let packed: PackedStore
  /// Weights that are packed when the plan is complete, by all threads together.
  private let packing = PackingQueue()
  /// Threads of the pool that will run the plan.
  package let workers: Int
  /// How exact products are to be.
  package let precision: ProductPrecision
  /// Buffers below this number belong to earlier plans of the same call.
  package let firstBuffer: Int

  /// Copies of views in another layout or dtype, to be shared by several consumers.
  /// By the number of the view's buffer.
  private var materialized: [Int: [Materialization]] = [:]
  /// By the address of the constant or storage.
  private var constantBuffers: [Int: BufferID] = [:]

  private struct Materialization {
    let view: TensorView
    let order: [Int]
    let copy: TensorView
  }

  /// No temporary and no table of a kernel may be larger than this.
  package let largestByteCount: Int
  /// Set when a temporary was refused: its byte count, or nil inside if that overflows. What was planned with it must
  /// not run.
  package private(set) var refusedByteCount: Int??
  /// Floating-point operations and bytes moved by the steps so far.
  package private(set) var operationCount = 0.0

  package init(
    continuing buffers: [PlannedBuffer], slotCount: Int, packed: PackedStore, workers: Int, precision: ProductPrecision = .exact,
    largestByteCount: Int
  ) {
    self.precision = precision
    self.largestByteCount = largestByteCount
    self.buffers = buffers
    self.firstBuffer = buffers.count
    self.slotCount = slotCount
    self.packed = packed
    self.workers = workers
  }

  package func addBuffer(_ source: BufferSource) -> BufferID {
    buffers.append(PlannedBuffer(source: source, firstUse: position, lastUse: position))
    return BufferID(buffers.count - 1)
  }

  package func addSlot() -> Int {
    slotCount += 1
    return slotCount - 1
  }

  /// Notes that the node at `position` touches the buffer.
  package func touch(_ buffer: BufferID) {
    buffers[buffer.index].lastUse = max(buffers[buffer.index].lastUse, position)
  }

  /// Keeps the buffer until the end of the plan and of those that continue it.
  package func keep(_ buffer: BufferID) { buffers[buffer.index].lastUse = Int.max }

  /// Forgets copies of the buffer's contents, because its memory is about to change.
  package func invalidate(_ buffer: BufferID) { materialized[buffer.index] = nil }

  /// A fresh temporary tensor, laid out in `order` (row-major if nil).
  package func temporary(_ type: TensorType, order: [Int]? = nil) -> TensorView {
    let strides = order.map { Shape.strides(type.shape, dimOrder: $0) } ?? Shape.contiguousStrides(type.shape)
    var byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape)
    if byteCount == nil || byteCount! > largestByteCount {
      refusedByteCount = .some(byteCount)
      byteCount = 0
    }
    return TensorView(
      buffer: addBuffer(.arena(byteCount: byteCount!)), dtype: type.dtype, shape: type.shape, strides: strides)
  }

  /// A view of a constant's own bytes. Deferred constants are computed once per program and kept, row-major.
  package func view(of constant: Constant) throws -> TensorView {
    let id: BufferID
    if let known = constantBuffers[Int(bitPattern: ObjectIdentifier(constant))] {
      id = known
    } else {
      let bytes: Constant.Bytes
      if constant.isStored, !isSmallPart(constant) {
        bytes = try constant.bytes()
      } else {
        bytes = Constant.Bytes(try denseStorage(of: constant, as: constant.type.dtype, isLasting: !constant.isStored))
      }
      id = addBuffer(.fixed(address: Int(bitPattern: unsafe bytes.pointer), owner: bytes.owner))
      constantBuffers[Int(bitPattern: ObjectIdentifier(constant))] = id
    }
    let strides = constant.isStored ? constant.strides : Shape.contiguousStrides(constant.type.shape)
    return TensorView(buffer: id, dtype: constant.type.dtype, shape: constant.type.shape, strides: strides)
  }

  /// Whether a constant is a small part of a file, such as a bias: a touch maps many pages around it, which a copy spares.
  private func isSmallPart(_ constant: Constant) -> Bool {
    constant.isReleasable && constant.type.byteCount <= 16 * 1024 && constant.isRowMajor
  }

  /// A constant's elements row-major and of `dtype`, made once per program.
  /// - Parameter isLasting: whether it is worth keeping with a compiled model.
  private func denseStorage(of constant: Constant, as dtype: DType, isLasting: Bool = true) throws -> AlignedStorage {
    // Integers may be positions, and those are checked when they are read from the model.
    let byteCount = isLasting && dtype.isFloatingPoint ? constant.type.elementCount * dtype.byteCount : nil
    return try packed.storage([constant], layout: "dense", parameters: [Int(dtype.rawValue)], byteCount: byteCount) {
      // What is computed may stay as it is: not in memory that is shared with what is temporary.
      let bytes = try PackedMemory.$current.withValue(nil) { try constant.bytes() }
      if !constant.isStored, constant.type.dtype == dtype, constant.strides == Shape.contiguousStrides(constant.type.shape),
        let storage = bytes.owner as? AlignedStorage, unsafe UnsafeRawPointer(storage.pointer) == bytes.pointer
      {
        // Freshly computed for this call.
        return storage
      }
      let storage = try AlignedStorage(allocating: constant.type.elementCount * dtype.byteCount)
      unsafe StridedCopy.copy(
        from: bytes.pointer, constant.type, strides: constant.strides, to: storage.pointer, as: dtype)
      withExtendedLifetime(bytes.owner) {}
      return storage
    }
  }

  /// A row-major view of a constant's elements as `dtype`: its own bytes if they are that, else a copy made once per
  /// program.
  package func parameter(_ constant: Constant, as dtype: DType) throws -> TensorView {
    let strides = Shape.contiguousStrides(constant.type.shape)
    if constant.type.dtype == dtype, !constant.isStored || constant.strides == strides { return try view(of: constant) }
    let flat = view(of: try denseStorage(of: constant, as: dtype), dtype: dtype)
    return TensorView(buffer: flat.buffer, dtype: dtype, shape: constant.type.shape, strides: strides)
  }

  /// A weight made of constants once per program; its content is there after `fillPacked`.
  func queued(
    _ sources: [Constant], layout: String, parameters: [Int], byteCount: Int, fill: @escaping @Sendable (AlignedStorage) throws -> Void
  ) throws -> AlignedStorage {
    try packed.storage(sources, layout: layout, parameters: parameters, byteCount: byteCount, queue: packing, fill: fill)
  }

  /// Makes the packed weights that are not there yet.
  package func fillPacked(on pool: ThreadPool?) throws { try packed.fill(packing, on: pool) }

  /// A view of a packed weight as `count` elements of `dtype`.
  package func view(of storage: AlignedStorage, dtype: DType) -> TensorView {
    let id: BufferID
    if let known = constantBuffers[Int(bitPattern: ObjectIdentifier(storage))] {
      id = known
    } else {
      id = addBuffer(.fixed(address: Int(bitPattern: unsafe storage.pointer), owner: storage))
      constantBuffers[Int(bitPattern: ObjectIdentifier(storage))] = id
    }
    return TensorView(buffer: id, dtype: dtype, shape: [storage.byteCount / dtype.byteCount], strides: [1])
  }

  /// The view's elements dense in `order` and of `dtype`: the view itself, or a copy that consumers share.
  package func materialize(_ view: TensorView, order: [Int], dtype: DType, source: NodePlace) -> TensorView {
    if view.dtype == dtype, view.isDense(inOrder: order) { return view }
    if let known = materialized[view.buffer.index]?.first(where: { $0.copy.dtype == dtype && $0.order == order && $0.view == view }) {
      touch(known.copy.buffer)
      return known.copy
    }
    touch(view.buffer)
    let copy = temporary(TensorType(dtype, view.shape), order: order)
    emitCopy(from: view, to: copy, source: source)
    materialized[view.buffer.index, default: []].append(Materialization(view: view, order: order, copy: copy))
    return copy
  }

  package func emitCopy(from view: TensorView, to target: TensorView, source: NodePlace) {
    let label = view.dtype == target.dtype ? "copy \(view.shape)" : "convert \(view.dtype) to \(target.dtype)"
    emit(
      label: label, source: source, flops: 0, bytes: Double(view.byteCount + target.byteCount), elementCount: target.elementCount,
      kernel: StridedCopy.kernel(from: view, to: target))
  }

  package func emit(
    label: String, source: NodePlace, flops: Double, bytes: Double, work: KernelWork = .elementwise, elementCount: Int,
    kernel: @escaping Kernel
  ) {
    operationCount += flops + bytes
    steps.append(
      PlannedStep(
        kernel: kernel, label: label, source: source, origins: origins, work: work, flops: flops, bytes: bytes,
        elementCount: elementCount))
  }
}
