package import MartletFeatures
import MartletGraph
package import MartletPixels
import MartletRuntime
import MartletTensor

/// A feature passed by a caller, in the caller's memory.
package enum FeatureInput {
  case array(ArrayView)
  case pixels(PixelView)
  case int(Int64)
  case double(Double)
  /// The caller omits the feature.
  case missing
}

extension FeatureMethod {
  /// Binds a caller's feature to the graph input at a position. Elements that kernels cannot read in place are copied.
  ///
  /// - Returns: nil for a missing input without a default, and for a kind of value that the input does not accept.
  /// - Throws: `MartletError.invalidInput` for a type or shape that does not fit; `AllocationError`.
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
      return try accepted(image.tensor(of: pixels, as: signature.dtype), at: position)
    case (.tensor(let signature), .int(let number)): return try signature.tensor(of: .int(number)).map { try accepted($0, at: position) }
    case (.tensor(let signature), .double(let number)):
      return try signature.tensor(of: .double(number)).map { try accepted($0, at: position) }
    case (.scalar, .int(let number)): return try accepted(.scalar(.int(number)), nil, at: position)
    case (.scalar, .double(let number)): return try accepted(.scalar(.double(number)), nil, at: position)
    case (.tensor(let signature), .missing):
      return try feature.defaultTensor(as: signature.dtype).map { try accepted($0, at: position) }
    default: return nil
    }
  }

  private func bound(_ view: ArrayView, as dtype: DType, at position: Int) throws -> BoundInput {
    let type = TensorType(dtype, view.shape)
    if view.dtype == dtype, view.isContiguous, view.isAligned {
      return try unsafe accepted(.tensor(type, view.base), view.storage, at: position)
    }
    // The shape is checked before memory is allocated for it.
    _ = try unsafe accepted(.tensor(type, view.base), nil, at: position)
    let copy = try TensorStorage(for: dtype, shape: view.shape)
    unsafe copyElements(
      shape: view.shape, from: view.base, view.placement, to: copy.pointer,
      ElementPlacement(dtype, strides: Shape.contiguousStrides(view.shape)))
    return BoundInput(type, in: copy)
  }

  private func accepted(_ tensor: HostTensor, at position: Int) throws -> BoundInput {
    let storage = tensor.sharedStorage
    return try unsafe accepted(.tensor(TensorType(tensor.dtype, tensor.shape), storage.pointer), storage, at: position)
  }

  private func accepted(_ argument: Argument, _ storage: TensorStorage?, at position: Int) throws -> BoundInput {
    BoundInput(try method.graph.accept(argument, at: position), storage)
  }
}

extension TensorSignature {
  /// A number as a tensor of one element with the signature's rank; nil if the element type cannot hold it.
  func tensor(of number: Scalar) -> HostTensor? {
    HostTensor(repeating: number, dtype: dtype, shape: [Int](repeating: 1, count: rank))
  }
}
