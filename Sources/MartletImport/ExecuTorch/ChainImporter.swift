import MartletBytes
import MartletExecuTorchFile
import MartletGraph
import MartletLog
import MartletOps
import MartletTensor

/// Imports the instructions of one chain and recovers branches and loops from its jumps.
///
/// Exporters write two patterns. A conditional: `jumpIfFalse c → E; …; jumpIfFalse false → X; E: …; X:`. A loop with its test at the end:
/// `B: …; jumpIfFalse done → B`. Anything else is an error.
struct ChainImporter {
  let importer: MethodImporter
  private var builder: GraphBuilder { importer.builder }
  let chain: ExecutionPlan.Chain
  let number: Int
  /// Positions of the backward jumps to each target, in ascending order.
  private let backwardJumps: [Int: [Int]]

  init(importer: MethodImporter, chain: ExecutionPlan.Chain, number: Int) {
    self.importer = importer
    self.chain = chain
    self.number = number
    var jumps: [Int: [Int]] = [:]
    for (position, instruction) in chain.instructions.enumerated() {
      if case .jumpIfFalse(_, let destination) = instruction, destination <= position { jumps[destination, default: []].append(position) }
    }
    backwardJumps = jumps
  }

  func importAll() throws { try importRange(0..<chain.instructions.count) }

  /// Runs `body` and attributes its errors to the instruction at `position`.
  private func located<Result>(_ position: Int, _ op: @autoclosure () -> String, _ body: () throws -> Result) throws -> Result {
    try builder.located(at: "instruction \(position) of chain \(number)", op: op(), body)
  }

  private func importRange(_ range: Range<Int>) throws {
    var position = range.lowerBound
    while position < range.upperBound {
      if let end = loopEnd(startingAt: position, in: range) {
        try importLoop(position..<end)
        position = end + 1
        continue
      }
      if case .jumpIfFalse(let condition, let destination) = chain.instructions[position] {
        position = try importConditional(position, condition, destination, range)
        continue
      }
      try importInstruction(position)
      position += 1
    }
  }

  /// The backward jump that ends the outermost loop starting at `position`, if there is one.
  private func loopEnd(startingAt position: Int, in range: Range<Int>) -> Int? {
    backwardJumps[position]?.last { $0 < range.upperBound }
  }

  private func importLoop(_ body: Range<Int>) throws {
    guard case .jumpIfFalse(let condition, _) = chain.instructions[body.upperBound] else { preconditionFailure("a jump") }
    try located(body.lowerBound, "jump") {
      var flag: ValueID?
      let loop = try importer.branch("loop at \(body.lowerBound)") {
        // Exclude the backward jump itself, which would look like another loop.
        try importRange(body)
        let done = try scalarCondition(condition, body.upperBound)
        flag = builder.addNode(ScalarFunction(.not), [done], type: .scalar(.bool), source: "jump \(body.upperBound)")
      }
      try importer.values.addLoop(loop, while: flag!, source: "instructions \(body.lowerBound) to \(body.upperBound)")
    }
  }

  /// Imports a conditional and returns the position after it.
  private func importConditional(_ position: Int, _ condition: Int, _ destination: Int, _ range: Range<Int>) throws -> Int {
    try located(position, "jump") {
      guard destination > position, destination <= range.upperBound else {
        throw CallError("jumps to \(destination), out of its block \(range)")
      }
      // A jump on a literal `false` is unconditional.
      if !importer.isComputed(condition), case .bool(false) = importer.plan.values[condition] { return destination }
      var thenEnd = destination
      var end = destination
      if destination - 1 > position, case .jumpIfFalse(let literal, let exit) = chain.instructions[destination - 1],
        !importer.isComputed(literal), case .bool(false) = importer.plan.values[literal], exit >= destination
      {
        try located(destination - 1, "jump") {
          guard exit <= range.upperBound else { throw CallError("jumps to \(exit), out of its block \(range)") }
        }
        thenEnd = destination - 1
        end = exit
      }
      let flag = try scalarCondition(condition, position)
      let taken = try importer.branch("then at \(position)") { try importRange(position + 1..<thenEnd) }
      let other = try importer.branch("else at \(position)") { try importRange(destination..<end) }
      try importer.values.addConditional(flag, [taken, other], source: "jump \(position)")
      return end
    }
  }

  /// The condition as a scalar: a bool value or a one-element bool tensor.
  private func scalarCondition(_ index: Int, _ position: Int) throws -> ValueID {
    try located(position, "jump") {
      try builder.operation("jump", "#\(position)", source: "jump \(position)") {
        let value = try importer.read(index)
        switch builder.type(of: value) {
        case .tensor: return builder.number(ScalarFromTensor(kind: .bool), [value], .bool)
        case .scalar: return value
        default: throw CallError("the condition is \(builder.type(of: value)), not a number")
        }
      }
    }
  }

  private func importInstruction(_ position: Int) throws {
    switch chain.instructions[position] {
    case .kernelCall(let operatorIndex, let arguments):
      let (name, row, argumentNames) = importer.operators[operatorIndex]
      let place = "#" + String(position)
      var call = OperatorCall(op: name, arguments: arguments, argumentNames: argumentNames, scope: importer)
      try located(position, name) {
        guard let row else { throw CallError("no such operator is known; register it before loading if it is one of your own") }
        // Allocated once, since every instruction needs such a text.
        var source = ""
        source.reserveCapacity(name.utf8.count + 1 + place.utf8.count)
        source += name
        source += " "
        source += place
        try builder.operation(name, place, source: source) { try row.importer(&call) }
      }
    case .delegateCall(let delegateIndex, let arguments):
      let delegate = importer.plan.delegates[delegateIndex]
      Log.info("\(importer.plan.name), \(position): importing a payload of \(delegate.id), \(delegate.payload.count) bytes")
      do {
        try located(position, delegate.id) {
          try builder.operation(delegate.id, "#\(position)", source: "\(delegate.id) #\(position)") {
            try importer.context.importDelegate(delegate, arguments: arguments, into: importer)
          }
        }
      } catch let failure as FileError {
        throw failure.nested(in: "\(importer.plan.name).chains[\(number)].instructions[\(position)].\(delegate.id)")
      }
    case .move(let source, let destination):
      try located(position, "move") {
        let value = try importer.read(source)
        let (from, to) = (builder.type(of: value), try importer.type(of: destination))
        guard from.isSameKind(as: to) else { throw CallError("a \(from) cannot become a \(to)") }
        try importer.write(destination, value)
      }
    case .free: break
    case .jumpIfFalse: preconditionFailure("jumps are handled by importRange")
    }
  }
}
