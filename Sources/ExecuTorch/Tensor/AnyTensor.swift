public import Foundation
package import Martlet

/// A tensor whose element type is known only at run time: memory, which views may share, with a shape.
///
/// Inconsistent shapes, strides and dimension orders are programming errors and stop the process, as do the data types `.undefined` and
/// `.numOptions`. Tensors are not synchronised between threads.
public final class AnyTensor: NSObject, NSCopying {
  public let dataType: DataType
  /// A rank-0 tensor is always `.static`.
  public let shapeDynamism: ShapeDynamism

  /// The memory from the first element on, shared with views of the tensor.
  let storage: TensorStorage
  private(set) var layout: TensorLayout
  /// Maximum number of elements for `resize(to:)`.
  private let capacity: Int

  /// Creates a tensor over `storage`. The arguments are trusted: they must be consistent and fit the memory.
  package init(
    storage: TensorStorage, dataType: DataType, shape: [Int], strides: [Int], dimensionOrder: [Int],
    shapeDynamism: ShapeDynamism
  ) {
    self.storage = storage
    self.dataType = dataType
    self.layout = TensorLayout(
      trustedShape: shape, strides: strides, dimensionOrder: dimensionOrder, count: elementCount(ofShape: shape))
    self.capacity = layout.count
    self.shapeDynamism = shape.isEmpty ? .static : shapeDynamism
    super.init()
  }

  convenience init(storage: TensorStorage, dataType: DataType, layout: TensorLayout, shapeDynamism: ShapeDynamism) {
    self.init(
      storage: storage, dataType: dataType, shape: layout.shape, strides: layout.strides,
      dimensionOrder: layout.dimensionOrder, shapeDynamism: shapeDynamism)
  }

  /// Creates a view: another tensor over the same memory.
  ///
  /// An empty array stands for the value of the other tensor, where that fits the new shape, or for the value that follows from the other
  /// arguments. The view may have fewer elements than the tensor, counted from the start of its memory, but not more.
  public convenience init(_ tensor: AnyTensor, shape: [Int] = [], dimensionOrder: [Int] = [], strides: [Int] = []) {
    let viewShape = shape.isEmpty ? tensor.shape : shape
    let inheritsOrder = dimensionOrder.isEmpty && strides.isEmpty && viewShape.count == tensor.shape.count
    let layout = TensorLayout.required(
      shape: viewShape, strides: strides, dimensionOrder: inheritsOrder ? tensor.dimensionOrder : dimensionOrder)
    guard layout.count <= tensor.count else {
      fatalError("Tensor: a view of shape \(viewShape) has more elements than the tensor of shape \(tensor.shape)")
    }
    self.init(
      storage: tensor.storage, dataType: tensor.dataType, layout: layout,
      shapeDynamism: tensor.shapeDynamism)
  }

  /// Extents, outermost axis first.
  public var shape: [Int] { layout.shape }
  /// The distance between neighbours along each axis, in elements.
  public var strides: [Int] { layout.strides }
  /// The axes from outermost to innermost in memory.
  public var dimensionOrder: [Int] { layout.dimensionOrder }
  /// The number of elements.
  public var count: Int { layout.count }

  /// Address of the first element.
  package var dataPointer: UnsafeMutableRawPointer { unsafe storage.pointer }
  /// Size of all elements in bytes.
  var byteCount: Int { layout.byteCount(of: dataType) }

  /// Calls `handler` with the address of the first element, the number of elements and their type. The pointer is valid only during the
  /// call.
  public func bytes(_ handler: (UnsafeRawPointer, Int, DataType) -> Void) {
    unsafe handler(UnsafeRawPointer(dataPointer), count, dataType)
    withExtendedLifetime(storage) {}
  }

  /// Same as `bytes(_:)`; `handler` may modify the elements.
  public func mutableBytes(_ handler: (UnsafeMutableRawPointer, Int, DataType) -> Void) {
    unsafe handler(dataPointer, count, dataType)
    withExtendedLifetime(storage) {}
  }

  /// Changes the shape without changing the rank. Elements keep their positions in memory. Views keep their shapes.
  ///
  /// The dimension order is preserved and determines the strides. Throws `.notSupported` for another rank, for more elements than the
  /// tensor was created with and, for a `.static` tensor, for any other shape. Throws `.invalidArgument` for negative or excessive
  /// extents.
  public func resize(to shape: [Int]) throws {
    guard shape.count == self.shape.count else {
      throw Error(code: .notSupported, description: "The tensor has \(self.shape.count) axes, not \(shape.count)")
    }
    if shape == self.shape { return }
    if shapeDynamism == .static {
      throw Error(code: .notSupported, description: "The shape \(self.shape) is static and cannot become \(shape)")
    }
    let resized: TensorLayout
    do {
      resized = try TensorLayout(shape: shape, dimensionOrder: dimensionOrder)
    } catch {
      throw Error(code: .invalidArgument, description: error.description)
    }
    guard resized.count <= capacity else {
      throw Error(code: .notSupported, description: "The shape \(shape) has \(resized.count) elements; the tensor holds \(capacity)")
    }
    layout = resized
  }

  /// The tensor with elements of type `T`, sharing the memory; nil if the elements have another type.
  public func asTensor<T: Scalar>() -> Tensor<T>? {
    dataType == T.dataType ? Tensor<T>(self) : nil
  }

  // MARK: Copies

  /// A deep copy with the same elements, shape and layout.
  public func copy() -> AnyTensor { copy(to: dataType) }

  public func copy(with zone: NSZone?) -> Any { copy() as AnyTensor }

  /// The inherited method. Without this attribute, calls of the typed method would be ambiguous.
  @_disfavoredOverload
  public override func copy() -> Any { copy() as AnyTensor }

  /// A copy with the same shape and layout, and with each element converted to `dataType`.
  ///
  /// Integers are truncated to their low bits. Reals are truncated towards zero and clamped to the range of an integer type. Every value
  /// except 0 becomes true. Only numeric types can be converted: integers, reals and `.bool`.
  public func copy(to dataType: DataType) -> AnyTensor {
    let copy = AnyTensor(uninitialized: layout, dataType: dataType, shapeDynamism: shapeDynamism)
    if dataType == self.dataType {
      unsafe copy.dataPointer.copyMemory(from: dataPointer, byteCount: byteCount)
    } else {
      self.dataType.withNumericElement(ElementConversion(source: self, destination: copy))
    }
    return copy
  }

  // MARK: Equality

  /// Tensors are equal if they have the same data type, shape, strides, dimension order and bitwise equal elements. Dynamism is ignored.
  public static func == (lhs: AnyTensor, rhs: AnyTensor) -> Bool {
    if lhs === rhs { return true }
    guard lhs.dataType == rhs.dataType, lhs.layout == rhs.layout else { return false }
    return unsafe memcmp(lhs.dataPointer, rhs.dataPointer, lhs.byteCount) == 0
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? AnyTensor).map { self == $0 } ?? false
  }

  /// Depends only on data type and shape, not on the elements. A tensor must not be resized while it is a key.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(shape)
    return hasher.finalize()
  }

  public override var description: String { fullDescription }
}
