import MartletBytes

/// A model that code of the app computes.
package struct CustomModel: Sendable, Equatable {
  package enum Parameter: Sendable, Equatable {
    case double(Double)
    case string(String)
    case int32(Int32)
    case int64(Int64)
    case bool(Bool)
    case bytes([UInt8])
  }

  package let className: String
  package let parameters: [String: Parameter]
  package let text: String
}

/// A model in another file.
package struct LinkedModel: Sendable, Equatable {
  package let fileName: String
  /// Folders separated by colons; empty for the model's own folder.
  package let searchPath: String
}

extension ClassicReader {
  func customModel(_ source: SpecCustomModel) throws(FileError) -> CustomModel {
    guard !source.className.isEmpty else { throw error("className", "the name is empty") }
    var parameters: [String: CustomModel.Parameter] = [:]
    for (name, parameter) in source.parameters {
      guard !name.isEmpty else { throw error("parameters", "the name of a parameter is empty") }
      switch parameter.value {
      case .doubleValue(let value): parameters[name] = .double(value)
      case .stringValue(let value): parameters[name] = .string(value)
      case .intValue(let value): parameters[name] = .int32(value)
      case .longValue(let value): parameters[name] = .int64(value)
      case .boolValue(let value): parameters[name] = .bool(value)
      case .bytesValue(let value): parameters[name] = .bytes([UInt8](value))
      case nil: throw error("parameters[\(name)]", "the value is missing")
      }
    }
    return CustomModel(className: source.className, parameters: parameters, text: source.description_p)
  }

  func linkedModel(_ source: SpecLinkedModel) throws(FileError) -> LinkedModel {
    guard case .linkedModelFile(let link)? = source.linkType else { throw error("LinkType", "the link is missing") }
    let name = link.linkedModelFileName.defaultValue
    guard !name.isEmpty else { throw error("linkedModelFile.linkedModelFileName.defaultValue", "the name is empty") }
    return LinkedModel(fileName: name, searchPath: link.linkedModelSearchPath.defaultValue)
  }
}
