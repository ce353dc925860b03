import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// The names of a loop's flags.
struct NetworkLoopFlags {
  /// True once the loop has been left.
  let left: String
  /// True for the rest of an iteration that has ended early.
  let ended: String
}

/// Branches and loops. A number is true if its magnitude exceeds 1e-6.
extension NetworkCall {
  func branch(_ then: [NetworkLayer], _ otherwise: [NetworkLayer]) throws {
    if let known = importer.knownNumbers(of: try input())?.first?.known {
      // The other branch may be one that could not run.
      return try importer.importLayers(known.doubleValue.magnitude > 1e-6 ? then : otherwise)
    }
    let condition = try truth(of: try input())
    let branches = try [(then, "then"), (otherwise, "else")].map { layers, name in
      try importer.branch("\(name) of \(layer.name)") { try importer.importLayers(layers) }
    }
    try importer.names.addConditional(condition, branches)
  }

  func add(_ loop: NetworkLoop) throws {
    let number = importer.loops.count
    let flags = NetworkLoopFlags(left: "\u{1}left \(number)", ended: "\u{1}ended \(number)")
    let counter = "\u{1}count \(number)"
    let names = importer.names
    let limit = try optionalInput(0).map { try integer($0) } ?? loop.iterationCount.map { GraphNumber($0) }
    guard limit != nil || !loop.condition.isEmpty else { throw CallError("the loop has no end") }
    let hasEarlyEnd = loop.body.contains { $0.endsIterations }
    names.assign(counter, self.number(.int(0)))
    names.assign(flags.left, self.number(.bool(false)))
    names.assign(flags.ended, self.number(.bool(false)))
    if let limit { names.assign("\(counter) limit", value(of: limit)) }

    /// True if another iteration is due; runs the layers of the condition.
    func goesOn() throws -> ValueID {
      var conditions: [ValueID] = []
      if !loop.condition.isEmpty {
        try importer.importLayers(loop.conditionLayers)
        conditions.append(try truth(of: try importer.blob(loop.condition)))
      }
      if limit != nil {
        let parts = [try importer.blob(counter), try importer.blob("\(counter) limit")]
        conditions.append(self.number(ScalarFunction(.less), parts, .bool))
      }
      if hasEarlyEnd { conditions.append(self.number(ScalarFunction(.not), [try importer.blob(flags.left)], .bool)) }
      return conditions.dropFirst().reduce(conditions[0]) { both($0, $1) }
    }

    let enters = try goesOn()
    let body = try importer.branch("loop \(layer.name)") {
      try importer.addLoop("body of \(layer.name)") {
        importer.loops.append(flags)
        defer { importer.loops.removeLast() }
        names.assign(flags.ended, self.number(.bool(false)))
        try importer.importLayers(loop.body)
        let next = self.number(ScalarFunction(.add), [try importer.blob(counter), self.number(.int(1))], .int)
        names.assign(counter, next)
        return try goesOn()
      }
    }
    let skip = try importer.branch("no loop \(layer.name)") {}
    try names.addConditional(enters, [body, skip])
  }

  func leaveLoop() throws {
    guard let flags = importer.loops.last else { throw CallError("is not in a loop") }
    importer.names.assign(flags.left, number(.bool(true)))
    importer.names.assign(flags.ended, number(.bool(true)))
  }

  func endIteration() throws {
    guard let flags = importer.loops.last else { throw CallError("is not in a loop") }
    importer.names.assign(flags.ended, number(.bool(true)))
  }

  private func both(_ x: ValueID, _ y: ValueID) -> ValueID {
    number(ScalarFunction(.choose), [x, y, number(.bool(false))], .bool)
  }

  /// Whether the only element of a blob is true.
  private func truth(of blob: ValueID) throws -> ValueID {
    let single = try reshaped(blob, to: [1])
    let truth = try pointwise(
      "truth", values: [single], in: .float32, try signature(of: single).with(.bool)
    ) { build, x in build.binary(.gt, build.unary(.abs, x[0]), build.literal(1e-6)) }
    return number(ScalarFromTensor(kind: .bool), [truth], .bool)
  }
}

extension NetworkGraphImporter {
  /// Builds a branch with notes of its own.
  func branch(_ name: String, _ body: () throws -> Void) throws -> Names<String, ValueID>.Branch {
    try scoped { try names.branch(name, body) }
  }

  /// Appends a loop that runs at least once.
  ///
  /// A blob whose shape changes from one iteration to the next has open extents in the loop.
  /// - Parameter body: adds the nodes of an iteration and returns the flag that requests another one.
  func addLoop(_ name: String, _ body: () throws -> ValueID) throws {
    // Each attempt opens at least one more extent.
    for _ in 0..<Self.mostAttempts {
      var flag: ValueID?
      let loop = try branch(name) { flag = try body() }
      let changes = names.changes(in: loop)
      guard !changes.isEmpty else { return try names.addLoop(loop, while: flag!) }
      for (blob, type) in changes {
        guard let value = names[blob] else { continue }
        names.define(blob, builder.addNode(Identity(), [value], type: type))
      }
    }
    throw CallError("the shapes of the loop's blobs change without end")
  }

  private static var mostAttempts: Int { 16 }

  /// Imports the layers after one that may end an iteration so that they run only if it did not.
  /// - Returns: true if the layers have been imported.
  func skipsRest(after layer: NetworkLayer, _ rest: ArraySlice<NetworkLayer>) throws -> Bool {
    guard layer.endsIterations, !rest.isEmpty, let flags = loops.last else { return false }
    let goesOn = builder.number(ScalarFunction(.not), [try blob(flags.ended)], .bool)
    let branches = [
      try branch("after \(layer.name)") { try importLayers(Array(rest)) }, try branch("end after \(layer.name)") {},
    ]
    try names.addConditional(goesOn, branches)
    return true
  }
}

extension NetworkLayer {
  /// True if the layer, or one in its branches, ends an iteration of the loop around it.
  fileprivate var endsIterations: Bool {
    switch operation {
    case .loopBreak, .loopContinue: true
    case .branch(let then, let otherwise): (then + otherwise).contains { $0.endsIterations }
    default: false
    }
  }
}
