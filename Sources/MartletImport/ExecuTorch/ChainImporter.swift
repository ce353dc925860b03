import MartletBytes
import MartletExecuTorchFile
import MartletGraph
import MartletLog
import MartletOps
import MartletTensor

/// Imports the instructions of one chain, recovering branches and loops from jumps.
///
/// Exporters write two shapes. A conditional: `jumpIfFalse c → E; …; jumpIfFalse false → X; E: …; X:`. A loop that
/// tests at its end: `B: …; jumpIfFalse done → B`. Anything else is an error.
struct ChainImporter {
  let importer: MethodImporter
  let chain: ExecutionPlan.Chain
  let number: Int
  /// Positions of the jumps that go back to a position, in ascending order.
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

  private func error(_ position: Int, _ op: String, _ reason: String, inside delegate: String = "") -> ImportError {
    ImportError(
      file: importer.context.file, method: importer.plan.name, location: "instruction \(position) of chain \(number)\(delegate)", op: op,
      reason: reason)
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
    var flag: ValueID?
    let scope = try region("loop at \(body.lowerBound)", body.lowerBound) {
      // The backward jump itself must not be taken for a loop inside the body.
      try importRange(body)
      let done = try scalarCondition(condition, body.upperBound)
      flag = importer.addNode(ScalarFunction(.not), [done], types: [.scalar(.bool)], source: "jump \(body.upperBound)")[0]
    }
    try importer.addLoop(scope, flag: flag!, source: "instructions \(body.lowerBound) to \(body.upperBound)")
  }

  private func region(_ name: String, _ position: Int, _ body: () throws -> Void) throws -> MethodImporter.Scope {
    do {
      return try importer.region(name, body)
    } catch let failure as CallError {
      throw error(position, "jump", failure.reason)
    }
  }

  /// Imports a conditional and returns the position after it.
  private func importConditional(_ position: Int, _ condition: Int, _ destination: Int, _ range: Range<Int>) throws -> Int {
    guard destination > position, destination <= range.upperBound else {
      throw error(position, "jump", "jumps to \(destination), out of its block \(range)")
    }
    // A jump on a literal `false` is unconditional.
    if !importer.isComputed(condition), case .bool(false) = importer.plan.values[condition] { return destination }
    var thenEnd = destination
    var end = destination
    if destination - 1 > position, case .jumpIfFalse(let literal, let exit) = chain.instructions[destination - 1],
      !importer.isComputed(literal), case .bool(false) = importer.plan.values[literal], exit >= destination
    {
      guard exit <= range.upperBound else { throw error(destination - 1, "jump", "jumps to \(exit), out of its block \(range)") }
      thenEnd = destination - 1
      end = exit
    }
    let flag = try scalarCondition(condition, position)
    let taken = try region("then at \(position)", position) { try importRange(position + 1..<thenEnd) }
    let other = try region("else at \(position)", position) { try importRange(destination..<end) }
    try importer.addConditional(flag, [taken, other], source: "jump \(position)")
    return end
  }

  /// The condition as a number: a bool value or a bool tensor of one element.
  private func scalarCondition(_ index: Int, _ position: Int) throws -> ValueID {
    try importer.operation("jump", "#\(position)") { try jumpCondition(index, position) }
  }

  private func jumpCondition(_ index: Int, _ position: Int) throws -> ValueID {
    do {
      let value = try importer.read(index)
      switch importer.type(of: value) {
      case .tensor:
        return importer.addNode(ScalarFromTensor(kind: .bool), [value], types: [.scalar(.bool)], source: "jump \(position)")[0]
      case .scalar: return value
      default: throw CallError("the condition is \(importer.type(of: value)), not a number")
      }
    } catch let failure as CallError {
      throw error(position, "jump", failure.reason)
    }
  }

  private func importInstruction(_ position: Int) throws {
    switch chain.instructions[position] {
    case .kernelCall(let operatorIndex, let arguments):
      let (name, row) = importer.operators[operatorIndex]
      let place = "#\(position)"
      var call = OperatorCall(op: name, arguments: arguments, scope: importer, source: "\(name) \(place)")
      do {
        if let row {
          try importer.operation(name, place) { try row(&call) }
          try importer.checkOperandCount()
        } else {
          throw CallError("no such operator is known; register it before loading if it is one of your own")
        }
      } catch let failure as CallError {
        throw error(position, name, failure.reason)
      }
    case .delegateCall(let delegateIndex, let arguments):
      let delegate = importer.plan.delegates[delegateIndex]
      do {
        Log.info("\(importer.plan.name), \(position): importing a payload of \(delegate.id), \(delegate.payload.count) bytes")
        try importer.operation(delegate.id, "#\(position)") {
          try importer.context.importDelegate(delegate, arguments: arguments, into: importer, source: "\(delegate.id) #\(position)")
        }
      } catch let failure as CallError {
        guard let (op, place) = failure.payloadNode else { throw error(position, delegate.id, failure.reason) }
        throw error(position, op, failure.reason, inside: ", \(delegate.id), \(place)")
      } catch let failure as FileError {
        throw failure.nested(in: "\(importer.plan.name).chains[\(number)].instructions[\(position)].\(delegate.id)")
      }
    case .move(let source, let destination):
      do {
        let value = try importer.read(source)
        let (from, to) = (importer.type(of: value), try importer.type(of: destination))
        guard from.isSameKind(as: to) else { throw CallError("a \(from) cannot become a \(to)") }
        try importer.write(destination, value)
      } catch let failure as CallError {
        throw error(position, "move", failure.reason)
      }
    case .free: break
    case .jumpIfFalse: preconditionFailure("jumps are handled by importRange")
    }
  }
}
