public import Foundation
import Martlet

extension AnyTensor {
  /// Creates a tensor over memory of the caller, which must outlive the tensor and its views. Changes are visible on both sides.
  public convenience init(
    bytesNoCopy pointer: UnsafeMutableRawPointer,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let layout = TensorLayout.required(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    self.init(
      storage: unsafe TensorStorage(borrowing: pointer, byteCount: layout.byteCount(of: dataType)), dataType: dataType,
      layout: layout, shapeDynamism: shapeDynamism)
  }

  /// Creates a tensor from a copy of the elements at `pointer`.
  public convenience init(
    bytes pointer: UnsafeRawPointer,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let layout = TensorLayout.required(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    self.init(uninitialized: layout, dataType: dataType, shapeDynamism: shapeDynamism)
    unsafe dataPointer.copyMemory(from: pointer, byteCount: byteCount)
  }

  /// Creates a tensor over the bytes of `data`, which it retains without copying.
  ///
  /// `data` must have at least the bytes of all elements. Very small `data`, whose bytes are stored inline, is copied. Do not modify the
  /// elements through the tensor if `data` is used elsewhere.
  public convenience init(
    data: Data,
    shape: [Int],
    strides: [Int] = [],
    dimensionOrder: [Int] = [],
    dataType: DataType,
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let layout = TensorLayout.required(shape: shape, strides: strides, dimensionOrder: dimensionOrder)
    let byteCount = layout.byteCount(of: dataType)
    guard data.count >= byteCount else {
      fatalError("Tensor: \(data.count) bytes are not enough for the shape \(shape) with elements of type \(dataType.descriptiveName)")
    }
    self.init(storage: TensorStorage(data), dataType: dataType, layout: layout, shapeDynamism: shapeDynamism)
  }

  /// A rank-0 tensor holding one `.uInt16` value.
  public convenience init(_ scalar: UInt16) { self.init(element: scalar) }
  /// A rank-0 tensor holding one `.uInt32` value.
  public convenience init(_ scalar: UInt32) { self.init(element: scalar) }
  /// A rank-0 tensor holding one `.uInt64` value.
  public convenience init(_ scalar: UInt64) { self.init(element: scalar) }
  /// A rank-0 tensor holding one `.long` value.
  public convenience init(_ scalar: Int) { self.init(element: scalar) }
  /// A rank-0 tensor holding one `.uInt64` value.
  public convenience init(_ scalar: UInt) { self.init(element: scalar) }

  /// A rank-0 tensor holding one value.
  convenience init<T: Scalar>(element: T) {
    self.init(shape: [], dataType: T.dataType, shapeDynamism: .static, filledWith: element.asNSNumber())
  }

  /// Creates a tensor with uninitialised memory of its own.
  convenience init(uninitialized layout: TensorLayout, dataType: DataType, shapeDynamism: ShapeDynamism) {
    self.init(
      storage: TensorStorage(byteCount: layout.byteCount(of: dataType)), dataType: dataType, layout: layout,
      shapeDynamism: shapeDynamism)
  }
}
