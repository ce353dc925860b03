public import Foundation

/// A tensor of elements `T`: an `AnyTensor` whose element type is known to the compiler.
///
/// What is said about `AnyTensor` holds here, too.
public final class Tensor<T: Scalar>: Equatable {
  /// The same tensor without its element type.
  public let anyTensor: AnyTensor

  /// The tensor as one of elements `T`, sharing the memory. Elements of another type are an error of the programmer.
  public init(_ tensor: AnyTensor) {
    precondition(tensor.dataType == T.dataType, "The elements are of another type")
    precondition(MemoryLayout<T>.stride == size(ofDataType: T.dataType), "The scalar is not laid out as its data type")
    anyTensor = tensor
  }

  /// A view: another tensor of the same memory. See `AnyTensor.init(_:shape:dimensionOrder:strides:)`.
  public convenience init(_ tensor: Tensor<T>, shape: [Int] = [], dimensionOrder: [Int] = [], strides: [Int] = []) {
    self.init(AnyTensor(tensor.anyTensor, shape: shape, dimensionOrder: dimensionOrder, strides: strides))
  }

  /// A tensor over the caller's memory, which must outlive the tensor and its views.
  public convenience init(
    bytesNoCopy pointer: UnsafeMutableRawPointer,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    unsafe self.init(
      AnyTensor(
        bytesNoCopy: pointer, shape: shape, strides: strides, dimensionOrder: dimensionOrder, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  /// A tensor over a copy of the elements at `pointer`.
  public convenience init(
    bytes pointer: UnsafeRawPointer,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    unsafe self.init(
      AnyTensor(
        bytes: pointer, shape: shape, strides: strides, dimensionOrder: dimensionOrder, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  /// A tensor over the bytes of `data`, which it keeps alive and does not copy. See `AnyTensor.init(data:shape:)`.
  public convenience init(
    data: Data,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    self.init(
      AnyTensor(
        data: data, shape: shape, strides: strides, dimensionOrder: dimensionOrder, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  /// A tensor over the memory of an array, without a copy: changes of an element on either side are seen by the other.
  ///
  /// The array must outlive the tensor and its views, and must neither be copied nor change its size meanwhile. An empty shape
  /// stands for one axis of all elements; any other must have as many elements as the array.
  public convenience init(
    _ scalars: inout [T],
    shape: [Int] = [],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let shape = Tensor.shape(shape, of: scalars)
    let tensor = unsafe scalars.withUnsafeMutableBytes { bytes in
      guard let pointer = bytes.baseAddress else {
        return AnyTensor.empty(shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism)
      }
      return unsafe AnyTensor(
        bytesNoCopy: pointer, shape: shape, strides: strides, dimensionOrder: dimensionOrder, dataType: T.dataType,
        shapeDynamism: shapeDynamism)
    }
    self.init(tensor)
  }

  /// A tensor over a copy of the elements of an array.
  ///
  /// An empty shape stands for one axis of all elements; any other must have as many elements as the array.
  public convenience init(
    _ scalars: [T],
    shape: [Int] = [],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let shape = Tensor.shape(shape, of: scalars)
    let tensor = unsafe scalars.withUnsafeBytes { bytes in
      guard let pointer = bytes.baseAddress else {
        return AnyTensor.empty(shape: shape, strides: strides, dataType: T.dataType, shapeDynamism: shapeDynamism)
      }
      return unsafe AnyTensor(
        bytes: pointer, shape: shape, strides: strides, dimensionOrder: dimensionOrder, dataType: T.dataType,
        shapeDynamism: shapeDynamism)
    }
    self.init(tensor)
  }

  /// A tensor without axes, of one element.
  public convenience init(_ scalar: T) {
    self.init(AnyTensor(element: scalar))
  }

  /// `shape`, which must have as many elements as the array, or if empty that of one axis.
  private static func shape(_ shape: [Int], of scalars: [T]) -> [Int] {
    if shape.isEmpty { return [scalars.count] }
    precondition(elementCount(ofShape: shape) == scalars.count, "The shape has more or fewer elements than the array")
    return shape
  }

  public var dataType: DataType { anyTensor.dataType }
  /// Extents, outermost axis first.
  public var shape: [Int] { anyTensor.shape }
  /// For each axis, the distance between neighbours along it, in elements.
  public var strides: [Int] { anyTensor.strides }
  /// The axes from outermost to innermost in memory.
  public var dimensionOrder: [Int] { anyTensor.dimensionOrder }
  public var shapeDynamism: ShapeDynamism { anyTensor.shapeDynamism }
  /// The number of elements.
  public var count: Int { anyTensor.count }

  /// The elements in the order of memory.
  public func scalars() -> [T] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// The result of `body` for the elements in the order of memory. The buffer is valid during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeBufferPointer<T>) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(anyTensor) {} }
    return try unsafe body(UnsafeBufferPointer(start: anyTensor.dataPointer.assumingMemoryBound(to: T.self), count: count))
  }

  /// As `withUnsafeBytes(_:)`, where `body` may change the elements.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableBufferPointer<T>) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(anyTensor) {} }
    return try unsafe body(UnsafeMutableBufferPointer(start: anyTensor.dataPointer.assumingMemoryBound(to: T.self), count: count))
  }

  /// A tensor of the same elements, shape and layout in memory of its own.
  public func copy() -> Tensor<T> {
    Tensor(anyTensor.copy())
  }

  /// A tensor of the same shape and layout in memory of its own, with each element converted. See `AnyTensor.copy(to:)`.
  public func copy<U: Scalar>(to dataType: U.Type) -> Tensor<U> {
    Tensor<U>(anyTensor.copy(to: U.dataType))
  }

  /// Gives the tensor another shape of as many axes. See `AnyTensor.resize(to:)`.
  public func resize(to shape: [Int]) throws {
    try anyTensor.resize(to: shape)
  }

  /// Whether both have the same shape, strides, dimension order and, bit for bit, elements. Dynamism does not matter.
  public static func == (lhs: Tensor<T>, rhs: Tensor<T>) -> Bool {
    lhs.anyTensor == rhs.anyTensor
  }
}

extension Tensor: CustomStringConvertible {
  public var description: String { anyTensor.description }
}
