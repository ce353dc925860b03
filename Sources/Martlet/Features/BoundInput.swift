package import MartletFeatures
import MartletGraph
import MartletRuntime
package import MartletTensor

/// A feature passed by a caller, in the caller's memory.
package enum FeatureInput {
  case array(ArrayView)
  case pixels(PixelView)
  case int(Int64)
  case double(Double)
  /// The caller omits the feature.
  case missing
}

/// An input of a graph in memory that kernels can read: row-major, aligned, of the graph's element type.
@safe
package struct BoundInput: @unchecked Sendable {
  let argument: Argument
  /// The memory of the tensor, which must live until the call returns; nil for scalars.
  package let storage: TensorStorage?

  /// - Precondition: `storage` holds the elements of the tensor from its first byte on, row-major and aligned.
  package init(_ type: TensorType, in storage: TensorStorage) {
    argument = unsafe .tensor(type, UnsafeRawPointer(storage.pointer))
    self.storage = storage
  }

  fileprivate init(_ argument: Argument, _ storage: TensorStorage?) {
    self.argument = argument
    self.storage = storage
  }

  /// The type and address of a row-major tensor; nil for other inputs.
  package var tensor: (type: TensorType, address: UInt)? {
    guard case .tensor(let type, let address, nil) = argument else { return nil }
    return (type, UInt(bitPattern: address))
  }
}

extension FeatureMethod {
  /// Binds a caller's feature to the graph input at a position. Elements that kernels cannot read in place are copied.
  ///
  /// - Returns: nil for a missing input without a default, and for a kind of value that the input does not accept.
  /// - Throws: `MartletError.invalidInput` for a type or shape that does not fit.
  package func bind(_ input: FeatureInput, at position: Int) throws -> BoundInput? {
    let feature = inputs[position]
    switch (types[position], input) {
    case (.tensor(let signature), .array(var view)):
      // One element represents a scalar.
      if view.shape.count != signature.rank, feature.type == .double || feature.type == .int64 {
        view = view.element(rank: signature.rank)
      }
      return try bound(view, as: signature.dtype, at: position)
    case (.tensor(let signature), .pixels(let pixels)):
      guard case .image(let image) = feature.type, image.takes(pixels) else { return nil }
      let type = TensorType(signature.dtype, image.tensorShape(width: pixels.width, height: pixels.height))
      let storage = TensorStorage(byteCount: type.byteCount)
      unsafe image.write(pixels, as: signature.dtype, to: storage.pointer)
      return try unsafe accepted(.tensor(type, storage.pointer), storage, at: position)
    case (.tensor(let signature), .int(let number)): return try bound(.int(number), signature, at: position)
    case (.tensor(let signature), .double(let number)): return try bound(.double(number), signature, at: position)
    case (.scalar, .int(let number)): return try accepted(.scalar(.int(number)), nil, at: position)
    case (.scalar, .double(let number)): return try accepted(.scalar(.double(number)), nil, at: position)
    case (.tensor(let signature), .missing):
      guard let tensor = feature.defaultTensor(as: signature.dtype) else { return nil }
      return try accepted(tensor, at: position)
    default: return nil
    }
  }

  private func bound(_ view: ArrayView, as dtype: DType, at position: Int) throws -> BoundInput {
    let type = TensorType(dtype, view.shape)
    if view.dtype == dtype, view.isContiguous, view.isAligned {
      return try unsafe accepted(.tensor(type, view.base), view.storage, at: position)
    }
    let copy = TensorStorage(byteCount: view.shape.reduce(1, *) * dtype.byteCount)
    unsafe copyElements(
      shape: view.shape, from: view.base, view.placement, to: copy.pointer,
      ElementPlacement(dtype, strides: Shape.contiguousStrides(view.shape)))
    return try unsafe accepted(.tensor(type, copy.pointer), copy, at: position)
  }

  private func bound(_ number: Scalar, _ signature: TensorSignature, at position: Int) throws -> BoundInput? {
    let shape = [Int](repeating: 1, count: signature.rank)
    return try HostTensor(repeating: number, dtype: signature.dtype, shape: shape).map { try accepted($0, at: position) }
  }

  private func accepted(_ tensor: HostTensor, at position: Int) throws -> BoundInput {
    let storage = tensor.sharedStorage
    return try unsafe accepted(.tensor(TensorType(tensor.dtype, tensor.shape), storage.pointer), storage, at: position)
  }

  private func accepted(_ argument: Argument, _ storage: TensorStorage?, at position: Int) throws -> BoundInput {
    BoundInput(try method.graph.accept(argument, at: position), storage)
  }
}
