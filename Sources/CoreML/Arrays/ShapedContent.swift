import CoreVideo
import Foundation
import Martlet

/// The representation of a shaped array or slice: a strided view of a storage, which is copied on write.
struct ShapedContent<Scalar: MLShapedArrayScalar>: @unchecked Sendable {
  private(set) var storage: TensorStorage
  /// Position of the first element in the storage, in elements.
  private var offset: Int
  let shape: [Int]
  private(set) var strides: [Int]

  init(storage: TensorStorage, offset: Int = 0, shape: [Int], strides: [Int]) {
    self.storage = storage
    self.offset = offset
    self.shape = shape
    self.strides = strides
  }

  /// Uninitialised row-major memory.
  /// - Precondition: the byte count of the shape does not overflow.
  init(uninitialized shape: [Int]) {
    guard let byteCount = HostTensor.byteCount(dtype: Scalar.dtype, shape: shape) else {
      preconditionFailure("An array cannot have the shape \(shape)")
    }
    self.init(storage: TensorStorage(byteCount: byteCount), shape: shape, strides: Shape.contiguousStrides(shape))
  }

  /// Memory of the caller, which is never written.
  init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator) {
    guard let span = ArrayLayout.elementSpan(shape: shape, strides: strides) else {
      preconditionFailure("An array of shape \(shape) cannot have the strides \(strides)")
    }
    let base = unsafe UnsafeMutableRawPointer(mutating: bytes)
    let byteCount = span * MemoryLayout<Scalar>.stride
    let storage = unsafe TensorStorage(borrowing: base, byteCount: byteCount, isWritable: false) {
      unsafe deallocator(base, byteCount)
    }
    self.init(storage: storage, shape: shape, strides: strides)
  }

  init(mutating pixelBuffer: CVPixelBuffer, shape: [Int]) {
    guard let strides = ArrayLayout.strides(shape: shape, of: pixelBuffer, byteCount: MemoryLayout<Scalar>.stride) else {
      preconditionFailure("The pixel buffer does not have the shape \(shape)")
    }
    self.init(storage: TensorStorage(pixelBuffer), shape: shape, strides: strides)
  }

  var scalarCount: Int { shape.reduce(1, *) }
  var isContiguous: Bool { Shape.isContiguous(shape, strides: strides) }
  var placement: ElementPlacement { ElementPlacement(Scalar.dtype, strides: strides) }
  /// Address of the first element.
  var base: UnsafeMutablePointer<Scalar> { unsafe storage.pointer.assumingMemoryBound(to: Scalar.self) + offset }
  private var span: Int { ArrayLayout.elementSpan(shape: shape, strides: strides) ?? 0 }

  // MARK: Memory

  func withElements<Result>(_ body: (UnsafeBufferPointer<Scalar>) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try unsafe body(UnsafeBufferPointer(start: base, count: span))
  }

  /// Calls `body` with uniquely owned elements.
  mutating func withMutableElements<Result>(
    _ body: (inout UnsafeMutableBufferPointer<Scalar>) throws -> Result
  ) rethrows -> Result {
    makeUnique()
    defer { withExtendedLifetime(storage) {} }
    var elements = unsafe UnsafeMutableBufferPointer(start: base, count: span)
    return try unsafe body(&elements)
  }

  /// Copies the elements unless the storage is writable and uniquely referenced.
  mutating func makeUnique() {
    if storage.isWritable, isKnownUniquelyReferenced(&storage) { return }
    self = laidOut(strides: Shape.contiguousStrides(shape))
  }

  /// A copy with other strides.
  /// - Precondition: no stride is negative.
  func laidOut(strides: [Int]) -> ShapedContent {
    guard let span = ArrayLayout.elementSpan(shape: shape, strides: strides) else {
      preconditionFailure("An array of shape \(shape) cannot have the strides \(strides)")
    }
    let copy = ShapedContent(
      storage: TensorStorage(zeroedByteCount: span * MemoryLayout<Scalar>.stride), shape: shape, strides: strides)
    unsafe copyElements(shape: shape, from: base, placement, to: copy.base, copy.placement)
    return copy
  }

  /// Overwrites the elements with those of an array of the same shape.
  mutating func assign(_ other: ShapedContent) {
    precondition(shape == other.shape, "An array of shape \(other.shape) cannot be assigned to one of shape \(shape)")
    if other.storage === storage {
      let copy = other.laidOut(strides: Shape.contiguousStrides(other.shape))
      makeUnique()
      unsafe copyElements(shape: shape, from: copy.base, copy.placement, to: base, placement)
    } else {
      makeUnique()
      unsafe copyElements(shape: shape, from: other.base, other.placement, to: base, placement)
    }
  }

  /// Overwrites a part of the elements.
  mutating func assign(_ other: ShapedContent, to ranges: [AxisRange]) {
    makeUnique()
    // The part shares the storage, which is uniquely referenced otherwise.
    let part = sliced(ranges)
    precondition(part.shape == other.shape, "An array of shape \(other.shape) cannot be assigned to one of shape \(part.shape)")
    let source = other.storage === storage ? other.laidOut(strides: Shape.contiguousStrides(other.shape)) : other
    unsafe copyElements(shape: part.shape, from: source.base, source.placement, to: part.base, part.placement)
  }

  // MARK: Elements

  private func position(_ indices: some Collection<Int>) -> Int {
    precondition(indices.count == shape.count, "An array of rank \(shape.count) takes one index for each axis, not \(indices.count)")
    var position = 0
    var axis = 0
    for index in indices {
      precondition(index >= 0 && index < shape[axis], "Index \(index) of axis \(axis) is out of range 0..<\(shape[axis])")
      position += index * strides[axis]
      axis += 1
    }
    return position
  }

  subscript(scalarAt indices: some Collection<Int>) -> Scalar {
    get {
      defer { withExtendedLifetime(storage) {} }
      return unsafe base[position(indices)]
    }
    set {
      let position = position(indices)
      makeUnique()
      // `makeUnique` may have replaced the storage by a row-major copy.
      unsafe base[position == 0 ? 0 : self.position(indices)] = newValue
    }
  }

  // MARK: Other shapes

  func sliced(_ ranges: [AxisRange]) -> ShapedContent {
    precondition(ranges.count <= shape.count, "An array of rank \(shape.count) cannot be sliced by \(ranges.count) ranges")
    var offset = offset
    var newShape: [Int] = []
    var newStrides: [Int] = []
    for axis in shape.indices {
      guard axis < ranges.count else {
        newShape.append(shape[axis])
        newStrides.append(strides[axis])
        continue
      }
      let bounds = ranges[axis].bounds(extent: shape[axis], axis: axis)
      offset += bounds.isEmpty ? 0 : bounds.lowerBound * strides[axis]
      if ranges[axis].keepsAxis {
        newShape.append(bounds.count)
        newStrides.append(strides[axis])
      }
    }
    return ShapedContent(storage: storage, offset: offset, shape: newShape, strides: newStrides)
  }

  func transposed(_ permutation: [Int]) -> ShapedContent {
    precondition(permutation.sorted() == Array(shape.indices), "\(permutation) is not a permutation of \(shape.count) axes")
    return ShapedContent(
      storage: storage, offset: offset, shape: permutation.map { shape[$0] }, strides: permutation.map { strides[$0] })
  }

  func reshaped(to newShape: [Int]) -> ShapedContent {
    precondition(
      Shape.elementCount(newShape) == scalarCount,
      "An array of shape \(shape) cannot be reshaped to \(newShape)")
    let dense = isContiguous ? self : laidOut(strides: Shape.contiguousStrides(shape))
    return ShapedContent(
      storage: dense.storage, offset: dense.offset, shape: newShape, strides: Shape.contiguousStrides(newShape))
  }
}

/// The selection of a slice along one axis.
enum AxisRange {
  case index(Int)
  case range(Range<Int>)
  case from(Int)
  case all

  var keepsAxis: Bool { if case .index = self { false } else { true } }

  /// - Precondition: the selected elements exist.
  func bounds(extent: Int, axis: Int) -> Range<Int> {
    switch self {
    case .index(let index):
      precondition(index >= 0 && index < extent, "Index \(index) of axis \(axis) is out of range 0..<\(extent)")
      return index..<index + 1
    case .range(let range):
      precondition(range.lowerBound >= 0 && range.upperBound <= extent, "The range \(range) exceeds axis \(axis) with extent \(extent)")
      return range
    case .from(let start):
      precondition(start >= 0 && start <= extent, "The range \(start)... exceeds axis \(axis) with extent \(extent)")
      return start..<extent
    case .all: return 0..<extent
    }
  }
}

/// The shape that results from concatenating arrays along an axis.
/// - Precondition: there is at least one array, and all have the same extents along the other axes.
func concatenatedShape(_ shapes: [[Int]], alongAxis axis: Int) -> [Int] {
  guard let first = shapes.first, first.indices.contains(axis) else {
    preconditionFailure("There is no axis \(axis) of \(shapes.count) arrays to concatenate along")
  }
  var result = first
  result[axis] = 0
  for shape in shapes {
    precondition(shape.count == first.count, "Arrays of rank \(first.count) and \(shape.count) cannot be concatenated")
    let (sum, overflow) = result[axis].addingReportingOverflow(shape[axis])
    precondition(!overflow, "The extents of the arrays along axis \(axis) overflow")
    result[axis] = sum
    var others = shape
    others[axis] = result[axis]
    precondition(others == result, "Arrays of shapes \(first) and \(shape) cannot be concatenated along axis \(axis)")
  }
  return result
}
