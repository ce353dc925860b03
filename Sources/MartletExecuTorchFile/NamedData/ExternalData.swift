package import MartletBytes

/// The named data that a program can draw on: its own and that of any number of `.ptd` files.
package struct ExternalData: Sendable {
  private var entries: [String: FlatTensorFile.Entry] = [:]
  private let programData: [String: ByteView]

  /// - Throws: `FileError` when two files have an entry of the same name, so that it is unclear which one is meant.
  package init(program: ExecuTorchProgram, files: [FlatTensorFile] = []) throws(FileError) {
    programData = program.namedData
    for file in files {
      for (name, entry) in file.entries where entries.updateValue(entry, forKey: name) != nil {
        throw file.file.error(field: "flat_tensor.named_data", "'\(name)' occurs in another data file too")
      }
    }
  }

  /// The data named `name` that a delegate asks for: the program's, or else that of a data file.
  package func data(named name: String) -> ByteView? { programData[name] ?? entries[name]?.data }

  /// The bytes of the external tensor `name`, which must have the layout that the program expects.
  ///
  /// - Throws: `FileError` when no file has it, or with another type, shape or order.
  package func tensorData(named name: String, layout: TensorLayout, program: ExecuTorchProgram) throws(FileError) -> ByteView {
    guard let entry = entries[name] else {
      throw program.file.error(field: name, "the tensor's data is in none of the data files given")
    }
    guard let found = entry.layout else { throw entry.data.error(field: name, "the data has no tensor layout") }
    guard found == layout else {
      throw entry.data.error(field: name, "the tensor is \(found), but the program expects \(layout)")
    }
    return entry.data
  }
}

extension TensorLayout: CustomStringConvertible {
  /// Such as `float32[2, 3, 4]`, followed by the dim order when that is not row-major.
  package var description: String {
    let order = isContiguous ? "" : " in the order \(dimOrder)"
    return "\(scalarType)\(sizes)" + order
  }
}
