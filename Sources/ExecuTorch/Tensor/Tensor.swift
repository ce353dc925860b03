public import Foundation

/// A tensor with elements of type `T`: an `AnyTensor` whose element type is known at compile time.
///
/// The rules of `AnyTensor` apply here too.
public final class Tensor<T: Scalar>: Equatable {
  /// The type-erased tensor.
  public let anyTensor: AnyTensor

  /// Wraps a tensor, sharing its memory. Passing a tensor of another element type is a programming error.
  public init(_ tensor: AnyTensor) {
    precondition(tensor.dataType == T.dataType, "The elements have another type")
    precondition(MemoryLayout<T>.stride == size(ofDataType: T.dataType), "The memory layout of the scalar does not match its data type")
    anyTensor = tensor
  }

  /// Creates a view: another tensor over the same memory. See `AnyTensor.init(_:shape:dimensionOrder:strides:)`.
  public convenience init(_ tensor: Tensor<T>, shape: [Int] = [], dimensionOrder: [Int] = [], strides: [Int] = []) {
    self.init(AnyTensor(tensor.anyTensor, shape: shape, dimensionOrder: dimensionOrder, strides: strides))
  }

  /// Creates a tensor over memory of the caller, which must outlive the tensor and its views.
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

  /// Creates a tensor from a copy of the elements at `pointer`.
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

  /// Creates a tensor over the bytes of `data`, which it retains without copying. See `AnyTensor.init(data:shape:)`.
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

  /// Creates a tensor over the memory of an array without copying. Changes of elements are visible on both sides.
  ///
  /// The array must outlive the tensor and its views, and must neither be copied nor resized meanwhile. An empty shape stands for a
  /// vector of all elements; any other shape must have as many elements as the array.
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

  /// Creates a tensor from a copy of an array's elements.
  ///
  /// An empty shape stands for a vector of all elements; any other shape must have as many elements as the array.
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

  /// A rank-0 tensor holding one value.
  public convenience init(_ scalar: T) {
    self.init(AnyTensor(element: scalar))
  }

  /// `shape`, which must have as many elements as the array, or the shape of a vector if it is empty.
  private static func shape(_ shape: [Int], of scalars: [T]) -> [Int] {
    if shape.isEmpty { return [scalars.count] }
    precondition(elementCount(ofShape: shape) == scalars.count, "The shape and the array have different numbers of elements")
    return shape
  }

  public var dataType: DataType { anyTensor.dataType }
  /// Extents, outermost axis first.
  public var shape: [Int] { anyTensor.shape }
  /// The distance between neighbours along each axis, in elements.
  public var strides: [Int] { anyTensor.strides }
  /// The axes from outermost to innermost in memory.
  public var dimensionOrder: [Int] { anyTensor.dimensionOrder }
  public var shapeDynamism: ShapeDynamism { anyTensor.shapeDynamism }
  /// The number of elements.
  public var count: Int { anyTensor.count }

  /// The elements in memory order.
  public func scalars() -> [T] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// Calls `body` with the elements in memory order. The buffer is valid only during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeBufferPointer<T>) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(anyTensor) {} }
    return try unsafe body(UnsafeBufferPointer(start: anyTensor.dataPointer.assumingMemoryBound(to: T.self), count: count))
  }

  /// Same as `withUnsafeBytes(_:)`; `body` may modify the elements.
  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableBufferPointer<T>) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(anyTensor) {} }
    return try unsafe body(UnsafeMutableBufferPointer(start: anyTensor.dataPointer.assumingMemoryBound(to: T.self), count: count))
  }

  /// A deep copy with the same elements, shape and layout.
  public func copy() -> Tensor<T> {
    Tensor(anyTensor.copy())
  }

  /// A copy with the same shape and layout, and with each element converted. See `AnyTensor.copy(to:)`.
  public func copy<U: Scalar>(to dataType: U.Type) -> Tensor<U> {
    Tensor<U>(anyTensor.copy(to: U.dataType))
  }

  /// Changes the shape without changing the rank. See `AnyTensor.resize(to:)`.
  public func resize(to shape: [Int]) throws {
    try anyTensor.resize(to: shape)
  }

  /// Tensors are equal if they have the same shape, strides, dimension order and bitwise equal elements. Dynamism is ignored.
  public static func == (lhs: Tensor<T>, rhs: Tensor<T>) -> Bool {
    lhs.anyTensor == rhs.anyTensor
  }
}

extension Tensor: CustomStringConvertible {
  public var description: String { anyTensor.description }
}
