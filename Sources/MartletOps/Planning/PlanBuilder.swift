package import MartletGraph
package import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// The origin of a buffer's memory.
package enum BufferSource: Sendable {
  /// Temporary memory of the call.
  case arena(byteCount: Int)
  /// Constant or packed memory, kept alive by `owner`.
  case fixed(address: Int, owner: any AnyObject & Sendable)
  case input(Int)
  case output(Int)
  case state(Int)
  /// A loop's final variable: the loop's index in the call, and the variable's position.
  case loop(Int, variable: Int)
}

/// A buffer of a plan under construction.
package struct PlannedBuffer: Sendable {
  package var source: BufferSource
  /// Positions of the first and the last node that uses it.
  package var firstUse: Int
  package var lastUse: Int
}

/// A kernel with its description for the profiler.
package struct PlannedStep: Sendable {
  package var kernel: Kernel
  /// The kernel's name, such as `conv2d 3x3 s2`.
  package var label: String
  /// The node that the kernel belongs to.
  package var source: NodePlace
  /// The operations of the file that the node computes.
  package var origins: [NodeOrigin]
  /// The kind of loop, which limits the kernel besides memory.
  package var work: KernelWork
  /// Floating-point operations of one run.
  package var flops: Double
  /// Bytes read and written at least once.
  package var bytes: Double
  /// The part of `bytes` that are constants of the file.
  package var weightBytes: Double
  /// Elements of the largest result.
  package var elementCount: Int

  package init(
    kernel: @escaping Kernel, label: String, source: NodePlace, origins: [NodeOrigin], work: KernelWork, flops: Double, bytes: Double,
    weightBytes: Double = 0, elementCount: Int
  ) {
    self.weightBytes = weightBytes
    self.kernel = kernel
    self.label = label
    self.source = source
    self.origins = origins
    self.work = work
    self.flops = flops
    self.bytes = bytes
    self.elementCount = elementCount
  }

  /// Work of one run, in the units of `Allowance`.
  package var units: Int { Allowance.units(operations: flops + bytes) }
}

/// Kinds of loops in kernels, which differ in their rate of operations.
package enum KernelWork: Sendable, Hashable {
  /// Matrix products and dense convolutions, whose operands stay in registers.
  case product
  /// Convolutions as products of transformed tiles, `side` results wide and high.
  case winograd(side: Int)
  /// Products fused with a subsequent depthwise convolution.
  case expansion
  /// Depthwise convolutions, and other loops that load an operand for every operation.
  case depthwise
  /// Integer products.
  case integerProduct
  /// Vector arithmetic on elements from memory.
  case elementwise
  /// Scalar loops: sorting, sampling, random numbers.
  case single
}

/// Collects the buffers and steps of a plan as its nodes are planned in order.
package final class PlanBuilder {
  package private(set) var buffers: [PlannedBuffer]
  package private(set) var steps: [PlannedStep] = []
  /// Position of the node being planned; the unit of lifetimes.
  package var position = 0
  /// The file's operations to which subsequent steps belong.
  package var origins: [NodeOrigin] = []
  /// Number of scalar slots in use.
  package private(set) var slotCount: Int
  package let packed: PackedStore
  /// Weights packed in parallel when the plan is complete.
  private let packing = PackingQueue()
  /// Maximum number of threads that will run the plan.
  package let workers: Int
  /// Precision of products.
  package let precision: ProductPrecision
  /// True if the program keeps states and takes inputs of open extents: a prompt of any length, read once, is followed by single rows.
  package let isStreamed: Bool
  /// Largest number of rows that a matrix in its stored form is multiplied with in this plan, so far.
  package var mostStoredRows = 0
  /// Buffers with lower indices belong to earlier plans of the same call.
  package let firstBuffer: Int

  /// Copies of views in another layout or dtype, shared by their consumers.
  /// By the number of the view's buffer.
  private var materialized: [Int: [Materialization]] = [:]
  /// What kernels have computed from views for further consumers, by the number of the view's buffer.
  private var derived: [Int: [Derivation]] = [:]
  /// By the address of the constant or storage.
  private var constantBuffers: [Int: BufferID] = [:]

  private struct Materialization {
    let view: TensorView
    let order: [Int]
    let copy: TensorView
  }

  private struct Derivation {
    let view: TensorView
    let key: AnyHashable
    let results: [TensorView]
  }

  /// Upper bound of the size of temporaries and of kernels' tables.
  package let largestByteCount: Int
  /// Set if a temporary was refused: its size in bytes, or nil inside if the size overflows. Steps planned with it must not run.
  package private(set) var refusedByteCount: Int??
  /// Floating-point operations and bytes moved by the steps so far.
  package private(set) var operationCount = 0.0

  package init(
    continuing buffers: [PlannedBuffer], slotCount: Int, packed: PackedStore, workers: Int, precision: ProductPrecision = .exact,
    isStreamed: Bool = false, largestByteCount: Int
  ) {
    self.precision = precision
    self.isStreamed = isStreamed
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

  /// Records that the node at `position` uses the buffer.
  package func touch(_ buffer: BufferID) {
    buffers[buffer.index].lastUse = max(buffers[buffer.index].lastUse, position)
  }

  /// Keeps the buffer until the end of the plan and of its continuations.
  package func keep(_ buffer: BufferID) { buffers[buffer.index].lastUse = Int.max }

  /// Discards copies of the buffer's contents, because its memory is about to change.
  package func invalidate(_ buffer: BufferID) {
    materialized[buffer.index] = nil
    derived[buffer.index] = nil
  }

  /// The temporaries that `make` plans from `view`: those of an earlier call with an equal view and key, if the view's memory has not
  /// changed since.
  func derived(from view: TensorView, _ key: AnyHashable, make: () -> [TensorView]) -> [TensorView] {
    if let known = derived[view.buffer.index]?.first(where: { $0.key == key && $0.view == view }) {
      for result in known.results { touch(result.buffer) }
      return known.results
    }
    let results = make()
    derived[view.buffer.index, default: []].append(Derivation(view: view, key: key, results: results))
    return results
  }

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

  /// A view of a constant's own bytes. Deferred constants are computed once per program and kept in row-major order.
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

  /// True if a constant is a small part of a file, such as a bias. Accessing it would map many surrounding pages, which a copy avoids.
  private func isSmallPart(_ constant: Constant) -> Bool {
    constant.isReleasable && constant.type.byteCount <= 16 * 1024 && constant.isRowMajor
  }

  /// A constant's elements in row-major order as `dtype`, converted once per program.
  /// - Parameter isLasting: store the result with a compiled model.
  private func denseStorage(of constant: Constant, as dtype: DType, isLasting: Bool = true) throws -> TensorStorage {
    // Integers may be positions, which are only checked when they are read from the model.
    // In range: a constant is in memory or in a file.
    let byteCount = isLasting && dtype.isFloatingPoint ? constant.type.elementCount * dtype.byteCount : nil
    return try packed.storage([constant], layout: "dense", parameters: [Int(widening: dtype.rawValue)], byteCount: byteCount) {
      if constant.isStored, constant.type.dtype == dtype, constant.isRowMajor {
        let bytes = try constant.bytesAtAnyAddress()
        let storage = try TensorStorage(allocating: constant.type.byteCount)
        unsafe storage.pointer.copyMemory(from: bytes.pointer, byteCount: storage.byteCount)
        withExtendedLifetime(bytes.owner) {}
        return storage
      }
      // The computed tensor may be kept as it is, so it must not be in temporary memory.
      let bytes = try PackedMemory.$current.withValue(nil) { try constant.bytes() }
      if !constant.isStored, constant.type.dtype == dtype, constant.isRowMajor,
        let storage = bytes.owner as? TensorStorage, unsafe UnsafeRawPointer(storage.pointer) == bytes.pointer
      {
        // Computed for this call only.
        return storage
      }
      // In range: a constant is in memory or in a file.
      let storage = try TensorStorage(allocating: constant.type.elementCount * dtype.byteCount)
      unsafe StridedCopy.copy(
        from: bytes.pointer, constant.type, strides: constant.strides, to: storage.pointer, as: dtype)
      withExtendedLifetime(bytes.owner) {}
      return storage
    }
  }

  /// A row-major view of a constant's elements as `dtype`: its own bytes if they fit, otherwise a copy made once per program.
  package func parameter(_ constant: Constant, as dtype: DType) throws -> TensorView {
    let strides = Shape.contiguousStrides(constant.type.shape)
    if constant.type.dtype == dtype, !constant.isStored || constant.strides == strides { return try view(of: constant) }
    let flat = view(of: try denseStorage(of: constant, as: dtype), dtype: dtype)
    return TensorView(buffer: flat.buffer, dtype: dtype, shape: constant.type.shape, strides: strides)
  }

  /// A weight packed from constants once per program. Its content is valid after `fillPacked`.
  func queued(
    _ sources: [Constant], layout: String, parameters: [Int], byteCount: Int, isLasting: Bool,
    fill: @escaping @Sendable (TensorStorage) throws -> Void
  ) throws -> TensorStorage {
    try packed.storage(
      sources, layout: layout, parameters: parameters, byteCount: byteCount, isLasting: isLasting, queue: packing, fill: fill)
  }

  /// Bytes of the weights that are packed or queued.
  // In range: bytes in memory.
  var packedByteCount: Int { packed.byteCount + packing.byteCount }

  /// Packs the weights that are not packed yet.
  package func fillPacked(on pool: ThreadPool?) throws { try packed.fill(packing, on: pool) }

  /// A view of a packed weight as `count` elements of `dtype`.
  package func view(of storage: TensorStorage, dtype: DType) -> TensorView {
    let id: BufferID
    if let known = constantBuffers[Int(bitPattern: ObjectIdentifier(storage))] {
      id = known
    } else {
      id = addBuffer(.fixed(address: Int(bitPattern: unsafe storage.pointer), owner: storage))
      constantBuffers[Int(bitPattern: ObjectIdentifier(storage))] = id
    }
    return TensorView(buffer: id, dtype: dtype, shape: [storage.byteCount / dtype.byteCount], strides: [1])
  }

  /// The view's elements, dense in `order` and of `dtype`: the view itself, or a copy shared by its consumers.
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
      // In range: at most 2^58 each.
      label: label, source: source, flops: 0, bytes: Double(view.byteCount + target.byteCount), elementCount: target.elementCount,
      kernel: StridedCopy.kernel(from: view, to: target))
  }

  package func emit(
    label: String, source: NodePlace, flops: Double, bytes: Double, weightBytes: Double = 0, work: KernelWork = .elementwise,
    elementCount: Int, kernel: @escaping Kernel
  ) {
    operationCount += flops + bytes
    steps.append(
      PlannedStep(
        kernel: kernel, label: label, source: source, origins: origins, work: work, flops: flops, bytes: bytes,
        weightBytes: weightBytes, elementCount: elementCount))
  }
}
