public import CoreVideo
import Martlet

/// A multidimensional array of elements of one type, with value semantics: copies share memory until one of them is modified.
public struct MLShapedArray<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol, Sendable {
  public typealias Element = MLShapedArraySlice<Scalar>
  public typealias Index = Int
  public typealias Indices = Range<Int>
  public typealias SubSequence = Slice<Self>
  public typealias ArrayLiteralElement = MLShapedArraySlice<Scalar>

  var content: ShapedContent<Scalar>

  init(content: ShapedContent<Scalar>) { self.content = content }

  public init(
    unsafeUninitializedShape shape: [Int],
    initializingWith initializer: (inout UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Void
  ) rethrows {
    content = ShapedContent(uninitialized: shape)
    let strides = content.strides
    try unsafe content.withMutableElements { try unsafe initializer(&$0, strides) }
  }

  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], strides: [Int], deallocator: Data.Deallocator) {
    content = unsafe ShapedContent(bytesNoCopy: bytes, shape: shape, strides: strides, deallocator: deallocator)
  }

  public init(mutating pixelBuffer: CVPixelBuffer, shape: [Int]) {
    content = ShapedContent(mutating: pixelBuffer, shape: shape)
  }

  public var shape: [Int] { content.shape }
  public var strides: [Int] { content.strides }

  // MARK: Memory

  public func withUnsafeShapedBufferPointer<Result>(
    _ body: (UnsafeBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result {
    try unsafe content.withElements { try unsafe body($0, content.shape, content.strides) }
  }

  public mutating func withUnsafeMutableShapedBufferPointer<Result>(
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result {
    content.makeUnique()
    let (shape, strides) = (content.shape, content.strides)
    return try unsafe content.withMutableElements { try unsafe body(&$0, shape, strides) }
  }

  public mutating func withUnsafeMutableShapedBufferPointer<Result>(
    using layout: MLShapedArrayBufferLayout,
    _ body: (inout UnsafeMutableBufferPointer<Scalar>, _ shape: [Int], _ strides: [Int]) throws -> Result
  ) rethrows -> Result {
    self = changingLayout(to: layout)
    return try unsafe withUnsafeMutableShapedBufferPointer(body)
  }

  public func withPixelBufferIfAvailable<Result>(_ body: (CVPixelBuffer) throws -> Result) rethrows -> Result? {
    try content.storage.pixelBuffer.map(body)
  }

  public mutating func withMutablePixelBufferIfAvailable<Result>(_ body: (CVPixelBuffer) throws -> Result) rethrows -> Result? {
    content.makeUnique()
    return try content.storage.pixelBuffer.map(body)
  }

  // MARK: Parts

  public subscript<Indices: Collection>(scalarAt indices: Indices) -> Scalar where Indices.Element == Int {
    get { content[scalarAt: indices] }
    set { content[scalarAt: indices] = newValue }
  }

  public subscript(index: Int) -> MLShapedArraySlice<Scalar> {
    get { MLShapedArraySlice(content: content.sliced([.index(index)])) }
    set { content.assign(newValue.content, to: [.index(index)]) }
  }

  public subscript(indices: Int...) -> MLShapedArraySlice<Scalar> {
    get { MLShapedArraySlice(content: content.sliced(indices.map { .index($0) })) }
    set { content.assign(newValue.content, to: indices.map { .index($0) }) }
  }

  public subscript(ranges: any MLShapedArrayRangeExpression...) -> MLShapedArraySlice<Scalar> {
    get { MLShapedArraySlice(content: content.sliced(ranges.map { AxisRange($0) })) }
    set { content.assign(newValue.content, to: ranges.map { AxisRange($0) }) }
  }

  // MARK: Shapes

  public func reshaped(to shape: [Int]) -> Self { Self(content: content.reshaped(to: shape)) }
  public func transposed(permutation: [Int]) -> Self { Self(content: content.transposed(permutation)) }

  public func changingLayout(to layout: MLShapedArrayBufferLayout) -> Self {
    let strides = layout.strides(shape: shape)
    return strides == content.strides ? self : Self(content: content.laidOut(strides: strides))
  }
}

extension MLShapedArray: Hashable {
  /// Arrays are equal if they have the same shape and elements.
  public static func == (first: Self, second: Self) -> Bool { first.shape == second.shape && first.scalars == second.scalars }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(shape)
    hasher.combine(scalars)
  }
}

extension MLShapedArray: Codable {
  public init(from decoder: any Decoder) throws { try self.init(shapedFrom: decoder) }
  public func encode(to encoder: any Encoder) throws { try encodeShaped(to: encoder) }
}

extension MLShapedArray: CustomStringConvertible {}
