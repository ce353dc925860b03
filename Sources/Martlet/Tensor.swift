package import MartletTensor

/// A dense tensor: elements of one type in row-major order.
///
/// Tensors have value semantics: copies share memory until one of them is modified.
public struct Tensor: Sendable {
  package var host: HostTensor

  package init(_ host: HostTensor) { self.host = host }

  /// Creates a tensor from its elements.
  ///
  /// - Parameters:
  ///   - scalars: the elements in row-major order (the last axis varies fastest).
  ///   - shape: the extents, outermost first; `[]` for a rank-0 tensor.
  /// - Throws: `MartletError` of the kind `invalidInput` if the number of elements does not match the shape.
  public init<Element: TensorElement>(_ scalars: [Element], shape: [Int]) throws {
    guard Shape.elementCount(shape) == scalars.count else {
      throw MartletError.invalidInput("\(scalars.count) elements do not fill the shape \(shape)")
    }
    var host = HostTensor(zeros: Element.dataType.dtype, shape: shape)
    unsafe host.withUnsafeMutableBytes { target in
      unsafe scalars.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }
    self.host = host
  }

  /// Creates a vector from its elements.
  public init<Element: TensorElement>(_ scalars: [Element]) {
    var host = HostTensor(zeros: Element.dataType.dtype, shape: [scalars.count])
    unsafe host.withUnsafeMutableBytes { target in
      unsafe scalars.withUnsafeBytes { source in unsafe target.copyMemory(from: source) }
    }
    self.host = host
  }

  /// Creates a tensor of zeros.
  /// - Throws: `MartletError` of the kind `invalidInput` if an extent is negative or the size overflows.
  public init(zeros dataType: DataType, shape: [Int]) throws {
    guard HostTensor.byteCount(dtype: dataType.dtype, shape: shape) != nil else {
      throw MartletError.invalidInput("a tensor cannot have the shape \(shape)")
    }
    host = HostTensor(zeros: dataType.dtype, shape: shape)
  }

  public var dataType: DataType { DataType(host.dtype) }
  /// Extents, outermost axis first.
  public var shape: [Int] { host.shape }
  public var elementCount: Int { host.elementCount }

  /// The elements in row-major order.
  /// - Throws: `MartletError` of the kind `invalidInput` if the tensor has another element type.
  public func scalars<Element: TensorElement>(as type: Element.Type = Element.self) throws -> [Element] {
    guard Element.dataType == dataType else {
      throw MartletError.invalidInput("the tensor holds \(dataType) elements, not \(Element.dataType)")
    }
    return unsafe host.withUnsafeBytes { unsafe Array($0.bindMemory(to: Element.self)) }
  }

  /// Calls `body` with the bytes of the elements in row-major order.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try unsafe host.withUnsafeBytes(body)
  }

  /// Calls `body` with the mutable bytes of the elements in row-major order.
  public mutating func withUnsafeMutableBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result {
    try unsafe host.withUnsafeMutableBytes(body)
  }
}

extension Tensor: CustomStringConvertible {
  public var description: String { "Tensor(\(dataType.rawValue), shape: \(shape))" }
}
