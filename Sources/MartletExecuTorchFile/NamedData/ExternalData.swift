package import MartletBytes

/// The named data available to a program: its own and that of any number of `.ptd` files.
package struct ExternalData: Sendable {
  private var entries: [String: FlatTensorFile.Entry] = [:]
  private let programData: [String: ByteView]

  /// - Throws: `FileError` if two files have an entry with the same name, which would be ambiguous.
  package init(program: ExecuTorchProgram, files: [FlatTensorFile] = []) throws(FileError) {
    programData = program.namedData
    for file in files {
      for (name, entry) in file.entries where entries.updateValue(entry, forKey: name) != nil {
        throw file.file.error(field: "flat_tensor.named_data", "'\(name)' also occurs in another data file")
      }
    }
  }

  /// The data named `name` for a delegate: that of the program, or otherwise of a data file.
  package func data(named name: String) -> ByteView? { programData[name] ?? entries[name]?.data }

  /// The bytes of the external tensor `name`, whose layout must match the program's.
  ///
  /// - Throws: `FileError` if no file contains it, or if its type, shape or dim order differs.
  package func tensorData(named name: String, layout: TensorLayout, program: ExecuTorchProgram) throws(FileError) -> ByteView {
    guard let entry = entries[name] else {
      throw program.file.error(field: name, "the tensor's data is not in any of the given data files")
    }
    guard let found = entry.layout else { throw entry.data.error(field: name, "the data has no tensor layout") }
    guard found == layout else {
      throw entry.data.error(field: name, "the tensor is \(found), but the program expects \(layout)")
    }
    return entry.data
  }
}

extension TensorLayout: CustomStringConvertible {
  /// For example `float32[2, 3, 4]`, followed by the dim order unless it is row-major.
  package var description: String {
    let order = isContiguous ? "" : " in the order \(dimOrder)"
    return "\(scalarType)\(sizes)" + order
  }
}
