public import Foundation

extension AnyTensor {
  /// A tensor over the caller's memory, which must outlive the tensor and its views. Changes on either side are seen by the other.
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

  /// A tensor over a copy of the elements at `pointer`.
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

  /// A tensor over the bytes of `data`, which it keeps alive and does not copy.
  ///
  /// `data` must have the bytes of all elements, at least. Only a few bytes, which `Data` keeps inside itself, are copied.
  /// The elements must not be changed through the tensor if `data` is used elsewhere.
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
      fatalError("Tensor: \(data.count) bytes are not enough for the shape \(shape) of \(dataType.descriptiveName)")
    }
    self.init(storage: TensorStorage(data), dataType: dataType, layout: layout, shapeDynamism: shapeDynamism)
  }

  /// A tensor without axes of one `.uInt16` element.
  public convenience init(_ scalar: UInt16) { self.init(element: scalar) }
  /// A tensor without axes of one `.uInt32` element.
  public convenience init(_ scalar: UInt32) { self.init(element: scalar) }
  /// A tensor without axes of one `.uInt64` element.
  public convenience init(_ scalar: UInt64) { self.init(element: scalar) }
  /// A tensor without axes of one `.long` element.
  public convenience init(_ scalar: Int) { self.init(element: scalar) }
  /// A tensor without axes of one `.uInt64` element.
  public convenience init(_ scalar: UInt) { self.init(element: scalar) }

  /// A tensor without axes of one element.
  convenience init<T: Scalar>(element: T) {
    self.init(shape: [], dataType: T.dataType, shapeDynamism: .static, filledWith: element.asNSNumber())
  }

  /// A tensor in memory of its own, whose elements are yet to be written.
  convenience init(uninitialized layout: TensorLayout, dataType: DataType, shapeDynamism: ShapeDynamism) {
    self.init(
      storage: TensorStorage(byteCount: layout.byteCount(of: dataType), zeroed: false), dataType: dataType, layout: layout,
      shapeDynamism: shapeDynamism)
  }
}
