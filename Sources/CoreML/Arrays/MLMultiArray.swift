public import CoreVideo
public import Foundation
import Martlet

/// A multidimensional array of numbers, with reference semantics.
///
/// Arrays created without explicit strides are row-major and contiguous. Several threads may read an array; a thread that writes needs
/// exclusive access.
open class MLMultiArray: NSObject, NSSecureCoding {
  let storage: TensorStorage
  let form: ArrayForm
  public let dataType: MLMultiArrayDataType

  var extents: [Int] { form.extents }
  var steps: [Int] { form.steps }

  /// Extents, outermost first.
  public var shape: [NSNumber] { form.shape }
  /// Distance between neighbours along each axis, in elements.
  public var strides: [NSNumber] { form.strides }
  /// Number of elements.
  public var count: Int { form.count }

  /// - Precondition: `storage` holds the elements.
  init(storage: TensorStorage, form: ArrayForm, dataType: MLMultiArrayDataType) {
    self.storage = storage
    self.form = form
    self.dataType = dataType
    super.init()
  }

  /// - Precondition: `storage` holds the elements.
  convenience init(storage: TensorStorage, shape: [Int], strides: [Int], dataType: MLMultiArrayDataType) {
    self.init(storage: storage, form: ArrayForm(extents: shape, steps: strides), dataType: dataType)
  }

  // MARK: Creating arrays

  /// Creates an empty array.
  public override convenience init() {
    self.init(storage: TensorStorage(zeroedByteCount: 0), shape: [0], strides: [1], dataType: .float32)
  }

  /// Creates an array of zeros.
  /// - Throws: `MLModelError.generic` if an extent is negative or the array is too large.
  public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
    let extents = shape.map(\.intValue)
    guard let memory = try? TensorStorage(for: dataType.dtype, shape: extents) else {
      throw MLModelError(.generic, "An array of shape \(extents) and type \(dataType.name) cannot be created")
    }
    _ = unsafe memory.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: memory.byteCount)
    self.init(storage: memory, shape: extents, strides: Shape.contiguousStrides(extents), dataType: dataType)
  }

  /// Creates an array of zeros with the given strides, in elements.
  /// - Precondition: there is one stride for each axis, and none is negative.
  public convenience init(shape: [Int], dataType: MLMultiArrayDataType, strides: [Int]) {
    guard let span = ArrayLayout.elementSpan(shape: shape, strides: strides) else {
      preconditionFailure("An array of shape \(shape) cannot have the strides \(strides)")
    }
    let storage = TensorStorage(zeroedByteCount: span * dataType.dtype.byteCount)
    self.init(storage: storage, shape: shape, strides: strides, dataType: dataType)
  }

  /// Creates an array over memory of the caller, without copying.
  ///
  /// - Parameter deallocator: called with the memory when the array no longer needs it.
  /// - Throws: `MLModelError.generic` if shape and strides do not match.
  public convenience init(
    dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber],
    deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil
  ) throws {
    let extents = shape.map(\.intValue)
    let steps = strides.map(\.intValue)
    guard let span = ArrayLayout.elementSpan(shape: extents, strides: steps) else {
      throw MLModelError(.generic, "An array of shape \(extents) cannot have the strides \(steps)")
    }
    let storage = unsafe TensorStorage(
      borrowing: dataPointer, byteCount: span * dataType.dtype.byteCount,
      release: deallocator.map { deallocator in { unsafe deallocator(dataPointer) } })
    self.init(storage: storage, shape: extents, strides: steps, dataType: dataType)
  }

  /// Creates an array over the memory of a pixel buffer with the format `kCVPixelFormatType_OneComponent16Half` (half-precision
  /// elements).
  /// - Precondition: the last extent is the buffer's width, and the product of the others is its height.
  public convenience init(pixelBuffer: CVPixelBuffer, shape: [NSNumber]) {
    precondition(
      CVPixelBufferGetPixelFormatType(pixelBuffer) == kCVPixelFormatType_OneComponent16Half,
      "The pixel buffer of a multi-array must have the format kCVPixelFormatType_OneComponent16Half")
    let extents = shape.map(\.intValue)
    guard let strides = ArrayLayout.strides(shape: extents, of: pixelBuffer, byteCount: 2) else {
      preconditionFailure(
        "A pixel buffer of \(CVPixelBufferGetWidth(pixelBuffer)) x \(CVPixelBufferGetHeight(pixelBuffer)) does not have the shape "
          + "\(extents)")
    }
    self.init(storage: TensorStorage(pixelBuffer), shape: extents, strides: strides, dataType: .float16)
  }

  /// Creates a copy of a shaped array.
  public convenience init<ShapedArray: MLShapedArrayProtocol>(_ shapedArray: ShapedArray) {
    let shape = shapedArray.shape
    let dataType = ShapedArray.Scalar.multiArrayDataType
    let storage = Self.storage(shape: shape, dataType)
    let strides = Shape.contiguousStrides(shape)
    unsafe shapedArray.withUnsafeShapedBufferPointer { elements, _, sourceStrides in
      guard let base = elements.baseAddress else { return }
      unsafe copyElements(
        shape: shape, from: base, ElementPlacement(dataType.dtype, strides: sourceStrides), to: storage.pointer,
        ElementPlacement(dataType.dtype, strides: strides))
    }
    self.init(storage: storage, shape: shape, strides: strides, dataType: dataType)
  }

  /// Creates a vector of 32-bit integers.
  /// - Throws: `MLModelError.generic` if a value does not fit in 32 bits.
  public convenience init<Numbers: Collection>(_ data: Numbers) throws where Numbers.Element: FixedWidthInteger {
    try self.init(
      elements: data.map { number in
        guard let element = Int32(exactly: number) else { throw MLModelError(.generic, "\(number) does not fit in 32 bits") }
        return element
      })
  }

  public convenience init<Numbers: Collection>(_ data: Numbers) throws where Numbers.Element == Float {
    try self.init(elements: Array(data))
  }

  public convenience init<Numbers: Collection>(_ data: Numbers) throws where Numbers.Element == Double {
    try self.init(elements: Array(data))
  }

  private convenience init<Scalar: MLShapedArrayScalar>(elements: [Scalar]) throws {
    try self.init(shape: [NSNumber(value: elements.count)], dataType: Scalar.multiArrayDataType)
    unsafe elements.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { unsafe storage.pointer.copyMemory(from: source, byteCount: bytes.count) }
    }
  }

  /// Uninitialised memory for an array of an initializer that cannot throw.
  private static func storage(shape: [Int], _ dataType: MLMultiArrayDataType) -> TensorStorage {
    do {
      return try TensorStorage(for: dataType.dtype, shape: shape)
    } catch {
      preconditionFailure("An array of shape \(shape) and type \(dataType.name) cannot be created: \(error)")
    }
  }

  /// Concatenates arrays along an axis and converts their elements to `dataType`.
  /// - Precondition: the arrays have the same extents along the other axes.
  public convenience init(concatenating multiArrays: [MLMultiArray], axis: Int, dataType: MLMultiArrayDataType) {
    let shape = concatenatedShape(multiArrays.map(\.extents), alongAxis: axis)
    let storage = Self.storage(shape: shape, dataType)
    let strides = Shape.contiguousStrides(shape)
    var offset = 0
    for array in multiArrays {
      unsafe copyElements(
        shape: array.extents, from: array.storage.pointer, array.placement,
        to: storage.pointer + offset * strides[axis] * dataType.dtype.byteCount, ElementPlacement(dataType.dtype, strides: strides))
      offset += array.extents[axis]
    }
    self.init(storage: storage, shape: shape, strides: strides, dataType: dataType)
  }

  var placement: ElementPlacement { ElementPlacement(dataType.dtype, strides: steps) }

  /// The pixel buffer that holds the elements; nil for other arrays.
  public var pixelBuffer: CVPixelBuffer? { storage.pixelBuffer }

  // MARK: Elements

  /// The element at a position in row-major order.
  public subscript(offset: Int) -> NSNumber {
    get { number(at: memoryOffset(ofPosition: offset)) }
    set { setNumber(newValue, at: memoryOffset(ofPosition: offset)) }
  }

  /// The element at the given index of each axis.
  public subscript(key: [NSNumber]) -> NSNumber {
    get { number(at: memoryOffset(key)) }
    set { setNumber(newValue, at: memoryOffset(key)) }
  }

  private func memoryOffset(ofPosition position: Int) -> Int {
    precondition(position >= 0 && position < count, "Index \(position) is out of range for an array of \(count) elements")
    var rest = position
    var offset = 0
    for axis in extents.indices.reversed() {
      offset += rest % extents[axis] * steps[axis]
      rest /= extents[axis]
    }
    return offset
  }

  private func memoryOffset(_ key: [NSNumber]) -> Int {
    precondition(key.count == extents.count, "An array of rank \(extents.count) takes one index for each axis, not \(key.count)")
    var offset = 0
    for (axis, number) in key.enumerated() {
      let index = number.intValue
      precondition(index >= 0 && index < extents[axis], "Index \(index) of axis \(axis) is out of range 0..<\(extents[axis])")
      offset += index * steps[axis]
    }
    return offset
  }

  private func number(at offset: Int) -> NSNumber {
    func element<Element>(_ type: Element.Type) -> Element { unsafe storage.pointer.assumingMemoryBound(to: type)[offset] }
    return switch dataType {
    case .double: NSNumber(value: element(Double.self))
    case .float32: NSNumber(value: element(Float.self))
    case .float16: NSNumber(value: Float(element(Float16.self)))
    case .int32: NSNumber(value: element(Int32.self))
    case .int8: NSNumber(value: element(Int8.self))
    }
  }

  private func setNumber(_ number: NSNumber, at offset: Int) {
    func set<Element>(_ element: Element) { unsafe storage.pointer.assumingMemoryBound(to: Element.self)[offset] = element }
    switch dataType {
    case .double: set(number.doubleValue)
    case .float32: set(number.floatValue)
    case .float16: set(Float16(number.floatValue))
    case .int32: set(number.int32Value)
    case .int8: set(number.int8Value)
    }
  }

  /// Copies the elements to another array and converts them to its data type.
  /// - Precondition: both arrays have the same shape.
  public func transfer(to destination: MLMultiArray) {
    precondition(extents == destination.extents, "An array of shape \(extents) cannot be copied to one of shape \(destination.extents)")
    if destination.storage === storage, destination.steps == steps, destination.dataType == dataType { return }
    unsafe copyElements(
      shape: extents, from: storage.pointer, placement, to: destination.storage.pointer, destination.placement)
  }

  // MARK: Memory

  /// Address of the first element. It does not change during the array's life.
  public var dataPointer: UnsafeMutableRawPointer { unsafe storage.pointer }

  /// Number of elements from the first to the last one in memory, gaps included.
  private var span: Int { ArrayLayout.elementSpan(shape: extents, strides: steps) ?? 0 }
  private var spannedByteCount: Int { span * dataType.dtype.byteCount }

  /// Calls `body` with the elements in memory order, gaps included.
  /// - Precondition: `Scalar` is the type of the elements.
  public func withUnsafeBufferPointer<Scalar: MLShapedArrayScalar, Result>(
    ofType type: Scalar.Type, _ body: (UnsafeBufferPointer<Scalar>) throws -> Result
  ) rethrows -> Result {
    check(type)
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeBufferPointer(start: storage.pointer.assumingMemoryBound(to: type), count: span))
  }

  /// Calls `body` with the elements in memory order, gaps included, and the strides.
  /// - Precondition: `Scalar` is the type of the elements.
  public func withUnsafeMutableBufferPointer<Scalar: MLShapedArrayScalar, Result>(
    ofType type: Scalar.Type, _ body: (UnsafeMutableBufferPointer<Scalar>, _ strides: [Int]) throws -> Result
  ) rethrows -> Result {
    check(type)
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeMutableBufferPointer(start: storage.pointer.assumingMemoryBound(to: type), count: span), steps)
  }

  private func check<Scalar: MLShapedArrayScalar>(_ type: Scalar.Type) {
    precondition(type.dtype == dataType.dtype, "The elements are of type \(dataType.name), not \(type)")
  }

  /// Calls `body` with the bytes of the elements in memory order, gaps included.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeRawBufferPointer(start: storage.pointer, count: spannedByteCount))
  }

  /// Calls `body` with the bytes of the elements in memory order, gaps included, and the strides in elements.
  public func withUnsafeMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer, _ strides: [Int]) throws -> Result
  ) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeMutableRawBufferPointer(start: storage.pointer, count: spannedByteCount), steps)
  }

  /// Calls `handler` with the address and the size in bytes of the elements, gaps included.
  public func getBytesWithHandler(_ handler: (UnsafeRawPointer, Int) -> Void) {
    unsafe handler(storage.pointer, spannedByteCount)
  }

  /// Calls `handler` with the address and the size in bytes of the elements, gaps included, and the strides in elements.
  public func getMutableBytesWithHandler(_ handler: (UnsafeMutableRawPointer, Int, [NSNumber]) -> Void) {
    unsafe handler(storage.pointer, spannedByteCount, strides)
  }

  // MARK: Comparing, describing and archiving

  /// Arrays are equal if they have the same data type, shape and elements.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLMultiArray else { return false }
    if other === self { return true }
    guard dataType == other.dataType, extents == other.extents else { return false }
    return switch dataType {
    case .double: MLShapedArray<Double>(self) == MLShapedArray<Double>(other)
    case .float32: MLShapedArray<Float>(self) == MLShapedArray<Float>(other)
    case .float16: MLShapedArray<Float16>(self) == MLShapedArray<Float16>(other)
    case .int32: MLShapedArray<Int32>(self) == MLShapedArray<Int32>(other)
    case .int8: MLShapedArray<Int8>(self) == MLShapedArray<Int8>(other)
    }
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(extents)
    hasher.combine(dataType)
    return hasher.finalize()
  }

  /// Data type and shape, followed by the elements of a vector or matrix.
  open override var description: String {
    let size = extents.map(String.init).joined(separator: " × ")
    func row(_ start: Int, _ length: Int) -> String {
      (start..<start + length).map { position in
        let text = "\(self[position])"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
      }.joined(separator: ",")
    }
    switch extents.count {
    case 1: return "\(dataType.name) \(size) vector\n[\(row(0, count))]"
    case 2:
      let rows = (0..<extents[0]).map { row($0 * extents[1], extents[1]) }
      return "\(dataType.name) \(size) matrix\n[\(rows.joined(separator: ";\n "))]"
    default: return "\(dataType.name) \(size) array"
    }
  }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(extents.map { NSNumber(value: $0) } as NSArray, forKey: "shape")
    coder.encode(dataType.rawValue, forKey: "dataType")
    let dense = MLMultiArray(copying: self, as: dataType)
    coder.encode(unsafe NSData(bytes: dense.storage.pointer, length: dense.storage.byteCount), forKey: "elements")
  }

  public required convenience init?(coder: NSCoder) {
    guard let numbers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "shape") as? [NSNumber],
      let dataType = MLMultiArrayDataType(rawValue: coder.decodeInteger(forKey: "dataType")),
      let elements = coder.decodeObject(of: NSData.self, forKey: "elements")
    else { return nil }
    let shape = numbers.map(\.intValue)
    guard HostTensor.byteCount(dtype: dataType.dtype, shape: shape) == elements.length else { return nil }
    self.init(
      storage: TensorStorage(copying: elements as Data), shape: shape, strides: Shape.contiguousStrides(shape), dataType: dataType)
  }

  /// A row-major, contiguous copy with elements of type `dataType`.
  convenience init(copying array: MLMultiArray, as dataType: MLMultiArrayDataType) {
    let storage = TensorStorage(byteCount: array.count * dataType.dtype.byteCount)
    let strides = Shape.contiguousStrides(array.extents)
    unsafe copyElements(
      shape: array.extents, from: array.storage.pointer, array.placement, to: storage.pointer,
      ElementPlacement(dataType.dtype, strides: strides))
    self.init(storage: storage, shape: array.extents, strides: strides, dataType: dataType)
  }
}
