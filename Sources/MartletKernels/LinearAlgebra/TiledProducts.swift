import MartletTensor

/// Distribution of convolutions and products of bfloat16, on AMX tiles or by vectors, over threads. The work consists of several items of the same form.
///
/// Left sides are first rounded into planes (see `martlet_bf16.h`). Usually each thread prepares the planes of a band of output rows for
/// itself: it then reads mostly data that it has just written, and no thread waits between rounding and products. If the weights are the
/// largest data to read, the planes of all items are prepared first and shared, and threads divide the weights. The sum of an element does
/// not depend on the division.
struct TiledProducts: Sendable {
  private enum Division: Sendable {
    case shared(planeByteCount: Int, split: WorkSplit)
    case banded(rows: Int, bands: Int)
  }

  let items: Int
  private let division: Division
  private let rows: Int
  private let slots: Int
  private let units: Int
  private let panels: Int
  /// Memory that a worker needs for products, in bytes. The worker's plane, if any, follows it.
  private let splitByteCount: Int
  let scratch: KernelScratch

  /// Maximum size of planes in bytes, chosen so that they stay in the cache between preparation and use: for shared planes, and for a plane
  /// that one thread prepares for itself.
  private static let sharedByteCount = 1536 * 1024
  private static let bandByteCount = 256 * 1024
  private static let bandTarget = 12
  /// Time in nanoseconds of a product with three terms and with one term, over all slots of a tile and 32 steps of a panel, and of storing
  /// a tile.
  private static let productTime =
    BFloat16Unit.current == .vectors
    ? (split: 900.0, plain: 295.0, storing: 60.0) : (split: 88.0, plain: 30.0, storing: 100.0)
  /// Ranges of slots are multiples of this number, two tiles of vectors or one of AMX.
  private static let slotStep = mk_bf16_tile_slots() * (BFloat16Unit.current == .vectors ? 2 : 1)
  /// Work shorter than `shortest` nanoseconds runs on one thread; longer work than `long` is divided into several pieces per thread.
  private static let divisionTime = (shortest: 5_000.0, long: 60_000.0)

  /// - Parameters:
  ///   - shape: describes one item; its addresses are ignored.
  ///   - weightByteCount: size of all packed weights of an item.
  ///   - workers: number of threads that share the work.
  init(_ shape: mk_bf16_conv2d, items: Int, weightByteCount: Int, workers: Int) {
    var shape = unsafe shape
    self.items = items
    rows = unsafe shape.conv.output_height
    slots = unsafe mk_bf16_slot_count(&shape, rows)
    units = unsafe mk_bf16_unit_count(&shape, rows)
    panels = unsafe shape.conv.groups * ((shape.conv.output_channels + Int(MK_BF16_PANEL) - 1) / Int(MK_BF16_PANEL))
    let planeByteCount = unsafe mk_bf16_plane_bytes(&shape, rows)
    splitByteCount = unsafe mk_bf16_scratch_bytes(&shape)
    let readByteCount = unsafe max(planeByteCount, slots * shape.conv.groups * shape.conv.input_channels * 2)
    if workers > 1, items == 1, weightByteCount <= readByteCount, readByteCount <= Self.sharedByteCount {
      let bands = unsafe Self.bandCount(shape, slots: slots, panels: panels, weightByteCount: weightByteCount, workers: workers)
      let band = (rows + bands - 1) / bands
      division = .banded(rows: band, bands: (rows + band - 1) / band)
      scratch = unsafe KernelScratch(perWorker: splitByteCount + mk_bf16_plane_bytes(&shape, band))
      return
    }
    let total = planeByteCount.multipliedReportingOverflow(by: items)
    if !total.overflow, total.partialValue <= Self.sharedByteCount {
      // Reading the weights costs as much as this many single-precision operations.
      let flops = 2 * Double(weightByteCount) / Double(max(panels, 1)) / 16
      let split = WorkSplit(
        rows: slots, panels: panels, batches: items, flopsPerCell: flops, tileRows: Self.slotStep,
        prefersPanels: weightByteCount > 384 * 1024)
      division = .shared(planeByteCount: planeByteCount, split: split)
      scratch = KernelScratch(shared: total.partialValue, perWorker: splitByteCount)
      return
    }
    // Bands of whole tiles if a row is a single slot, otherwise of any number of rows.
    let step = slots == rows ? Self.slotStep : 1
    var band = min(rows, max(step, (rows * items / Self.bandTarget + step - 1) / step * step))
    while band > step, unsafe mk_bf16_plane_bytes(&shape, band) > Self.bandByteCount { band = (band / 2 + step - 1) / step * step }
    division = .banded(rows: band, bands: (rows + band - 1) / band)
    scratch = unsafe KernelScratch(perWorker: splitByteCount + mk_bf16_plane_bytes(&shape, band))
  }

  /// Number of bands into which several threads divide the rows of an item: a multiple of the number of threads, with at least 16 slots per
  /// band where possible.
  private static func bandCount(_ shape: mk_bf16_conv2d, slots: Int, panels: Int, weightByteCount: Int, workers: Int) -> Int {
    let isPlain = unsafe shape.terms == Int32(MK_BF16_PLAIN.rawValue)
    let blocks = weightByteCount / (Int(MK_BF16_PANEL) * 32 * (unsafe shape.terms == Int32(MK_BF16_SPLIT.rawValue) ? 4 : 2))
    let tile = Double(blocks) * (isPlain ? productTime.plain : productTime.split) + Double(panels) * productTime.storing
    let time = Double(slots) / 32 * tile
    if time < divisionTime.shortest { return 1 }
    let each = time > divisionTime.long * Double(workers) ? max(2, bandTarget / workers) : time > divisionTime.shortest * 4 ? 2 : 1
    let rows = unsafe shape.conv.output_height
    return min(rows, max(workers, min(workers * each, slots / 32 / workers * workers)))
  }

  /// Runs all items.
  /// - Parameters:
  ///   - view: memory as `scratch` requires; nil if none.
  ///   - item: returns the description of an item with its addresses.
  func run(_ context: KernelContext, scratch view: TensorView?, item: (_ index: Int) -> mk_bf16_conv2d) {
    switch division {
    case .shared(let planeByteCount, let split):
      let parts = max(1, min(units, 12 / items, planeByteCount / (16 * 1024)))
      let unitsPerPart = (units + parts - 1) / parts
      let memory = unsafe context.scratch(view)
      context.parallel(units == 0 ? 0 : items * parts) { chunk, _ in
        let (index, part) = chunk.quotientAndRemainder(dividingBy: parts)
        var conv = unsafe item(index)
        unsafe mk_bf16_prepare(
          &conv, 0, 0, rows, min(part * unitsPerPart, units), min((part + 1) * unitsPerPart, units), memory + index * planeByteCount)
      }
      context.parallel(split.chunkCount) { chunk, worker in
        let (index, slots, panels) = split.chunk(chunk)
        var conv = unsafe item(index)
        unsafe conv.scratch = context.scratch(view, scratch, worker: worker)
        unsafe mk_bf16_conv2d_run(
          &conv, 0, 0, rows, memory + index * planeByteCount, slots.lowerBound, slots.upperBound, panels.lowerBound, panels.upperBound)
      }
    case .banded(let band, let bands):
      context.parallel(items * bands) { chunk, worker in
        let (index, part) = chunk.quotientAndRemainder(dividingBy: bands)
        var conv = unsafe item(index)
        let (first, end) = (part * band, min((part + 1) * band, rows))
        unsafe conv.scratch = context.scratch(view, scratch, worker: worker)
        let memory = unsafe conv.scratch! + splitByteCount
        unsafe mk_bf16_prepare(&conv, 0, first, end, 0, mk_bf16_unit_count(&conv, end - first), memory)
        unsafe mk_bf16_conv2d_run(&conv, 0, first, end, memory, 0, mk_bf16_slot_count(&conv, end - first), 0, panels)
      }
    }
  }
}

extension KernelContext {
  /// The shared scratch memory of a kernel; an arbitrary address if it needs none.
  func scratch(_ view: TensorView?) -> UnsafeMutableRawPointer {
    unsafe view.map { unsafe address($0) } ?? UnsafeMutableRawPointer(bitPattern: 64)!
  }

  /// The scratch memory of one worker.
  func scratch(_ view: TensorView?, _ need: KernelScratch, worker: Int) -> UnsafeMutableRawPointer {
    unsafe scratch(view) + need.offset(worker: worker)
  }
}
