import Martlet

extension MLTensor {
  // MARK: Joining

  /// Concatenates tensors along an axis.
  /// - Precondition: there is at least one tensor, and all have the same extents along the other axes.
  public init(concatenating tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    let tensors = Array(tensors)
    guard let first = tensors.first else { fatalError("MLTensor.init(concatenating:alongAxis:) of no tensors") }
    let normal = first.normalized(axis, "init(concatenating:alongAxis:)")
    for tensor in tensors {
      let fits = tensor.rank == first.rank && tensor.shape.indices.allSatisfy { $0 == normal || tensor.shape[$0] == first.shape[$0] }
      require(fits, "MLTensor.init(concatenating:alongAxis:): \(tensor.shape) does not fit \(first.shape) along axis \(axis)")
    }
    let type = tensors.dropFirst().reduce(first.dtype) { TypePromotion.promote($0, $1.dtype) }
    require(type.isTensorScalar, "MLTensor.init(concatenating:alongAxis:): the scalars have no common type; cast some")
    let parts = tensors.map { $0.cast(to: type).expression }
    self = .result("init(concatenating:alongAxis:)") { try .concatenated(parts, axis: normal) }
  }

  /// Stacks tensors of the same shape along a new axis.
  /// - Precondition: there is at least one tensor.
  public init(stacking tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    let shape = tensors.first?.shape
    require(tensors.allSatisfy { $0.shape == shape }, "MLTensor.init(stacking:alongAxis:) of the shapes \(tensors.map(\.shape))")
    self.init(concatenating: tensors.map { $0.expandingShape(at: axis) }, alongAxis: axis)
  }

  /// Stacks tensors of the same shape along a new axis.
  /// - Precondition: there is at least one tensor.
  public init(_ tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) { self.init(stacking: tensors, alongAxis: axis) }

  /// Appends another tensor along an axis.
  public func concatenated(with other: MLTensor, alongAxis axis: Int = 0) -> MLTensor {
    MLTensor(concatenating: [self, other], alongAxis: axis)
  }

  // MARK: Taking apart

  /// Splits an axis into `count` parts of equal size.
  /// - Precondition: `count` divides the extent.
  public func split(count: Int, alongAxis axis: Int = 0) -> [MLTensor] {
    let extent = shape[normalized(axis, "split(count:alongAxis:)")]
    require(count > 0 && extent % count == 0, "MLTensor.split(count:alongAxis:): an extent of \(extent) does not divide into \(count)")
    return split(sizes: Array(repeating: extent / count, count: count), alongAxis: axis)
  }

  /// Splits an axis into parts of the given sizes.
  /// - Precondition: no size is negative, and the sizes add up to the extent.
  public func split(sizes: [Int], alongAxis axis: Int = 0) -> [MLTensor] {
    let normal = normalized(axis, "split(sizes:alongAxis:)")
    require(
      sizes.allSatisfy { $0 >= 0 && $0 <= shape[normal] } && sizes.reduce(0, +) == shape[normal],
      "MLTensor.split(sizes:alongAxis:): the sizes \(sizes) do not add up to an extent of \(shape[normal])")
    var start = 0
    return sizes.map { size in
      defer { start += size }
      return part(normal, start, size, "split(sizes:alongAxis:)")
    }
  }

  /// The slices along an axis, each with that axis removed.
  public func unstacked(alongAxis axis: Int = 0) -> [MLTensor] {
    let normal = normalized(axis, "unstacked(alongAxis:)")
    return (0..<shape[normal]).map { index in
      .result("unstacked(alongAxis:)") { try expression.selected(axis: normal, index: index) }
    }
  }

  /// `count` positions of an axis from `start`, with a step.
  func part(_ axis: Int, _ start: Int, _ count: Int, step: Int = 1, _ name: String) -> MLTensor {
    if start == 0, count == shape[axis], step == 1 { return self }
    return .result(name) { try expression.sliced(axis: axis, start: start, count: count, step: step) }
  }

  // MARK: Padding

  /// The values of the padding.
  public enum PaddingMode: Sendable, Hashable {
    /// The same value everywhere.
    case constant(Float)
    /// The tensor mirrored at its edge, without repeating the edge element.
    case reflection
    /// The tensor mirrored at its edge, repeating the edge element.
    case symmetric
  }

  /// Pads the tensor with a value.
  /// - Precondition: there is one pair of sizes, not negative, for each dimension.
  public func padded(forSizes sizes: [(before: Int, after: Int)], with value: Float) -> MLTensor {
    padded(forSizes: sizes, mode: .constant(value))
  }

  /// Pads the tensor.
  /// - Precondition: there is one pair of sizes, not negative, for each dimension. Mirrored padding is not longer than the part it
  ///   mirrors.
  public func padded(forSizes sizes: [(before: Int, after: Int)], mode: PaddingMode) -> MLTensor {
    let name = "padded(forSizes:mode:)"
    require(
      sizes.count == rank && sizes.allSatisfy { $0.before >= 0 && $0.after >= 0 },
      "MLTensor.\(name): the sizes \(sizes) do not fit the shape \(shape)")
    let (before, after) = (sizes.map(\.before), sizes.map(\.after))
    switch mode {
    case .constant(let number):
      let padding: MartletTensor.Scalar = dtype.isFloatingPoint ? .double(Double(number)) : .int(Int64(number))
      return .result(name) { try expression.padded(before: before, after: after, with: padding) }
    case .reflection: return .result(name) { try expression.reflected(before: before, after: after) }
    case .symmetric: return shape.indices.reduce(self) { $0.mirrored($1, sizes[$1].before, sizes[$1].after, name) }
    }
  }

  /// The tensor with mirrored padding along an axis.
  private func mirrored(_ axis: Int, _ before: Int, _ after: Int, _ name: String) -> MLTensor {
    let extent = shape[axis]
    require(before <= extent && after <= extent, "MLTensor.\(name): \((before, after)) elements to mirror in an extent of \(extent)")
    var parts: [MLTensor] = [self]
    if before > 0 { parts.insert(part(axis, 0, before, name).reversed(alongAxes: [axis]), at: 0) }
    if after > 0 { parts.append(part(axis, extent - after, after, name).reversed(alongAxes: [axis])) }
    return parts.count == 1 ? self : MLTensor(concatenating: parts, alongAxis: axis)
  }
}

extension MLTensor.PaddingMode: CustomStringConvertible {
  public var description: String {
    switch self {
    case .constant(let number): "constant(\(number))"
    case .reflection: "reflection"
    case .symmetric: "symmetric"
    }
  }
}
