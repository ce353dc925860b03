package import MartletTensor

/// Decoders of compressed weights. They read and write row-major memory on the calling thread. The caller checks sizes; the decoders check
/// values.
package enum WeightDecoding {
  /// Unpacks integers of 1 to 8 bits to one byte each. Signed integers are sign-extended.
  /// - Parameters:
  ///   - stream: at least `((first + count) × bits + 7) / 8` bytes.
  ///   - first: number of integers to skip.
  package static func unpack(
    _ stream: UnsafeRawBufferPointer, _ packing: BitPacking, first: Int = 0, count: Int, to target: UnsafeMutableRawPointer
  ) {
    let bits = packing.bits
    let source = unsafe stream.bindMemory(to: UInt8.self)
    let result = unsafe target.assumingMemoryBound(to: UInt8.self)
    let mask = UInt16(1 << bits) - 1
    let shift = 8 - bits
    for index in 0..<count {
      let (byte, offset) = ((first + index) * bits).quotientAndRemainder(dividingBy: 8)
      let next = unsafe offset + bits > 8 ? UInt16(source[byte + 1]) : 0
      let current = unsafe UInt16(source[byte])
      let window = packing.highBitFirst ? (current << 8 | next) >> UInt16(16 - offset - bits) : (next << 8 | current) >> UInt16(offset)
      let value = UInt8(truncatingIfNeeded: window & mask)
      unsafe result[index] = packing.isSigned ? UInt8(bitPattern: Int8(bitPattern: value << UInt8(shift)) >> Int8(shift)) : value
    }
  }

  /// Shape of the indices and tables of a lookup.
  package struct Lookup: Sendable {
    /// Shape of the indices.
    package let shape: [Int]
    /// Number of tables along each axis, a divisor of the axis's extent.
    package let groups: [Int]
    /// Number of entries in a table, and number of elements in an entry.
    package let entryCount: Int
    package let vectorLength: Int
    /// The axis along which the elements of an entry are laid out.
    package let vectorAxis: Int

    package init(shape: [Int], groups: [Int], entryCount: Int, vectorLength: Int, vectorAxis: Int) {
      self.shape = shape
      self.groups = groups
      self.entryCount = entryCount
      self.vectorLength = vectorLength
      self.vectorAxis = vectorAxis
    }

    package var resultShape: [Int] {
      var result = shape
      if !result.isEmpty { result[vectorAxis] *= vectorLength }
      return result
    }
  }

  /// Replaces indices of one byte by the table entries that they select.
  /// - Parameters:
  ///   - table: `[groups…, entries, vector]` of elements of `elementSize` bytes.
  /// - Throws: `KernelError` if an index is out of range.
  package static func lookUp(
    _ lookup: Lookup, indices: UnsafeRawPointer, table: UnsafeRawPointer, elementSize: Int, to target: UnsafeMutableRawPointer
  ) throws {
    switch elementSize {
    case 1: try unsafe lookUp(lookup, indices, table, target, UInt8.self)
    case 2: try unsafe lookUp(lookup, indices, table, target, UInt16.self)
    case 4: try unsafe lookUp(lookup, indices, table, target, UInt32.self)
    default: try unsafe lookUp(lookup, indices, table, target, UInt64.self)
    }
  }

  private static func lookUp<T: BitwiseCopyable>(
    _ lookup: Lookup, _ indices: UnsafeRawPointer, _ table: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ type: T.Type
  ) throws {
    let list = unsafe indices.assumingMemoryBound(to: UInt8.self)
    let entries = unsafe table.assumingMemoryBound(to: T.self)
    let result = unsafe target.assumingMemoryBound(to: T.self)
    let rank = lookup.shape.count
    if rank == 0 || lookup.shape.contains(0) { return }
    if lookup.vectorLength == 1 { return try unsafe lookUpNumbers(lookup, list, entries, result) }
    let resultStrides = Shape.contiguousStrides(lookup.resultShape)
    let groupStrides = Shape.contiguousStrides(lookup.groups)
    let blocks = zip(lookup.shape, lookup.groups).map { $0 / $1 }
    let vector = lookup.vectorLength
    let tableSize = lookup.entryCount * vector
    let last = rank - 1
    let run = lookup.shape[last]
    let step = resultStrides[last] * (last == lookup.vectorAxis ? vector : 1)
    for row in 0..<lookup.shape.reduce(1, *) / run {
      var rest = row
      var place = 0
      var group = 0
      for axis in stride(from: last - 1, through: 0, by: -1) {
        let (quotient, position) = rest.quotientAndRemainder(dividingBy: lookup.shape[axis])
        place += position * resultStrides[axis] * (axis == lookup.vectorAxis ? vector : 1)
        group += position / blocks[axis] * groupStrides[axis]
        rest = quotient
      }
      for column in 0..<run {
        let index = unsafe Int(list[row * run + column])
        guard index < lookup.entryCount else {
          throw KernelError("index \(index) of a table of \(lookup.entryCount) entries")
        }
        let entry = (group + column / blocks[last]) * tableSize + index * vector
        let first = place + column * step
        for element in 0..<vector {
          unsafe result[first + element * resultStrides[lookup.vectorAxis]] = entries[entry + element]
        }
      }
    }
  }

  /// `lookUp` for entries of one element.
  private static func lookUpNumbers<T: BitwiseCopyable>(
    _ lookup: Lookup, _ indices: UnsafePointer<UInt8>, _ entries: UnsafePointer<T>, _ result: UnsafeMutablePointer<T>
  ) throws {
    let (shape, groups) = joined(lookup.shape, lookup.groups)
    let groupStrides = Shape.contiguousStrides(groups)
    let blocks = zip(shape, groups).map { $0 / $1 }
    let (run, block) = (shape[shape.count - 1], blocks[blocks.count - 1])
    for row in 0..<shape.reduce(1, *) / run {
      var group = firstGroup(row, shape, blocks, groupStrides)
      for start in stride(from: row * run, to: (row + 1) * run, by: block) {
        let table = unsafe entries + group * lookup.entryCount
        for place in start..<start + block {
          let index = unsafe Int(indices[place])
          guard index < lookup.entryCount else {
            throw KernelError("index \(index) of a table of \(lookup.entryCount) entries")
          }
          unsafe result[place] = table[index]
        }
        group += 1
      }
    }
  }

  /// Writes the elements to the positions at which the mask, one byte per position, is not 0, and zeros to all others.
  /// - Throws: `KernelError` if the mask does not select exactly `count` positions.
  package static func spread(
    _ elements: UnsafeRawPointer, count: Int, mask: UnsafeRawPointer, over total: Int, elementSize: Int,
    to target: UnsafeMutableRawPointer
  ) throws {
    unsafe target.initializeMemory(as: UInt8.self, repeating: 0, count: total * elementSize)
    try unsafe forEachChosen(mask, over: total, count: count) { place, next in
      unsafe (target + place * elementSize).copyMemory(from: elements + next * elementSize, byteCount: elementSize)
    }
  }

  /// Collects the elements at the positions at which the mask is not 0. The inverse of `spread`.
  package static func collect(
    _ elements: UnsafeRawPointer, mask: UnsafeRawPointer, over total: Int, elementSize: Int, count: Int,
    to target: UnsafeMutableRawPointer
  ) throws {
    try unsafe forEachChosen(mask, over: total, count: count) { place, next in
      unsafe (target + next * elementSize).copyMemory(from: elements + place * elementSize, byteCount: elementSize)
    }
  }

  /// Calls `body` with each position at which the mask is not 0 and with the number of such positions before it.
  /// - Throws: `KernelError` if the mask does not select exactly `count` positions.
  @inline(__always)
  private static func forEachChosen(
    _ mask: UnsafeRawPointer, over total: Int, count: Int, _ body: (_ place: Int, _ next: Int) -> Void
  ) throws {
    let truth = unsafe mask.assumingMemoryBound(to: UInt8.self)
    var next = 0
    for place in 0..<total where unsafe truth[place] != 0 {
      guard next < count else { throw KernelError("a mask with more bits set than the \(count) elements") }
      body(place, next)
      next += 1
    }
    guard next == count else { throw KernelError("a mask with \(next) bits set for \(count) elements") }
  }

  /// Elements converted and scaled at a time; a chunk stays in the L1 cache.
  private static let chunkLength = 1024

  /// Numbers to scale: of a real dtype, or integers in the packed form that `unpack` reads.
  @safe
  package enum Numbers {
    case plain(UnsafeRawPointer, DType)
    case packed(UnsafeRawBufferPointer, BitPacking)
  }

  /// `(data - offset) × scale`, computed in float32, with one scale and one offset per block.
  /// - Parameters:
  ///   - data: row-major.
  ///   - scales, offsets: of shape `groups`, whose extents divide those of `shape`; absent offsets are 0.
  ///   - result: the floating-point dtype that products are rounded to.
  package static func shiftAndScale(
    _ data: Numbers, shape: [Int], scales: UnsafePointer<Float>, offsets: UnsafePointer<Float>?, groups: [Int],
    to target: UnsafeMutableRawPointer, as result: DType
  ) {
    if shape.contains(0) { return }
    let (shape, groups) = joined(shape, groups)
    let groupStrides = Shape.contiguousStrides(groups)
    let blocks = zip(shape, groups).map { $0 / $1 }
    let (run, block) = (shape[shape.count - 1], blocks[blocks.count - 1])
    let (float, stored) = (Int32(DType.float32.rawValue), Int32(result.rawValue))
    unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: chunkLength + chunkLength / 4) { buffer in
      guard let numbers = buffer.baseAddress else { return }
      // The floats are followed by one byte for each unpacked integer.
      let bytes = unsafe UnsafeMutableRawPointer(numbers + chunkLength)
      for row in 0..<shape.reduce(1, *) / run {
        let group = firstGroup(row, shape, blocks, groupStrides)
        for start in stride(from: 0, to: run, by: chunkLength) {
          let count = min(chunkLength, run - start)
          let first = row * run + start
          switch data {
          case .plain(let data, let dtype):
            unsafe mk_convert(Int32(dtype.rawValue), data + first * dtype.byteCount, 1, float, numbers, count)
          case .packed(let stream, let packing):
            unsafe unpack(stream, packing, first: first, count: count, to: bytes)
            let dtype = packing.isSigned ? DType.int8 : .uint8
            unsafe mk_convert(Int32(dtype.rawValue), bytes, 1, float, numbers, count)
          }
          var position = 0
          while position < count {
            let number = (start + position) / block
            let end = min((number + 1) * block - start, count)
            let scale = unsafe scales[group + number]
            let offset = unsafe offsets?[group + number] ?? 0
            for index in position..<end { unsafe numbers[index] = (numbers[index] - offset) * scale }
            position = end
          }
          unsafe mk_convert(float, numbers, 1, stored, target + first * result.byteCount, count)
        }
      }
    }
  }

  /// Joins axes that no block boundary separates. The order of elements and blocks does not change; rows become fewer and longer. The
  /// result has at least one axis.
  private static func joined(_ shape: [Int], _ groups: [Int]) -> (shape: [Int], groups: [Int]) {
    var result = (shape: [1], groups: [1])
    for (extent, count) in zip(shape, groups) {
      let last = result.shape.count - 1
      if count == 1 {
        result.shape[last] *= extent
      } else if result.shape[last] == 1 {
        (result.shape[last], result.groups[last]) = (extent, count)
      } else {
        result.shape.append(extent)
        result.groups.append(count)
      }
    }
    return result
  }

  /// The group of the first element of a row.
  private static func firstGroup(_ row: Int, _ shape: [Int], _ blocks: [Int], _ groupStrides: [Int]) -> Int {
    var rest = row
    var group = 0
    for axis in stride(from: shape.count - 2, through: 0, by: -1) {
      let (quotient, position) = rest.quotientAndRemainder(dividingBy: shape[axis])
      group += position / blocks[axis] * groupStrides[axis]
      rest = quotient
    }
    return group
  }
}
