public import CoreVideo
import Martlet

/// Memory layout of a shaped array.
public enum MLShapedArrayBufferLayout: Sendable, Hashable {
  /// Contiguous, with the last axis varying fastest.
  case firstMajorContiguous
  /// Contiguous, with the first axis varying fastest.
  case lastMajorContiguous
  /// Explicit strides, in elements.
  case strides([Int])

  func strides(shape: [Int]) -> [Int] {
    switch self {
    case .firstMajorContiguous: Shape.contiguousStrides(shape)
    case .lastMajorContiguous: Shape.contiguousStrides(shape.reversed()).reversed()
    case .strides(let strides): strides
    }
  }
}

/// A multidimensional array of elements of one type, with value semantics: `MLShapedArray` and its slices.
///
/// As a collection, it consists of the slices along its first axis.
public protocol MLShapedArrayProtocol: MutableCollection, RandomAccessCollection, ExpressibleByArrayLiteral
where Index == Int, Element == MLShapedArraySlice<Scalar> {
  associatedtype Scalar: MLShapedArrayScalar

  /// Creates an array whose memory is filled by `initializer`, which gets the elements and the strides.
  init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (inout UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Void
  ) rethrows
  /// Creates an array over memory of the caller, which is never written.
  init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator)
  /// Creates an array over the memory of a one-component pixel buffer. Changes to one are visible in the other.
  init(mutating pixelBuffer: CVPixelBuffer, shape: [Int])

  /// Extents, outermost first; empty for a rank-0 array.
  var shape: [Int] { get }
  /// Distance between neighbours along each axis, in elements.
  var strides: [Int] { get }

  /// Calls `body` with the elements in memory order, the shape and the strides.
  func withUnsafeShapedBufferPointer<Result>(
    _ body: (_ pointer: UnsafeBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result
  /// Calls `body` with uniquely owned elements in memory order, the shape and the strides.
  mutating func withUnsafeMutableShapedBufferPointer<Result>(
    _ body: (_ pointer: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result
  /// Same, after converting the elements to a layout.
  mutating func withUnsafeMutableShapedBufferPointer<Result>(
    using layout: MLShapedArrayBufferLayout,
    _ body: (_ pointer: inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result

  /// The element at the given index of each axis.
  subscript<Indices: Collection>(scalarAt indices: Indices) -> Scalar where Indices.Element == Int { get set }
  /// The slice at the given indices of the first axes.
  subscript(indices: Int...) -> MLShapedArraySlice<Scalar> { get set }
  /// The slice selected by ranges of the first axes.
  subscript(ranges: any MLShapedArrayRangeExpression...) -> MLShapedArraySlice<Scalar> { get set }

  /// The elements in row-major order with another shape of the same element count.
  func reshaped(to shape: [Int]) -> Self
  /// A copy with permuted axes.
  func transposed(permutation: [Int]) -> Self
  /// A copy in another memory layout.
  func changingLayout(to layout: MLShapedArrayBufferLayout) -> Self

  /// Calls `body` with the pixel buffer that holds the elements; returns nil for other arrays.
  func withPixelBufferIfAvailable<Result>(_ body: (CVPixelBuffer) throws -> Result) rethrows -> Result?
  /// Same, with a pixel buffer that is not shared with another array.
  mutating func withMutablePixelBufferIfAvailable<Result>(_ body: (CVPixelBuffer) throws -> Result) rethrows -> Result?
}

// MARK: Collection

extension MLShapedArrayProtocol {
  public var startIndex: Int { 0 }
  public var endIndex: Int { shape.first ?? 0 }
  /// The first extent; 0 for a rank-0 array.
  public var count: Int { endIndex }

  public subscript(range: Range<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[range as any MLShapedArrayRangeExpression] }
    set { self[range as any MLShapedArrayRangeExpression] = newValue }
  }
  public subscript(range: ClosedRange<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[range as any MLShapedArrayRangeExpression] }
    set { self[range as any MLShapedArrayRangeExpression] = newValue }
  }
  public subscript(range: PartialRangeFrom<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[range as any MLShapedArrayRangeExpression] }
    set { self[range as any MLShapedArrayRangeExpression] = newValue }
  }
  public subscript(range: PartialRangeUpTo<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[range as any MLShapedArrayRangeExpression] }
    set { self[range as any MLShapedArrayRangeExpression] = newValue }
  }
  public subscript(range: PartialRangeThrough<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[range as any MLShapedArrayRangeExpression] }
    set { self[range as any MLShapedArrayRangeExpression] = newValue }
  }
}

// MARK: Elements

extension MLShapedArrayProtocol {
  public var isScalar: Bool { shape.isEmpty }
  /// Number of elements.
  public var scalarCount: Int { shape.reduce(1, *) }

  /// The elements in row-major order.
  public var scalars: [Scalar] {
    get {
      let count = scalarCount
      return unsafe withUnsafeShapedBufferPointer { elements, shape, strides in
        guard let source = elements.baseAddress else { return [] }
        return unsafe Array(unsafeUninitializedCapacity: count) { target, initializedCount in
          unsafe copyElements(
            shape: shape, from: source, ElementPlacement(Scalar.dtype, strides: strides), to: target.baseAddress!,
            ElementPlacement(Scalar.dtype, strides: Shape.contiguousStrides(shape)))
          initializedCount = count
        }
      }
    }
    set {
      precondition(newValue.count == scalarCount, "\(newValue.count) scalars do not fill the shape \(shape)")
      unsafe withUnsafeMutableShapedBufferPointer { elements, shape, strides in
        unsafe newValue.withUnsafeBytes { source in
          guard let source = source.baseAddress, let target = elements.baseAddress else { return }
          unsafe copyElements(
            shape: shape, from: source, ElementPlacement(Scalar.dtype, strides: Shape.contiguousStrides(shape)), to: target,
            ElementPlacement(Scalar.dtype, strides: strides))
        }
      }
    }
  }

  /// The value of a rank-0 array; nil for other arrays.
  public var scalar: Scalar? {
    get { isScalar ? self[scalarAt: []] : nil }
    set {
      guard isScalar, let newValue else { return }
      self[scalarAt: []] = newValue
    }
  }

  /// The element at the given index of each axis.
  public subscript(scalarAt indices: Int...) -> Scalar {
    get { self[scalarAt: indices] }
    set { self[scalarAt: indices] = newValue }
  }

  /// Sets every element to a value.
  public mutating func fill(with value: Scalar) {
    let shape = shape
    let zeros = [Int](repeating: 0, count: shape.count)
    unsafe withUnsafeMutableShapedBufferPointer { elements, _, strides in
      guard let target = elements.baseAddress else { return }
      unsafe withUnsafePointer(to: value) { source in
        unsafe copyElements(
          shape: shape, from: source, ElementPlacement(Scalar.dtype, strides: zeros), to: target,
          ElementPlacement(Scalar.dtype, strides: strides))
      }
    }
  }

  /// Copies the elements of an array of the same shape.
  public mutating func fill<Other: MLShapedArrayProtocol>(with other: Other) where Other.Scalar == Scalar {
    precondition(shape == other.shape, "Elements of shape \(other.shape) do not fill the shape \(shape)")
    scalars = other.scalars
  }
}

// MARK: Shapes

extension MLShapedArrayProtocol {
  /// The array with its axes in reverse order.
  public func transposed() -> Self { transposed(permutation: shape.indices.reversed()) }

  /// The array with an axis of extent 1 inserted at `axis`.
  public func expandingShape(at axis: Int) -> Self {
    precondition(axis >= 0 && axis <= shape.count, "An axis cannot be inserted at \(axis) in a shape of rank \(shape.count)")
    var expanded = shape
    expanded.insert(1, at: axis)
    return reshaped(to: expanded)
  }

  /// The array without its axes of extent 1.
  public func squeezingShape() -> Self { reshaped(to: shape.filter { $0 != 1 }) }
}

// MARK: Comparing and describing

extension MLShapedArrayProtocol {
  /// The elements in nested brackets.
  public var description: String {
    let scalars = scalars
    func text(_ axis: Int, _ start: Int, _ length: Int) -> String {
      if axis == shape.count { return "\(scalars[start])" }
      let step = shape[axis] == 0 ? 0 : length / shape[axis]
      return "[" + (0..<shape[axis]).map { text(axis + 1, start + $0 * step, step) }.joined(separator: ", ") + "]"
    }
    return text(0, 0, scalars.count)
  }
}

private enum CodingKeys: String, CodingKey {
  case shape, scalars
}

extension MLShapedArrayProtocol {
  func encodeShaped(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(shape, forKey: .shape)
    try container.encode(scalars, forKey: .scalars)
  }

  init(shapedFrom decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let shape = try container.decode([Int].self, forKey: .shape)
    let scalars = try container.decode([Scalar].self, forKey: .scalars)
    guard Shape.elementCount(shape) == scalars.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .scalars, in: container, debugDescription: "\(scalars.count) scalars do not fill the shape \(shape)")
    }
    self.init(scalars: scalars, shape: shape)
  }
}
