import Foundation
import Martlet
import MartletImport
import Testing

/// The argument names of importer rows, compared with the operators' schemas. `Oracles/make_operator_schemas.py` records the schemas.
@Suite struct CallSchemaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `rows have the schemas that PyTorch and ExecuTorch register`() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("Tests/Fixtures/operator-schemas.txt"), encoding: .utf8)
    let recorded = Set(page.split(separator: "\n").map(String.init))
    let declared = Set(CallRegistry.rows.values.map(\.schema))
    #expect(declared.subtracting(recorded).sorted() == [], "the recorded schema differs")
    #expect(recorded.subtracting(declared).sorted() == [], "no row has this schema")
    for (name, row) in CallRegistry.rows {
      #expect(row.name == name)
      #expect(Set(row.argumentNames).count == row.argumentNames.count && !row.argumentNames.isEmpty, "\(row.schema)")
    }
  }

  @Test func `rows read only arguments of their schemas`() throws {
    let folder = Self.root.appendingPathComponent("Sources/MartletImport/ExecuTorch/Rows")
    var sources: [RowSource] = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      sources.append(RowSource(try String(contentsOf: file, encoding: .utf8)))
    }
    let shared = sources.reduce(into: [String: Set<String>]()) { result, source in
      for (name, body) in source.functions where !body.isPrivate { result[name, default: []].formUnion([body.text]) }
    }
    var checked = 0
    for source in sources {
      for (schema, body) in source.rows {
        let known = Set(CallRow(schema: schema) { _ in }.argumentNames)
        for name in source.argumentNames(of: body, shared: shared) {
          #expect(known.contains(name), "\(schema) has no argument '\(name)'")
          checked += 1
        }
      }
    }
    #expect(sources.reduce(0) { $0 + $1.rows.count } == CallRegistry.rows.count)
    #expect(checked > 2 * CallRegistry.rows.count)
  }

  @Test func `errors name the argument`() throws {
    let file = Self.root.appendingPathComponent("Tests/Fixtures/ops/aten_gelu_out__0/model.pte")
    var program = try Data(contentsOf: file)
    let place = try #require(program.range(of: Data("none".utf8)))
    program.replaceSubrange(place, with: Data("nine".utf8))
    let damaged = FileManager.default.temporaryDirectory.appendingPathComponent("damaged-\(UUID()).pte")
    try program.write(to: damaged)
    defer { try? FileManager.default.removeItem(at: damaged) }
    let error = #expect(throws: MartletError.self) {
      try Model(contentsOf: damaged).load()
    }
    let message = error.map { "\($0)" } ?? ""
    #expect(message.contains("aten::gelu.out") && message.contains("argument 'approximate' is \"nine\""), "\(message)")
  }

  @Test func `an unknown name in a row is found`() {
    let source = RowSource(
      """
      let rows: CallTable = [
        "aten::first.out(self, dim, out)": { call in try call.shared(axis: "dim") },
        "aten::second.out(self, out)": { call in
          guard mode == "none" else { throw CallError("argument 'mode' is wrong") }
          try call.pointwise("second", ["sefl"], out: "out") { _, _ in }
        },
      ]

      extension OperatorCall {
        fileprivate mutating func shared(axis: ArgumentName) throws {
          try emit(Node(label: "x"), [try tensor("input")], out: "out")
        }
      }
      """)
    let names = source.rows.map { source.argumentNames(of: $0.body, shared: [:]) }
    #expect(names == [["dim", "input", "out"], ["out", "sefl"]])
  }
}

/// The text of a file of importer rows, split into rows and the functions they call.
private struct RowSource {
  var rows: [(schema: String, body: String)] = []
  var functions: [String: (text: String, isPrivate: Bool)] = [:]

  init(_ text: String) {
    // A row starts with its schema, a function with its declaration. Each ends where the next begins.
    let row = #/\n  "(\w+::[^"]*)"(?:\s*\+ "([^"]*)")?: /#
    let function = #/\n *(?:(private|fileprivate) )?(?:mutating )?func (\w+)\(/#
    let tableEnd = text.ranges(of: #/\n\]\n/#).first?.upperBound ?? text.endIndex
    let starts = text[..<tableEnd].matches(of: row)
    for (index, match) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : tableEnd
      rows.append((String(match.1) + (match.2.map(String.init) ?? ""), String(text[match.range.upperBound..<end])))
    }
    let declarations = text[tableEnd...].matches(of: function)
    for (index, match) in declarations.enumerated() {
      let end = index + 1 < declarations.count ? declarations[index + 1].range.lowerBound : text.endIndex
      let body = String(text[match.range.lowerBound..<end])
      functions[String(match.2), default: ("", match.1 != nil)].text += body
    }
  }

  /// The names of arguments in a row and in the functions that it calls, of its own file and shared ones.
  func argumentNames(of body: String, shared: [String: Set<String>]) -> [String] {
    var texts = [body]
    var seen: Set<String> = []
    var names: Set<String> = []
    while let text = texts.popLast() {
      for match in text.matches(of: #/([\w$]*\.)?(\w+)\(/#) {
        // Methods of other types, such as `build.binary`, have the names of functions that read arguments.
        guard ["", "call.", "$0.", "self."].contains(match.1.map(String.init) ?? "") else { continue }
        let name = String(match.2)
        guard seen.insert(name).inserted else { continue }
        if let own = functions[name] { texts.append(own.text) } else { texts += shared[name] ?? [] }
      }
      names.formUnion(Self.literals(text))
    }
    return names.sorted()
  }

  /// String literals that are not messages, labels, default arguments or values that arguments are compared with.
  private static func literals(_ text: String) -> [String] {
    let messages = #/CallError\([^\n]*|[/]{2}[^\n]*/#
    let values = #/(label: |pointwise\(\s*(?:\w+ \? )?|case |[=!]?= |\?\? |\? | : )"(?:[^"\\]|\\.)*"/#
    return text.replacing(messages, with: "").replacing(values, with: "").matches(of: #/"([^"\\]*)"/#).map { String($0.1) }
  }
}
