public import Foundation

/// A tensor whose element type is known at run time only: memory, which may be shared, with a shape of its own.
///
/// Shapes, strides and dimension orders that contradict each other are errors of the programmer and end the process, as do data
/// types that are none (`.undefined`, `.numOptions`). Tensors are not synchronised.
public final class AnyTensor: NSObject, NSCopying {
  public let dataType: DataType
  /// A tensor without axes is always `.static`.
  public let shapeDynamism: ShapeDynamism

  /// The memory, whole; views of the same elements share it.
  let storage: TensorStorage
  /// Where in the memory the first element is.
  let byteOffset: Int
  private(set) var layout: TensorLayout
  /// The number of elements that `resize(to:)` may reach.
  private let capacity: Int

  /// A tensor over `storage`; trusts its arguments, which must agree with each other and fit the memory.
  package init(
    storage: TensorStorage, byteOffset: Int, dataType: DataType, shape: [Int], strides: [Int], dimensionOrder: [Int],
    shapeDynamism: ShapeDynamism
  ) {
    self.storage = storage
    self.byteOffset = byteOffset
    self.dataType = dataType
    self.layout = TensorLayout(
      trustedShape: shape, strides: strides, dimensionOrder: dimensionOrder, count: elementCount(ofShape: shape))
    self.capacity = layout.count
    self.shapeDynamism = shape.isEmpty ? .static : shapeDynamism
    super.init()
  }

  convenience init(storage: TensorStorage, byteOffset: Int = 0, dataType: DataType, layout: TensorLayout, shapeDynamism: ShapeDynamism) {
    self.init(
      storage: storage, byteOffset: byteOffset, dataType: dataType, shape: layout.shape, strides: layout.strides,
      dimensionOrder: layout.dimensionOrder, shapeDynamism: shapeDynamism)
  }

  /// A view: another tensor of the same memory.
  ///
  /// An empty array stands for what the other tensor has, as far as it fits the new shape, or for what follows from the rest.
  /// The view may have fewer elements than the tensor, from the start of its memory, but not more.
  public convenience init(_ tensor: AnyTensor, shape: [Int] = [], dimensionOrder: [Int] = [], strides: [Int] = []) {
    let viewShape = shape.isEmpty ? tensor.shape : shape
    let inheritsOrder = dimensionOrder.isEmpty && strides.isEmpty && viewShape.count == tensor.shape.count
    let layout = TensorLayout.required(
      shape: viewShape, strides: strides, dimensionOrder: inheritsOrder ? tensor.dimensionOrder : dimensionOrder)
    guard layout.count <= tensor.count else {
      fatalError("Tensor: a view of the shape \(viewShape) has more elements than the shape \(tensor.shape)")
    }
    self.init(
      storage: tensor.storage, byteOffset: tensor.byteOffset, dataType: tensor.dataType, layout: layout,
      shapeDynamism: tensor.shapeDynamism)
  }

  /// Extents, outermost axis first.
  public var shape: [Int] { layout.shape }
  /// For each axis, the distance between neighbours along it, in elements.
  public var strides: [Int] { layout.strides }
  /// The axes from outermost to innermost in memory.
  public var dimensionOrder: [Int] { layout.dimensionOrder }
  /// The number of elements.
  public var count: Int { layout.count }

  /// The first element in memory.
  package var dataPointer: UnsafeMutableRawPointer { unsafe storage.pointer + byteOffset }
  /// Bytes of all elements.
  var byteCount: Int { layout.byteCount(of: dataType) }

  /// Calls `handler` with the first element in memory, the number of elements and their type. The pointer is valid during the call.
  public func bytes(_ handler: (UnsafeRawPointer, Int, DataType) -> Void) {
    unsafe handler(UnsafeRawPointer(dataPointer), count, dataType)
    withExtendedLifetime(storage) {}
  }

  /// As `bytes(_:)`, where `handler` may change the elements.
  public func mutableBytes(_ handler: (UnsafeMutableRawPointer, Int, DataType) -> Void) {
    unsafe handler(dataPointer, count, dataType)
    withExtendedLifetime(storage) {}
  }

  /// Gives the tensor another shape of as many axes; elements stay where they are in memory. Views keep theirs.
  ///
  /// The dimension order stays and strides follow from it. Throws `.notSupported` for another number of axes, for more elements
  /// than the tensor was made with and, of a `.static` tensor, for any other shape; `.invalidArgument` for negative or enormous extents.
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

  /// The tensor as one of elements `T`, sharing the memory; nil when the elements are of another type.
  public func asTensor<T: Scalar>() -> Tensor<T>? {
    dataType == T.dataType ? Tensor<T>(self) : nil
  }

  // MARK: Copies

  /// A tensor of the same elements, shape and layout in memory of its own.
  public func copy() -> AnyTensor { copy(to: dataType) }

  public func copy(with zone: NSZone?) -> Any { copy() as AnyTensor }

  /// The inherited method, which without this attribute would make calls of the typed one ambiguous.
  @_disfavoredOverload
  public override func copy() -> Any { copy() as AnyTensor }

  /// A tensor of the same shape and layout in memory of its own, with each element converted to `dataType`.
  ///
  /// Integers keep their low bits, reals lose what is after the point and end at the bounds of an integer type, and everything
  /// but 0 is true. Only types with a number for an element can be converted: integers, reals and `.bool`.
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

  /// Whether both have the same data type, shape, strides, dimension order and, bit for bit, elements. Dynamism does not matter.
  public static func == (lhs: AnyTensor, rhs: AnyTensor) -> Bool {
    if lhs === rhs { return true }
    guard lhs.dataType == rhs.dataType, lhs.layout == rhs.layout else { return false }
    return unsafe memcmp(lhs.dataPointer, rhs.dataPointer, lhs.byteCount) == 0
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? AnyTensor).map { self == $0 } ?? false
  }

  /// Depends on data type and shape only, not on the elements. A tensor must not be resized while it is a key.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(dataType)
    hasher.combine(shape)
    return hasher.finalize()
  }

  public override var description: String { fullDescription }
}
