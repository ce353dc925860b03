package import MartletGraph
import MartletTensor

extension GraphBuilder {
  /// Builds a region of the open scope.
  ///
  /// - Parameter body: adds the region's nodes and returns its outputs.
  /// - Throws: the errors of `body`, and `CallError` for regions nested too deeply.
  package func region(_ name: String, _ body: () throws -> [ValueID]) throws -> Region {
    guard level < limits.nesting else { throw CallError("control flow is nested more than \(limits.nesting) levels deep") }
    scopes.append(Region(Graph(name: name)))
    level += 1
    do {
      scopes[level].graph.outputs = try body()
    } catch {
      level -= 1
      scopes.removeLast()
      throw error
    }
    level -= 1
    return scopes.removeLast()
  }

  /// The value in the open region that corresponds to a value of the enclosing scope.
  package func capture(_ value: ValueID) -> ValueID { capture(value, into: level) }

  /// The value in the scope at level `inner` that corresponds to a value of its enclosing scope; see `Region.capture`.
  func capture(_ value: ValueID, into inner: Int, as variable: AnyHashable? = nil) -> ValueID {
    let outer = scopes[inner - 1].graph.values[value.index]
    return scopes[inner].capture(value, outer, as: variable)
  }

  /// The value in a finished region of the open scope that corresponds to a value of that scope.
  func capture(_ value: ValueID, into region: inout Region, as variable: AnyHashable?) -> ValueID {
    region.capture(value, scopes[level].graph.values[value.index], as: variable)
  }

  /// Appends a conditional and returns its results. `branches` are the regions for true and false.
  package func addConditional(_ condition: ValueID, _ branches: [Region], source: String? = nil) throws -> [ValueID] {
    precondition(branches.count == 2, "a conditional has two branches")
    var branches = branches
    let count = branches[0].graph.outputs.count
    guard branches[1].graph.outputs.count == count else { throw CallError("the branches have different numbers of results") }
    // Both regions take the union of the captures.
    var known: Set<Region.Capture.Identity> = []
    var union: [(capture: Region.Capture, type: ValueType)] = []
    for branch in branches {
      for capture in branch.captured where known.insert(capture.identity).inserted { union.append((capture, type(of: capture.outer))) }
    }
    for position in branches.indices { branches[position].setCaptures(union) }
    let types = (0..<count).map { result in
      let types = branches.map { $0.graph.values[$0.graph.outputs[result].index].type }
      return types[0].joined(with: types[1])
    }
    return addNode(Conditional(), [condition] + union.map(\.capture.outer), types: types, regions: branches.map(\.graph), source: source)
  }

  /// Appends a loop.
  ///
  /// - Parameters:
  ///   - body: a region with one input per variable. Its outputs are the flag that requests another iteration and the next values of the
  ///     variables.
  ///   - variables: initial values.
  ///   - captures: next values of the region's captures; unchanged if nil.
  /// - Returns: the last values of the variables, then those of the captures.
  package func addLoop(_ body: Region, variables: [ValueID], captures: [ValueID]? = nil, source: String? = nil) throws -> [ValueID] {
    var body = body
    let next = captures ?? body.captured.map(\.inner)
    guard body.graph.outputs.count == variables.count + 1, body.graph.inputs.count == variables.count + body.captured.count,
      next.count == body.captured.count
    else { throw CallError("the loop's body does not have the loop's \(variables.count) variables") }
    body.graph.outputs += next
    let operands = variables + body.captured.map(\.outer)
    let types = zip(body.graph.outputs.dropFirst(), operands).map { inner, outer in
      body.graph.values[inner.index].type.joined(with: type(of: outer))
    }
    return addNode(Loop(), operands, types: types, regions: [body.graph], source: source)
  }
}

extension ValueType {
  /// A type that includes both. Extents that differ become dynamic. The result is bounded if both are known up to a common bound.
  func joined(with other: ValueType) -> ValueType {
    if case .none = self { return other }
    guard case .tensor(var first) = self, case .tensor(let second) = other, first.rank == second.rank else { return self }
    for axis in first.dimensions.indices { first.dimensions[axis] = first.dimensions[axis].joined(with: second.dimensions[axis]) }
    return .tensor(first)
  }
}

extension Dimension {
  fileprivate func joined(with other: Dimension) -> Dimension {
    switch (self, other) {
    case (.fixed(let a), .fixed(let b)): a == b ? self : .symbolic(bound: nil)
    case (.symbolic(let bound?), .fixed(let extent)), (.fixed(let extent), .symbolic(let bound?)):
      .symbolic(bound: extent <= bound ? bound : nil)
    case (.symbolic(let a?), .symbolic(let b?)): .symbolic(bound: max(a, b))
    default: .symbolic(bound: nil)
    }
  }
}
