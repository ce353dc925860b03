import MartletTensor

import FoundationEssentials
import MartletSystem
import Martlet

extension ModelInspection {
  /// Readable text without a line break at the end.
  var text: String {
    var lines = ["\(url.lastPathComponent): \(kind.rawValue), schema version \(schemaVersion), \(Formatting.bytes(byteCount))"]
    switch kind {
    case .data: lines += dataLines("entries", namedData)
    case .program, .bundledProgram, .coreML:
      if let component { lines += component.lines(title: "model: \(component.kind)", indentation: "  ") }
      lines.append("constants: \(constantCount), \(Formatting.bytes(constantByteCount))")
      lines.append("state: \(Formatting.bytes(stateByteCount))")
      if !externalData.isEmpty { lines += dataLines("weights from .ptd files", externalData) }
      if !namedData.isEmpty {
        let total = ModelInspection.byteCount(namedData)
        lines.append("named data: \(Formatting.count(namedData.count, "piece")), \(Formatting.bytes(total))")
      }
      for suite in testSuites { lines.append("recorded runs of \(suite.method): \(suite.caseCount)") }
      for method in methods where method.constants == nil { lines += [""] + method.lines }
      let constants = methods.compactMap { method in method.constants.map { [method.signature.name, $0.joined(separator: ", ")] } }
      if !constants.isEmpty { lines += ["", "constant methods"] + Formatting.table(constants, [.left, .left], indentation: "  ") }
    }
    return lines.joined(separator: "\n")
  }

  private func dataLines(_ title: String, _ data: [Data]) -> [String] {
    let total = ModelInspection.byteCount(data)
    let rows = data.map { [$0.name ?? "(no name)", $0.type ?? "bytes", Formatting.bytes($0.byteCount)] }
    return ["\(title): \(data.count), \(Formatting.bytes(total))"] + Formatting.table(rows, [.left, .left, .right], indentation: "  ")
  }
}

extension ModelInspection.Component {
  /// The sizes and the stages, below `title`.
  fileprivate func lines(title: String, indentation: String) -> [String] {
    var lines = [title + (reference.map { ": \($0)" } ?? "")]
    for size in sizes { lines.append("\(indentation)\(size.name): \(size.count)") }
    if let network { lines += network.lines(indentation: indentation) }
    if let refusal { lines.append("\(indentation)cannot run: \(refusal)") }
    for (index, stage) in stages.enumerated() {
      lines += stage.lines(title: "\(indentation)stage \(index) (\(stage.name)): \(stage.kind)", indentation: indentation + "  ")
    }
    return lines
  }
}

extension ModelInspection.Method {
  var lines: [String] {
    var lines = ["method \(signature.name)"]
    let inputs = signature.inputs.map { "    \($0)\($0.isOptional ? ", optional" : "")" }
    lines += inputs.isEmpty ? ["  no inputs"] : ["  inputs"] + inputs
    lines += signature.outputs.isEmpty ? ["  no outputs"] : ["  outputs"] + signature.outputs.map { "    \($0)" }
    if let labels = signature.classLabels?.texts {
      lines.append("  labels: \(labels.count): \(labels.prefix(5).joined(separator: ", "))\(labels.count > 5 ? ", …" : "")")
    }
    if !operators.isEmpty {
      lines.append("  operators: \(operators.reduce(0) { $0 + $1.count }) calls of \(operators.count)")
      lines += countLines(operators)
    }
    for delegate in Self.grouped(delegates) {
      let calls = Formatting.count(delegate.callCount, "call")
      let several = delegate.count > 1 ? "\(delegate.count) payloads, " : "payload "
      lines.append("  delegate \(delegate.id): \(several)\(Formatting.bytes(delegate.byteCount)), \(calls)")
      if let operators = delegate.operators { lines += countLines(operators) }
      if let problem = delegate.problem {
        lines.append("    its operators cannot be read (--data names a .ptd file with weights): \(problem)")
      }
    }
    if !states.isEmpty {
      lines.append("  state: \(Formatting.bytes(ModelInspection.byteCount(states)))")
      let rows = Self.grouped(zip(states, stateWriters)).map { group in
        [
          "\(group.count)", group.name ?? "(no name)", group.type ?? "", Formatting.bytes(group.byteCount),
          group.writer.map { "by \($0)" } ?? "",
        ]
      }
      lines += Formatting.table(rows, [.right, .left, .left, .right, .left], indentation: "    ")
    }
    if !weights.isEmpty {
      lines.append("  constants: \(Formatting.bytes(Extent.sum(weights.map(\.byteCount)).clamped))")
      let rows = weights.map { ["\($0.count)", $0.type, Formatting.bytes($0.byteCount), $0.isTable ? "read by rows" : ""] }
      lines += Formatting.table(rows, [.right, .left, .right, .left], indentation: "    ")
    }
    lines.append("  planned memory: \(Formatting.bytes(plannedByteCount))")
    return lines
  }

  private func countLines(_ counts: [ModelInspection.OperatorCount]) -> [String] {
    Formatting.table(counts.map { ["\($0.count)", $0.name] }, [.right, .left], indentation: "    ")
  }

  /// States that differ in nothing, as the caches of a model's layers.
  private struct StateGroup {
    let name: String?
    let type: String?
    let writer: String?
    var count = 0
    var byteCount = 0
  }

  private static func grouped(_ states: some Sequence<(ModelInspection.Data, String?)>) -> [StateGroup] {
    var groups: [StateGroup] = []
    for (state, writer) in states {
      let same = groups.firstIndex { $0.name == nil && state.name == nil && $0.type == state.type && $0.writer == writer }
      let position = same ?? groups.count
      if position == groups.count { groups.append(StateGroup(name: state.name, type: state.type, writer: writer)) }
      groups[position].count += 1
      groups[position].byteCount = (Extent(groups[position].byteCount) + state.byteCount).clamped
    }
    return groups
  }

  /// The delegates of one backend, grouped.
  private struct DelegateGroup {
    let id: String
    var count = 0
    var byteCount = 0
    var callCount = 0
    var operators: [ModelInspection.OperatorCount]?
    var problem: String?
  }

  private static func grouped(_ delegates: [ModelInspection.Delegate]) -> [DelegateGroup] {
    var groups: [DelegateGroup] = []
    for delegate in delegates {
      let position = groups.firstIndex { $0.id == delegate.id } ?? groups.count
      if position == groups.count { groups.append(DelegateGroup(id: delegate.id)) }
      groups[position].count += 1
      groups[position].byteCount = (Extent(groups[position].byteCount) + delegate.byteCount).clamped
      groups[position].callCount += delegate.callCount
      groups[position].problem = groups[position].problem ?? delegate.problem
      if let operators = delegate.operators {
        groups[position].operators = ModelInspection.OperatorCount.sum(groups[position].operators ?? [], operators)
      }
    }
    return groups
  }
}
