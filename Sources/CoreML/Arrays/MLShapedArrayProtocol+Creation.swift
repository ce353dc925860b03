public import Foundation
import Martlet

extension MLShapedArrayProtocol {
  /// Creates an array from scalars in row-major order.
  /// - Precondition: the number of scalars matches the shape.
  public init<Scalars: Sequence>(scalars: Scalars, shape: [Int]) where Scalars.Element == Scalar {
    let scalars = Array(scalars)
    precondition(Shape.elementCount(shape) == scalars.count, "\(scalars.count) scalars do not fill the shape \(shape)")
    unsafe self.init(unsafeUninitializedShape: shape) { elements, _ in
      _ = unsafe elements.update(fromContentsOf: scalars)
    }
  }

  /// Creates an array with all elements equal to `scalar`.
  public init(repeating scalar: Scalar, shape: [Int]) {
    unsafe self.init(unsafeUninitializedShape: shape) { elements, _ in unsafe elements.update(repeating: scalar) }
  }

  /// Creates a rank-0 array that holds one value.
  public init(scalar: Scalar) {
    self.init(repeating: scalar, shape: [])
  }

  /// Creates a copy of a multi-array.
  /// - Precondition: its elements have the type `Scalar`.
  public init(_ multiArray: MLMultiArray) {
    precondition(
      multiArray.dataType.dtype == Scalar.dtype, "The elements are of type \(multiArray.dataType.name), not \(Scalar.self)")
    self.init(converting: multiArray)
  }

  /// Creates a copy of a multi-array and converts its elements to `Scalar`.
  public init(converting multiArray: MLMultiArray) {
    unsafe self.init(unsafeUninitializedShape: multiArray.extents) { elements, strides in
      guard let target = elements.baseAddress else { return }
      unsafe copyElements(
        shape: multiArray.extents, from: multiArray.storage.pointer, multiArray.placement, to: target,
        ElementPlacement(Scalar.dtype, strides: strides))
    }
  }

  /// Creates a copy of another array and converts its elements to `Scalar`.
  public init<Other: MLShapedArrayProtocol>(converting shapedArray: Other) {
    let shape = shapedArray.shape
    unsafe self.init(unsafeUninitializedShape: shape) { elements, strides in
      guard let target = elements.baseAddress else { return }
      unsafe shapedArray.withUnsafeShapedBufferPointer { source, _, sourceStrides in
        guard let source = source.baseAddress else { return }
        unsafe copyElements(
          shape: shape, from: source, ElementPlacement(Other.Scalar.dtype, strides: sourceStrides), to: target,
          ElementPlacement(Scalar.dtype, strides: strides))
      }
    }
  }

  /// Creates a copy of another array.
  public init<Other: MLShapedArrayProtocol>(_ shapedArray: Other) where Other.Scalar == Scalar {
    self.init(converting: shapedArray)
  }

  /// Concatenates arrays along an axis.
  /// - Precondition: there is at least one array, and all have the same extents along the other axes.
  public init<Arrays: Sequence>(concatenating shapedArrays: Arrays, alongAxis axis: Int)
  where Arrays.Element: MLShapedArrayProtocol, Arrays.Element.Scalar == Scalar {
    let arrays = Array(shapedArrays)
    let shape = concatenatedShape(arrays.map(\.shape), alongAxis: axis)
    unsafe self.init(unsafeUninitializedShape: shape) { elements, strides in
      guard let base = elements.baseAddress else { return }
      var offset = 0
      for array in arrays {
        unsafe array.withUnsafeShapedBufferPointer { source, partShape, sourceStrides in
          guard let source = source.baseAddress else { return }
          unsafe copyElements(
            shape: partShape, from: source, ElementPlacement(Scalar.dtype, strides: sourceStrides), to: base + offset * strides[axis],
            ElementPlacement(Scalar.dtype, strides: strides))
        }
        offset += array.shape[axis]
      }
    }
  }

  /// Creates an array from the bytes of its elements in row-major order.
  /// - Precondition: `data` has at least as many bytes as the elements.
  public init(data: Data, shape: [Int]) {
    self.init(data: data, shape: shape, strides: Shape.contiguousStrides(shape))
  }

  /// Creates an array from the bytes of its elements, laid out with the given strides.
  /// - Precondition: `data` covers all bytes from the first to the last element.
  public init(data: Data, shape: [Int], strides: [Int]) {
    guard let span = ArrayLayout.elementSpan(shape: shape, strides: strides), span <= data.count / MemoryLayout<Scalar>.stride else {
      preconditionFailure("\(data.count) bytes cannot hold an array of shape \(shape) with strides \(strides)")
    }
    // Copied because the data may not be aligned for the elements.
    let storage = TensorStorage(copying: data)
    unsafe self.init(
      bytesNoCopy: storage.pointer, shape: shape, strides: strides, deallocator: .custom { _, _ in withExtendedLifetime(storage) {} })
  }

  /// Creates a row-major array over memory of the caller, which is never written.
  public init(bytesNoCopy bytes: UnsafeRawPointer, shape: [Int], deallocator: Data.Deallocator) {
    unsafe self.init(bytesNoCopy: bytes, shape: shape, strides: Shape.contiguousStrides(shape), deallocator: deallocator)
  }

  /// Stacks the slices of the literal along a new first axis.
  /// - Precondition: all slices have the same shape.
  public init(arrayLiteral elements: MLShapedArraySlice<Scalar>...) {
    guard !elements.isEmpty else {
      self.init(scalars: EmptyCollection(), shape: [0])
      return
    }
    self.init(concatenating: elements.map { $0.expandingShape(at: 0) }, alongAxis: 0)
  }
}

extension MLShapedArrayProtocol where Scalar: ExpressibleByIntegerLiteral {
  /// Creates an identity matrix.
  public init(identityMatrixOfSize size: Int) {
    unsafe self.init(unsafeUninitializedShape: [size, size]) { elements, _ in
      unsafe elements.update(repeating: 0)
      for index in 0..<size { unsafe elements[index * (size + 1)] = 1 }
    }
  }
}

extension MLShapedArrayProtocol where Scalar: FixedWidthInteger {
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(shape: shape) { Scalar.random(in: range) }
  }

  public init(randomScalarsIn range: ClosedRange<Scalar>, shape: [Int]) {
    self.init(shape: shape) { Scalar.random(in: range) }
  }
}

extension MLShapedArrayProtocol where Scalar: BinaryFloatingPoint, Scalar.RawSignificand: FixedWidthInteger {
  public init(randomScalarsIn range: Range<Scalar>, shape: [Int]) {
    self.init(shape: shape) { Scalar.random(in: range) }
  }

  public init(randomScalarsIn range: ClosedRange<Scalar>, shape: [Int]) {
    self.init(shape: shape) { Scalar.random(in: range) }
  }
}

extension MLShapedArrayProtocol {
  fileprivate init(shape: [Int], next: () -> Scalar) {
    unsafe self.init(unsafeUninitializedShape: shape) { elements, _ in
      for index in elements.indices { unsafe elements[index] = next() }
    }
  }
}
