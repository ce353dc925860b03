import MartletSystem
import Martlet
import MartletBytes
import MartletMedia

/// The outputs of a method for each row of a table.
struct TableOutput {
  private struct Column {
    let name: String
    let values: ModelColumn
    /// Names of the columns of text: one for each element of a row.
    let headings: [String]
    /// Its numbers as doubles, row by row; nil for text.
    let numbers: [Double]?
  }

  let rowCount: Int
  private let columns: [Column]

  init(_ outputs: [String: ModelColumn], of signature: MethodSignature) {
    columns = signature.outputs.compactMap { output in
      guard let values = outputs[output.name] else { return nil }
      guard case .tensor(let tensor) = values, tensor.shape.count > 1 else {
        return Column(name: output.name, values: values, headings: [output.name], numbers: values.tensor?.doubles)
      }
      // In range: elements of a tensor in memory.
      let width = tensor.shape.dropFirst().reduce(1, *)
      var keys = (0..<width).map { "\($0)" }
      if case .dictionary = output.kind {
        switch signature.classLabels {
        case .strings(let labels)? where labels.count == width: keys = labels
        case .integers(let labels)? where labels.count == width: keys = labels.map { "\($0)" }
        case .strings, .integers, nil: break
        }
      }
      return Column(name: output.name, values: values, headings: keys.map { "\(output.name)[\($0)]" }, numbers: tensor.doubles)
    }
    rowCount = columns.first?.values.rowCount ?? 0
  }

  var headings: [String] { columns.flatMap(\.headings) }

  private func fields(_ row: Int, format: (Double) -> String) -> [String] {
    columns.flatMap { column in
      switch (column.values, column.numbers) {
      case (.strings(let strings), _): return [strings[row]]
      case (.tensor(let tensor), let numbers?):
        let width = column.headings.count
        let isWhole = tensor.dataType.isInteger || tensor.dataType == .bool
        // In range: the numbers of a row.
        return numbers[row * width..<(row + 1) * width].map { isWhole ? "\(Int(exactly: $0) ?? 0)" : format($0) }
      case (.tensor, nil): return []
      }
    }
  }

  /// The first rows as aligned columns.
  func lines(_ most: Int) -> [String] {
    let shown = headings.prefix(8)
    var rows = [Array(shown)]
    for row in 0..<min(rowCount, most) { rows.append(Array(fields(row) { Formatting.element($0) }.prefix(shown.count))) }
    var lines = Formatting.table(rows, shown.map { _ in .right }, indentation: "  ")
    if rowCount > most { lines.append("  … (\(rowCount) rows)") }
    return lines
  }

  var json: JSONValue {
    .members([
      "rows": .integer(rowCount),
      "outputs": .array(
        columns.map { column in
          switch column.values {
          case .tensor(let tensor): NamedOutput(name: column.name, value: .tensor(tensor)).json
          case .strings(let strings):
            .members([
              "name": .string(column.name), "kind": .string("strings"), "first": .array(strings.prefix(8).map { .string($0) }),
            ])
          }
        }),
    ])
  }

  /// Stores the outputs: as text in a `.csv` file, which has a column for each number, or the arrays in a `.npz` file.
  func store(to path: String) throws {
    if path.lowercased().hasSuffix(".csv") {
      var text = SeparatedValues.record(headings)
      for row in 0..<rowCount { text += SeparatedValues.record(fields(row) { "\($0)" }) }
      try FileContents.write(Array(text.utf8), path: path)
    } else if path.lowercased().hasSuffix(".npz") {
      let arrays = try columns.map { column in
        guard let tensor = column.values.tensor else {
          throw CommandFailure("\(column.name) has strings, which a .npz file cannot hold: use .csv")
        }
        return NumPyArchive.Array(name: column.name, tensor: tensor.host)
      }
      try NumPyArchive.write(arrays, path: path)
    } else {
      throw CommandFailure("the outputs of a table are stored in a .csv or .npz file, not \(path)")
    }
  }
}

extension ModelColumn {
  fileprivate var tensor: Tensor? { if case .tensor(let tensor) = self { tensor } else { nil } }
}
