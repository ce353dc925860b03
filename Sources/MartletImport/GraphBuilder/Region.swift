package import MartletGraph

/// The graph of a method, or the region of a conditional or loop, with what it captures from the scope around.
package struct Region {
  /// A value of the scope around that is an input of the region.
  struct Capture {
    let outer: ValueID
    let inner: ValueID
    /// The assignable name that the input stands for; nil for a value that nothing replaces.
    let variable: AnyHashable?
  }

  package var graph: Graph
  /// In order of the inputs, which follow the region's own.
  private(set) var captured: [Capture] = []
  /// Inputs and copies here of values that nothing replaces, by the value of the scope around.
  private var copies: [ValueID: ValueID] = [:]

  init(_ graph: Graph) { self.graph = graph }

  /// The value here for a value of the scope around.
  ///
  /// - Parameter variable: the name whose value it is, if the name can be assigned again: a loop then carries it, so that it is an input even if
  ///   it is a constant, and not the same input as another name's.
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

  /// Gives a region without inputs of its own the inputs `all`, in this order.
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
