package import MartletTensor

/// A kernel's view of the running call: addresses of the plan's buffers, scalar slots and threads.
///
/// Valid only during the call of the kernel.
@safe
package struct KernelContext {
  private let buffers: UnsafeMutablePointer<UnsafeMutableRawPointer>
  private let slots: UnsafeMutablePointer<UInt64>
  private let team: ThreadTeam?
  /// Maximum number of workers of `parallel`; at least 1.
  package let workers: Int
  /// Ends the call early: chunks that have not begun when it is set are skipped, and the results are meaningless.
  private let cancellation: Cancellation?

  package init(
    buffers: UnsafeMutablePointer<UnsafeMutableRawPointer>, slots: UnsafeMutablePointer<UInt64>, team: ThreadTeam?,
    cancellation: Cancellation? = nil
  ) {
    self.cancellation = cancellation
    unsafe self.buffers = buffers
    unsafe self.slots = slots
    self.team = team
    self.workers = team?.limit ?? 1
  }

  /// Address of the view's first element.
  package func address(_ view: TensorView) -> UnsafeMutableRawPointer {
    unsafe buffers[view.buffer.index] + view.offset * view.dtype.byteCount
  }

  /// Address of the view's first element, typed. `T` must be the view's element type or have its size.
  package func pointer<T>(_ view: TensorView, as type: T.Type = T.self) -> UnsafeMutablePointer<T> {
    assert(MemoryLayout<T>.size == view.dtype.byteCount)
    return unsafe (buffers[view.buffer.index] + view.offset * MemoryLayout<T>.size).assumingMemoryBound(to: type)
  }

  /// The elements from the first one of the view on, indexed by element offset.
  package func elements<T: BitwiseCopyable>(_ view: TensorView, as type: T.Type = T.self) -> Elements<T> {
    let strides = view.strides
    let last = view.isEmpty ? -1 : zip(view.shape, strides).reduce(0) { $0 + max(($1.0 - 1) * $1.1, 0) }
    return unsafe Elements(base: pointer(view, as: type), count: last + 1)
  }

  /// A worker's scratch memory: `view` is a buffer with equal parts for all workers.
  package func scratch<T>(_ view: TensorView, worker: Int, as type: T.Type = T.self) -> UnsafeMutablePointer<T> {
    let stride = view.strides[0] * view.dtype.byteCount
    return unsafe (buffers[view.buffer.index] + worker * stride).assumingMemoryBound(to: type)
  }

  package func int(slot: Int) -> Int64 { unsafe Int64(bitPattern: slots[slot]) }
  package func double(slot: Int) -> Double { unsafe Double(bitPattern: slots[slot]) }
  package func bits(slot: Int) -> UInt64 { unsafe slots[slot] }
  package func set(slot: Int, _ scalar: Scalar) { unsafe slots[slot] = scalar.bits }

  /// Runs `body(chunk, worker)` for every chunk in `0..<chunks`, on several threads. `worker` is in `0..<workers` and unique among
  /// concurrently running bodies.
  package func parallel(_ chunks: Int, _ body: (_ chunk: Int, _ worker: Int) -> Void) {
    if let team, chunks > 1 {
      team.run(chunks) { chunk, worker in
        if !isCancelled { body(chunk, worker) }
      }
    } else {
      var chunk = 0
      while chunk < chunks, !isCancelled {
        body(chunk, 0)
        chunk += 1
      }
    }
  }

  /// True if the call is to end early. Long loops on one thread return then; the results are meaningless.
  package var isCancelled: Bool { cancellation?.isCancelled ?? false }

  /// Runs `body` for consecutive ranges of `0..<count` on this thread until the call is cancelled.
  /// - Parameter grain: number of items that take about a millisecond.
  @inline(__always)
  package func inRanges(_ count: Int, grain: Int = 1 << 17, _ body: (_ range: Range<Int>) throws -> Void) rethrows {
    var start = 0
    while start < count, !isCancelled {
      let end = count - start > grain ? start + grain : count
      try body(start..<end)
      start = end
    }
  }

  /// Maximum number of grains in a range of `parallelRanges`, so that a cancellation takes effect within milliseconds.
  private static let mostGrains = 64

  /// Splits `count` items into ranges of at least about `grain` items and runs `body(range, worker)` for each. Lengths differ by at most
  /// one item. The number of ranges is a multiple of the number of workers, so that each worker keeps the same part of the data in its
  /// cache from kernel to kernel.
  /// - Parameter largest: maximum number of items in a range of a call that can be cancelled; for items that take milliseconds.
  package func parallelRanges(_ count: Int, grain: Int, largest: Int = .max, _ body: (_ range: Range<Int>, _ worker: Int) -> Void) {
    let parts = partCount(count, grain: grain, largest: largest)
    parallel(parts) { part, worker in body(evenPart(part, of: parts, count), worker) }
  }

  /// Number of ranges of `parallelRanges`.
  @inline(never)
  private func partCount(_ count: Int, grain: Int, largest: Int) -> Int {
    guard count > 0 else { return 0 }
    let grain = max(grain, 1)
    let fewest = cancellation == nil ? 1 : max(count / grain / Self.mostGrains, count / max(largest, 1))
    if fewest <= 1, count <= grain || workers == 1 { return 1 }
    let shares = max(min((count + grain - 1) / grain, workers * 4), fewest)
    return min((shares + workers - 1) / workers * workers, count)
  }
}

/// The items of `0..<count` in part `part` of `parts`. Sizes differ by at most one item, and the first half of the parts contains half of
/// the items, as nearly as possible.
func evenPart(_ part: Int, of parts: Int, _ count: Int) -> Range<Int> {
  let (each, rest) = count.quotientAndRemainder(dividingBy: parts)
  return part * each + part * rest / parts..<(part + 1) * each + (part + 1) * rest / parts
}

/// A failure caused by the data of a call, such as an index out of range.
package struct KernelError: Error, Sendable, CustomStringConvertible {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
  package var description: String { reason }
}

/// A kernel bound to its buffers.
package typealias Kernel = @Sendable (KernelContext) throws -> Void
