package import MartletGraph
package import MartletOps
package import MartletTensor

/// An element of a small tensor, such as an extent, as a number: known when importing, or computed by the graph.
package enum GraphNumber: Sendable, Hashable {
  case known(Scalar)
  case computed(ValueID)

  package var known: Scalar? {
    if case .known(let scalar) = self { scalar } else { nil }
  }

  package init(_ value: Int) { self = .known(.int(Int64(widening: value))) }
}

extension GraphWriting {
  package func value(of number: GraphNumber) -> ValueID {
    switch number {
    case .known(let scalar): builder.addScalar(scalar)
    case .computed(let value): value
    }
  }

  /// An integer attribute. It is limited to a range in which later arithmetic cannot overflow.
  /// - Parameter parameter: its name in the source format.
  package func int(_ scalar: Scalar, _ parameter: String) throws(CallError) -> Int {
    guard let value = scalar.intValue.flatMap({ Int(exactly: $0) }), value.magnitude <= UInt(clamping: Shape.largestElementCount) else {
      throw CallError("parameter \(parameter) is \(scalar), which is too large")
    }
    return value
  }

  /// Numbers as arguments of a node. Computed ones are appended to `operands`.
  package func intArguments(_ numbers: [GraphNumber], _ parameter: String, _ operands: inout [ValueID?]) throws(CallError) -> [IntArgument]
  {
    var result: [IntArgument] = []
    for number in numbers {
      switch number {
      case .known(let scalar): result.append(.constant(try int(scalar, parameter)))
      case .computed(let value):
        operands.append(value)
        result.append(.operand(operands.count - 1))
      }
    }
    return result
  }

  /// The extent of an axis of a tensor: known, or determined when planning.
  package func extent(of value: ValueID, axis: Int) throws(CallError) -> GraphNumber {
    let signature = try signature(of: value)
    let axis = try normalized(axis, rank: signature.rank)
    if case .fixed(let extent) = signature.dimensions[axis] { return GraphNumber(extent) }
    return .computed(number(TensorExtent(axis: axis), [value], .int))
  }

  /// All extents of a tensor.
  package func extents(of value: ValueID) throws(CallError) -> [GraphNumber] {
    var result: [GraphNumber] = []
    for axis in 0..<(try signature(of: value).rank) { result.append(try extent(of: value, axis: axis)) }
    return result
  }

  /// The product of some extents of a tensor.
  package func product(of value: ValueID, axes: Range<Int>) throws(CallError) -> GraphNumber {
    var product = GraphNumber(1)
    for axis in axes { product = try arithmetic(.mul, product, try extent(of: value, axis: axis)) }
    return product
  }

  /// Integer arithmetic on numbers, folded if both are known.
  package func arithmetic(_ function: ScalarFunction.Function, _ x: GraphNumber, _ y: GraphNumber) throws(CallError) -> GraphNumber {
    let kind: ScalarKind =
      switch function {
      case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual, .not: .bool
      default: .int
      }
    if let a = x.known, let b = y.known {
      do throws(OperatorError) {
        return .known(try ScalarFunction(function).evaluate([a, b]))
      } catch {
        throw CallError("\(a) \(function.rawValue) \(b) has no result")
      }
    }
    return .computed(number(ScalarFunction(function), [value(of: x), value(of: y)], kind))
  }

  /// Numbers as a tensor of rank 0 or 1.
  @_semantics("optimize.sil.specialize.generic.never")
  package func tensor(of numbers: [GraphNumber], rank: Int, dtype: DType) throws(CallError) -> ValueID {
    let known = numbers.compactMap(\.known)
    if known.count == numbers.count {
      guard let host = HostTensor(known, dtype: dtype, shape: rank == 0 ? [] : [known.count]) else {
        throw CallError("numbers are not supported as \(dtype)")
      }
      return constant(host)
    }
    let shape: [Int] = rank == 0 ? [] : [1]
    let pieces = numbers.map { number in
      builder.addNode(
        Full(shape: shape.map { .constant($0) }, dtype: dtype), [value(of: number)],
        type: .tensor(TensorSignature(TensorType(dtype, shape))), source: "shape")
    }
    if pieces.count == 1 { return pieces[0] }
    return builder.addNode(
      Concat(axis: 0, dtype: dtype), pieces, type: .tensor(TensorSignature(TensorType(dtype, [pieces.count]))), source: "shape")
  }

  /// The elements of a tensor of rank 0 or 1 as scalars of the graph; using them as extents ends a plan. Nil for other tensors and for large
  /// ones.
  ///
  /// - Parameter count: the number of elements, if the program does not declare it.
  @_semantics("optimize.sil.specialize.generic.never")
  package func elements(of tensor: ValueID, count: Int? = nil) throws(CallError) -> [GraphNumber]? {
    let signature = try signature(of: tensor)
    guard signature.rank <= 1, !signature.dtype.isComplex, let count = signature.fixedShape.map({ $0.first ?? 1 }) ?? count,
      count <= mostElements
    else { return nil }
    let kind = ScalarKind(ofElements: signature.dtype)
    return (0..<count).map { position in
      var element = tensor
      if signature.rank == 1 {
        element =
          builder.addNode(
            Select(axis: 0, index: .constant(position)), [tensor], type: .tensor(TensorSignature(TensorType(signature.dtype, []))),
            source: "element \(position)")
      }
      return .computed(
        builder.addNode(ScalarFromTensor(kind: kind), [element], type: .scalar(kind), source: "element \(position)"))
    }
  }

  /// Maximum length of a list that is split into numbers.
  package var mostElements: Int { 64 }
}

extension ScalarKind {
  /// The scalar kind for elements of a tensor.
  package init(ofElements dtype: DType) { self = dtype.isFloatingPoint ? .double : dtype == .bool ? .bool : .int }
}
