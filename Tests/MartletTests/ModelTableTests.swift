import Foundation
import Martlet
import Testing

/// Tables through the models of `Oracles/make_classic_cases.py`: each row has the results of a call with its values.
struct ModelTableTests {
  private static func model(_ name: String) throws -> Model {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Model(contentsOf: tests.appendingPathComponent("Fixtures/classic/\(name)/model.mlmodel"))
  }

  /// Numbers from -2 to 2 in eighths.
  private static func numbers(_ count: Int) -> [Double] {
    (0..<count).map { index in
      let eighths = (index * 2_654_435_761) >> 7 & 31
      return Double(eighths) / 8 - 2
    }
  }

  /// Compares a table's results with those of single calls.
  private func check(_ model: Model, _ table: [String: ModelColumn], rows: Int, row: (Int) throws -> [String: ModelValue]) throws {
    let results = try model.run(table: table)
    let labels = try model.signature(of: nil).classLabels
    for index in 0..<rows {
      for (name, expected) in try model.run(row(index)) {
        switch (try #require(results[name]), expected) {
        case (.tensor(let column), .int(let number)):
          #expect(column.shape == [rows] && column.dataType == .int64)
          #expect(column.doubles[index] == Double(number))
        case (.tensor(let column), .double(let number)):
          #expect(column.shape == [rows] && column.dataType == .float64)
          #expect(column.doubles[index] == number)
        case (.strings(let column), .string(let text)): #expect(column.count == rows && column[index] == text)
        case (.tensor(let column), .dictionary(let dictionary)):
          let numbers: [Double?] =
            switch (dictionary, labels) {
            case (.byString(let entries), .strings(let keys)?): keys.map { entries[$0] }
            case (.byInteger(let entries), .integers(let keys)?): keys.map { entries[$0] }
            default: []
            }
          let width = numbers.count
          #expect(width > 0 && column.shape == [rows, width])
          #expect(Array(column.doubles[index * width..<(index + 1) * width]) == numbers)
        default: Issue.record("\(name) is \(expected)")
        }
      }
    }
  }

  @Test(arguments: ["tree-classifier-softmax", "pipeline-regressor"])
  func `eight threads get the same bits from one model's tables`(_ name: String) throws {
    let model = try Self.model(name)
    let input = try model.signature(of: nil).inputs[0]
    guard case .tensor(_, let shape, _) = input.kind else { throw MartletError.invalidInput("\(input)") }
    let width = shape.reduce(1, *)
    let output = try #require(try model.signature(of: nil).outputs.map(\.name).first { ["p", "y"].contains($0) })
    // Numbers of rows for each thread, below and above those of a block.
    let tables = try [1, 37, 300, 1000].map { [input.name: ModelColumn.tensor(try Tensor(Self.numbers($0 * width), shape: [$0] + shape))] }
    let expected = try tables.map { try #require(try Self.numbers(model.run(table: $0)[output])) }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<8 {
        let turn = (round + thread) % tables.count
        let found = try? Self.numbers(model.run(table: tables[turn])[output])
        #expect(found == expected[turn])
      }
    }
  }

  private static func numbers(_ column: ModelColumn?) -> [Double]? {
    if case .tensor(let tensor)? = column { tensor.doubles } else { nil }
  }

  @Test(arguments: [
    "tree-classifier-softmax", "tree-classifier-sums", "svm-four-classes", "glm-tie", "neighbors-default", "pipeline-regressor",
  ])
  func rowsOfAnArray(_ name: String) throws {
    let model = try Self.model(name)
    let input = try model.signature(of: nil).inputs[0]
    guard case .tensor(let dataType, let shape, _) = input.kind else { throw MartletError.invalidInput("\(input)") }
    let (rows, width) = (37, shape.reduce(1, *))
    let numbers = Self.numbers(rows * width)
    // The table is converted to the type of the input.
    try check(model, [input.name: .tensor(Tensor(numbers, as: .float32, shape: [rows] + shape))], rows: rows) { row in
      [input.name: .tensor(try Tensor(Array(numbers[row * width..<(row + 1) * width]), as: dataType, shape: shape))]
    }
  }

  @Test func namedNumbersOfWhichSomeAreMissing() throws {
    let model = try Self.model("tree-regressor-named")
    let (a, b) = (Self.numbers(50), [Int](repeating: 1, count: 25) + [Int](repeating: 2, count: 25))
    try check(model, ["a": .tensor(Tensor(a)), "b": .tensor(Tensor(b))], rows: 50) { row in
      ["a": .double(a[row]), "b": .int(b[row]), "c": .none]
    }
    try check(model, ["a": .tensor(Tensor(a)), "b": .tensor(Tensor(b)), "c": .tensor(Tensor(a))], rows: 50) { row in
      ["a": .double(a[row]), "b": .int(b[row]), "c": .double(a[row])]
    }
  }

  /// Strings have no graph, so that rows are calls of a batch.
  @Test func rowsWithStrings() throws {
    let model = try Self.model("pipeline-text-0")
    let inputs = try model.signature(of: nil).inputs
    guard case .tensor(_, let shape, _) = try #require(inputs.first { $0.name == "x" }).kind else { return }
    let (rows, width) = (5, shape.reduce(1, *))
    let (x, n) = (Self.numbers(rows * width), Self.numbers(rows))
    let colours = ["red", "green", "blue", "red", "green"]
    let table: [String: ModelColumn] = [
      "colour": .strings(colours), "x": .tensor(try Tensor(x, shape: [rows] + shape)), "n": .tensor(Tensor(n)),
    ]
    try check(model, table, rows: rows) { row in
      [
        "colour": .string(colours[row]), "x": .tensor(try Tensor(Array(x[row * width..<(row + 1) * width]), shape: shape)),
        "n": .double(n[row]),
      ]
    }
  }

  @Test func tablesThatDoNotFitAreErrors() throws {
    let model = try Self.model("tree-regressor-named")
    func message(_ table: [String: ModelColumn]) -> String {
      do {
        _ = try model.run(table: table)
        return "no error"
      } catch {
        return "\(error)"
      }
    }
    let three = ModelColumn.tensor(Tensor([1.0, 2, 3]))
    #expect(message([:]).contains("the table has no columns"))
    #expect(message(["a": three]).contains("the column b is missing"))
    #expect(message(["a": three, "z": three]).contains("has no input z, only a, b, c"))
    #expect(message(["a": three, "b": .tensor(Tensor([1.0]))]).contains("the column b has 1 rows, and a has 3"))
    #expect(message(["a": .strings(["x"]), "b": .tensor(Tensor([1]))]).contains("found 1 strings"))
    #expect(message(["a": .tensor(try! Tensor([1.0], shape: []))]).contains("the column a has no axis of rows"))
    let wide = ModelColumn.tensor(try! Tensor([1.0, 2, 3, 4], shape: [2, 2]))
    #expect(message(["a": wide, "b": .tensor(Tensor([1, 2]))]).contains("the column a does not fit"))
  }
}
