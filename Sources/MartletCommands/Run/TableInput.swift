import MartletSystem
import Martlet
import MartletMedia
import MartletTensor

/// A file with an input of a method on each row.
struct TableInput {
  let path: String
  let signature: MethodSignature

  /// The inputs by name.
  ///
  /// A `.csv` file has a column for each input with its name, and `NAME[0]`, `NAME[1]` ... for the elements of an array in row-major order.
  /// If the method has a single input, an array, and no column bears such a name, all columns are its elements in order.
  /// A `.npy` file holds the only input, a `.npz` file an array for each name; their first axis is that of the rows.
  func columns() throws -> [String: ModelColumn] {
    let lowercased = path.lowercased()
    if lowercased.hasSuffix(".csv") { return try columns(of: SeparatedValues.read(path: path)) }
    if lowercased.hasSuffix(".npy") {
      guard signature.inputs.count == 1 else {
        throw CommandFailure("\(path) holds one array, and \(signature.name) has \(signature.inputs.count) inputs: use .npz or .csv")
      }
      return [signature.inputs[0].name: .tensor(Tensor(try NumPyFile.read(path: path)))]
    }
    if lowercased.hasSuffix(".npz") {
      let arrays = try NumPyArchive.read(path: path, maximumByteCount: LimitOptions.byteLimit)
      return Dictionary(arrays.map { ($0.name, .tensor(Tensor($0.tensor))) }, uniquingKeysWith: { first, _ in first })
    }
    throw CommandFailure("--table takes a .csv, .npy or .npz file, not \(path)")
  }

  private func columns(of values: SeparatedValues) throws -> [String: ModelColumn] {
    let places = Dictionary(
      (values.header ?? []).enumerated().map { (String($1.withoutOuterSpaces), $0) }, uniquingKeysWith: { first, _ in first })
    var columns: [String: ModelColumn] = [:]
    for input in signature.inputs {
      if let place = places[input.name] {
        columns[input.name] = try column([place], input, of: values)
      } else if case .tensor(_, let shape, _) = input.kind, places["\(input.name)[0]"] != nil {
        let count = try Self.elementCount(shape, input)
        let elements = try (0..<count).map { element in
          guard let place = places["\(input.name)[\(element)]"] else {
            throw CommandFailure("\(path) has no column \(input.name)[\(element)]; the input \(input) has \(count) elements")
          }
          return place
        }
        columns[input.name] = try column(elements, input, of: values)
      }
    }
    if columns.isEmpty, signature.inputs.count == 1, case .tensor(_, let shape, _) = signature.inputs[0].kind {
      let input = signature.inputs[0]
      let count = try Self.elementCount(shape, input)
      guard values.columns.count == count else {
        throw CommandFailure("\(path) has \(Formatting.count(values.columns.count, "column")), and the input \(input) \(count) elements")
      }
      columns[input.name] = try column(Array(0..<count), input, of: values)
    }
    guard !columns.isEmpty else {
      let names = signature.inputs.map(\.name).joined(separator: ", ")
      throw CommandFailure("\(path) has no column named as an input of \(signature.name): \(names)")
    }
    return columns
  }

  private static func elementCount(_ shape: [Int], _ input: ValueSignature) throws -> Int {
    guard shape.allSatisfy({ $0 >= 0 }) else { throw CommandFailure("the input \(input) has no fixed shape, which a .csv file needs") }
    guard let count = Extent.product(shape).value, count <= 1 << 20 else {
      throw CommandFailure("the input \(input) has too many elements for a .csv file")
    }
    return count
  }

  /// - Parameter places: the columns with the elements of the input.
  private func column(_ places: [Int], _ input: ValueSignature, of values: SeparatedValues) throws -> ModelColumn {
    if case .string = input.kind { return .strings(values.columns[places[0]]) }
    var numbers: [Double] = []
    // In range: at most the number of fields of a file in memory.
    numbers.reserveCapacity(values.rowCount * places.count)
    for row in 0..<values.rowCount {
      for place in places {
        let field = String(values.columns[place][row].withoutOuterSpaces)
        // An empty field is a missing number.
        guard let number = field.isEmpty ? .nan : Double(field) ?? Bool(field.lowercased()).map({ $0 ? 1 : 0 }) else {
          let name = values.header?[place] ?? "\(place + 1)"
          throw CommandFailure("\(path): column \(name), row \(row + 1): '\(field)' is not a number")
        }
        numbers.append(number)
      }
    }
    guard case .tensor(_, let shape, _) = input.kind, !(shape.isEmpty || places.count == 1 && shape == [1]) else {
      return .tensor(Tensor(numbers))
    }
    return .tensor(try Tensor(numbers, shape: [values.rowCount] + shape))
  }
}
