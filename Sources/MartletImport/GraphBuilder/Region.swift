package import MartletGraph

/// The graph of a method, or the region of a conditional or loop, with its captures from the enclosing scope.
package struct Region {
  /// A value of the enclosing scope that is an input of the region.
  struct Capture {
    let outer: ValueID
    let inner: ValueID
    /// The assignable name that the input stands for; nil for a value that cannot be replaced.
    let variable: AnyHashable?
  }

  package var graph: Graph
  /// In the order of the inputs, which follow the region's own.
  private(set) var captured: [Capture] = []
  /// Inputs and copies for values that cannot be replaced, by the value of the enclosing scope.
  private var copies: [ValueID: ValueID] = [:]

  init(_ graph: Graph) { self.graph = graph }

  /// The value in this region for a value of the enclosing scope.
  ///
  /// - Parameter variable: the name of the value, if the name can be assigned again. A loop then carries it: it becomes an input even if it
  ///   is a constant, and never shares an input with another name.
  mutating func capture(_ id: ValueID, _ value: Value, as variable: AnyHashable? = nil) -> ValueID {
    if variable == nil {
      if let known = copies[id] { return known }
      switch value.origin {
      case .input, .node: break
      case .constant, .scalar, .string, .none:
        let copy = graph.add(value)
        copies[id] = copy
        return copy
      }
    }
    let inner = graph.addInput(value.type, name: value.name)
    captured.append(Capture(outer: id, inner: inner, variable: variable))
    if variable == nil { copies[id] = inner }
    return inner
  }

  /// Replaces the inputs of a region that has only captures by `all`, in this order.
  mutating func setCaptures(_ all: [(capture: Capture, type: ValueType)]) {
    var own: [Capture.Identity: ValueID] = [:]
    for capture in captured { own[capture.identity] = capture.inner }
    captured = []
    graph.inputs = []
    for (position, (capture, type)) in all.enumerated() {
      let inner = own[capture.identity] ?? graph.add(Value(type: type, origin: .input(position)))
      graph[inner].origin = .input(position)
      graph.inputs.append(inner)
      captured.append(Capture(outer: capture.outer, inner: inner, variable: capture.variable))
    }
  }
}

extension Region.Capture {
  struct Identity: Hashable {
    let outer: ValueID
    let variable: AnyHashable?
  }

  var identity: Identity { Identity(outer: outer, variable: variable) }
}
