public import Foundation
import Martlet
import MartletFeatures

extension MLTensor {
  /// A tensor that shares memory which does not change. The memory is row-major and aligned for the scalars.
  init(_ storage: TensorStorage, _ type: TensorType) { self.init(TensorExpression(storage, type)) }

  /// A tensor whose memory `fill` initializes.
  /// - Precondition: the byte count of the shape can be represented.
  static func filled(
    _ dtype: DType, _ shape: [Int], _ function: String, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows -> MLTensor {
    guard let byteCount = HostTensor.byteCount(dtype: dtype, shape: shape) else {
      fatalError("MLTensor.\(function): a tensor cannot have the shape \(shape)")
    }
    let storage = TensorStorage(byteCount: byteCount)
    try unsafe fill(UnsafeMutableRawBufferPointer(start: storage.pointer, count: byteCount))
    return MLTensor(storage, TensorType(dtype, shape))
  }

  /// A tensor with the given scalars in row-major order.
  /// - Precondition: the number of scalars is that of the shape.
  private static func of<Scalar: MLTensorScalar>(_ scalars: some Collection<Scalar>, shape: [Int], _ function: String) -> MLTensor {
    require(
      Shape.elementCount(shape) == scalars.count, "MLTensor.\(function): \(scalars.count) scalars do not fill the shape \(shape)")
    return unsafe filled(Scalar.tensorDType, shape, function) { bytes in
      let elements = unsafe bytes.bindMemory(to: Scalar.self)
      var position = 0
      for scalar in scalars {
        unsafe (elements.baseAddress! + position).initialize(to: scalar)
        position += 1
      }
    }
  }

  // MARK: Scalars

  /// A tensor with the elements of an array. Copies them only if they are not contiguous in row-major order, not aligned, or in a pixel
  /// buffer.
  public init<S>(_ shapedArray: S) where S: MLShapedArrayProtocol, S.Scalar: MLTensorScalar {
    let array = shapedArray as? MLShapedArray<S.Scalar> ?? MLShapedArray(shapedArray)
    let view = array.content.view
    // A pixel buffer can change later, so its elements are copied.
    if view.isContiguous, view.isAligned, view.storage.pixelBuffer == nil {
      let type = TensorType(S.Scalar.tensorDType, view.shape)
      self.init(unsafe TensorStorage(reading: view.base, byteCount: type.byteCount, of: view.storage), type)
      return
    }
    self = unsafe MLTensor.filled(S.Scalar.tensorDType, view.shape, "init(_:)") { bytes in
      guard let target = bytes.baseAddress else { return }
      unsafe copyElements(
        shape: view.shape, from: view.base, view.placement, to: target,
        ElementPlacement(view.dtype, strides: Shape.contiguousStrides(view.shape)))
    }
  }

  /// A tensor of rank 1 with the given scalars.
  public init(_ scalars: some Collection<Float>) { self = .of(scalars, shape: [scalars.count], "init(_:)") }

  /// A tensor of rank 1 with the given scalars.
  public init(_ scalars: some Collection<Int32>) { self = .of(scalars, shape: [scalars.count], "init(_:)") }

  /// A tensor of rank 1 with the given scalars.
  public init<Scalar: MLTensorScalar>(_ scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self) {
    self = .of(scalars, shape: [scalars.count], "init(_:scalarType:)")
  }

  /// A tensor of rank 0 with one scalar.
  public init<Scalar: MLTensorScalar>(_ value: Scalar, scalarType: Scalar.Type = Scalar.self) {
    self.init(TensorExpression(value.number, Scalar.tensorDType, isLiteral: false))
  }

  /// A tensor with the given scalars in row-major order.
  /// - Precondition: the number of scalars is that of the shape.
  public init(shape: [Int], scalars: some Collection<Float>) { self = .of(scalars, shape: shape, "init(shape:scalars:)") }

  /// A tensor with the given scalars in row-major order.
  /// - Precondition: the number of scalars is that of the shape.
  public init<Scalar: MLTensorScalar>(shape: [Int], scalars: some Collection<Scalar>, scalarType: Scalar.Type = Scalar.self) {
    self = .of(scalars, shape: shape, "init(shape:scalars:scalarType:)")
  }

  // MARK: Memory

  /// A tensor with a copy of the bytes of `data`, scalars in row-major order.
  /// - Precondition: the byte count is that of the shape and scalar type.
  public init(shape: [Int], data: Data, scalarType: any MLTensorScalar.Type) {
    let dtype = scalarType.tensorDType
    require(
      HostTensor.byteCount(dtype: dtype, shape: shape) == data.count,
      "MLTensor.init(shape:data:scalarType:): \(data.count) bytes do not match a tensor of shape \(shape) and type \(scalarType)")
    self.init(TensorStorage(copying: data), TensorType(dtype, shape))
  }

  /// A tensor that shares the caller's memory, which must not change until `deallocator` is called with it.
  /// - Precondition: the byte count is that of the shape and scalar type.
  public init(
    bytesNoCopy bytes: UnsafeRawBufferPointer, shape: [Int], scalarType: any MLTensorScalar.Type, deallocator: Data.Deallocator
  ) {
    let dtype = scalarType.tensorDType
    require(
      HostTensor.byteCount(dtype: dtype, shape: shape) == bytes.count,
      "MLTensor.init(bytesNoCopy:…): \(bytes.count) bytes do not match a tensor of shape \(shape) and type \(scalarType)")
    guard let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress), UInt(bitPattern: base) % UInt(dtype.byteCount) == 0
    else {
      // Empty memory, or memory that is not aligned for kernels, is copied.
      self = unsafe MLTensor.filled(dtype, shape, "init(bytesNoCopy:…)") { unsafe $0.copyMemory(from: bytes) }
      if let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) { unsafe deallocator(base, bytes.count) }
      return
    }
    let count = bytes.count
    let storage = unsafe TensorStorage(borrowing: base, byteCount: count, isWritable: false) { unsafe deallocator(base, count) }
    self.init(storage, TensorType(dtype, shape))
  }

  /// A tensor whose row-major memory `initializer` initializes.
  public init(
    unsafeUninitializedShape shape: [Int], scalarType: any MLTensorScalar.Type,
    initializingWith initializer: (UnsafeMutableRawBufferPointer) throws -> Void
  ) rethrows {
    self = try unsafe MLTensor.filled(scalarType.tensorDType, shape, "init(unsafeUninitializedShape:…)", initializer)
  }

  // MARK: Constants

  /// A tensor that repeats one value. Its memory is allocated when it is needed.
  private static func repeating(_ value: some MLTensorScalar, _ dtype: DType, _ shape: [Int], _ function: String) -> MLTensor {
    result(function) { try .repeating(value.number, type: TensorType(dtype, shape)) }
  }

  public init<Scalar: MLTensorScalar & FixedWidthInteger>(zeros shape: [Int], scalarType: Scalar.Type = Scalar.self) {
    self = .repeating(Scalar.zero, Scalar.tensorDType, shape, "init(zeros:scalarType:)")
  }

  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(zeros shape: [Int], scalarType: Scalar.Type = Scalar.self) {
    self = .repeating(Scalar.zero, Scalar.tensorDType, shape, "init(zeros:scalarType:)")
  }

  public init<Scalar: MLTensorScalar & FixedWidthInteger>(ones shape: [Int], scalarType: Scalar.Type = Scalar.self) {
    self = .repeating(1 as Scalar, Scalar.tensorDType, shape, "init(ones:scalarType:)")
  }

  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(ones shape: [Int], scalarType: Scalar.Type = Scalar.self) {
    self = .repeating(1 as Scalar, Scalar.tensorDType, shape, "init(ones:scalarType:)")
  }

  /// A tensor that repeats one value.
  public init(repeating repeatedValue: Float, shape: [Int]) {
    self = .repeating(repeatedValue, .float32, shape, "init(repeating:shape:)")
  }

  /// A tensor that repeats one value.
  public init<Scalar: MLTensorScalar>(repeating repeatedValue: Scalar, shape: [Int], scalarType: Scalar.Type = Scalar.self) {
    self = .repeating(repeatedValue, Scalar.tensorDType, shape, "init(repeating:shape:scalarType:)")
  }

  // MARK: Sequences

  /// The values `start, start + stride, …`, excluding `end`.
  /// - Precondition: `stride` is not 0.
  public init(rangeFrom start: Float, to end: Float, by stride: Float.Stride) {
    self.init(rangeFrom: start, to: end, by: stride, scalarType: Float.self)
  }

  /// The values `start, start + stride, …`, excluding `end`.
  /// - Precondition: `stride` is not 0.
  public init<Scalar: MLTensorScalar & Strideable>(
    rangeFrom start: Scalar, to end: Scalar, by stride: Scalar.Stride, scalarType: Scalar.Type = Scalar.self
  ) {
    let numbers = Array(Swift.stride(from: start, to: end, by: stride))
    self = .of(numbers, shape: [numbers.count], "init(rangeFrom:to:by:)")
  }

  /// `count` evenly spaced values from `start` through `end`. If `count` is 1, the value is `start`.
  public init(linearSpaceFrom start: Float, through end: Float, count: Int) {
    self.init(linearSpaceFrom: start, through: end, count: count, scalarType: Float.self)
  }

  /// `count` evenly spaced values from `start` through `end`. If `count` is 1, the value is `start`.
  public init<Scalar: MLTensorScalar & BinaryFloatingPoint>(
    linearSpaceFrom start: Scalar, through end: Scalar, count: Int, scalarType: Scalar.Type = Scalar.self
  ) {
    require(count >= 0, "MLTensor.init(linearSpaceFrom:through:count:): \(count) values")
    let (first, last) = (Double(start), Double(end))
    let step = (last - first) / Double(Swift.max(count - 1, 1))
    let numbers = (0..<count).map { $0 > 0 && $0 == count - 1 ? end : Scalar(first + Double($0) * step) }
    self = .of(numbers, shape: [count], "init(linearSpaceFrom:through:count:)")
  }
}

// MARK: Literals

extension MLTensor: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Float) { self.init(literal: .double(Double(value)), .float32) }
}

extension MLTensor: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int32) { self.init(literal: .int(Int64(value)), .int32) }
}

extension MLTensor: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self.init(literal: .bool(value), .bool) }
}

extension MLTensor: ExpressibleByArrayLiteral {
  /// Stacks tensors of the same shape along a new first axis. An empty literal is a Float tensor of shape [0].
  public init(arrayLiteral elements: MLTensor...) {
    if elements.isEmpty { self.init(EmptyCollection<Float>()) } else { self.init(stacking: elements) }
  }
}

extension MLTensor {
  /// A literal. It takes the scalar type of the tensor it is combined with, as Swift's literals do.
  private init(literal number: MartletTensor.Scalar, _ dtype: DType) {
    self.init(TensorExpression(number, dtype, isLiteral: true), isWeak: true)
  }

  /// A number that is combined with a tensor. It takes the tensor's scalar type if it is of the same kind.
  init(operand value: some MLTensorScalar) {
    self.init(TensorExpression(value.number, type(of: value).tensorDType, isLiteral: false), isWeak: true)
  }
}
