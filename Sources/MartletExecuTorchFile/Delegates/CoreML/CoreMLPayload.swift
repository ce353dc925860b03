package import MartletBytes

/// The payload of ExecuTorch's Core ML delegate: an in-memory file system with a model package or a compiled model, and the order of the
/// model's inputs and outputs in a call.
///
/// Files are stored one after the other from the start; their table is JSON written backwards from the end. A program whose methods share
/// a model stores it once in its named data; a payload is then "CMJR" and JSON with the name and the function.
package struct CoreMLPayload: Sendable {
  /// Files by path, components separated by "/".
  package let files: [String: ByteView]
  /// Identifies the model; unique among the payloads of a program.
  package let identifier: String
  package let inputNames: [String]
  package let outputNames: [String]
  /// The model's function; nil if the payload does not name one.
  package let function: String?

  /// - Parameters:
  ///   - method: the name of the program's method.
  ///   - namedData: the program's named data.
  package init(_ payload: ByteView, method: String, namedData: (String) -> ByteView?) throws(FileError) {
    var bytes = payload
    if payload.hasBytes("CMJR", at: 0) {
      let reference = try payload.suffix(from: 4).decodedJSON(as: Reference.self, part: "reference")
      guard let data = namedData(reference.key) else {
        throw payload.error(field: "reference.key", "there is no data named '\(reference.key)'")
      }
      bytes = data
      function = reference.functionName ?? method
    } else {
      function = nil
    }
    files = try FileTable(bytes).files
    guard let metadataFile = files["metadata.json"] else { throw bytes.error(field: "metadata.json", "is missing") }
    let metadata = try metadataFile.decodedJSON(as: Metadata.self, part: "metadata.json")
    identifier = metadata.identifier
    if let name = function, let methods = metadata.methods {
      guard let names = methods[name] else {
        throw metadataFile.error(field: "metadata.json.methods", "there is no method '\(name)'")
      }
      (inputNames, outputNames) = (names.inputNames, names.outputNames)
    } else if let inputs = metadata.inputNames, let outputs = metadata.outputNames {
      (inputNames, outputNames) = (inputs, outputs)
    } else {
      throw metadataFile.error(field: "metadata.json", "has no names of inputs and outputs")
    }
  }

  private struct Reference: Decodable {
    var key: String
    var functionName: String?
  }

  private struct Metadata: Decodable {
    struct Names: Decodable {
      var inputNames: [String]
      var outputNames: [String]
    }

    var identifier: String
    var inputNames: [String]?
    var outputNames: [String]?
    var methods: [String: Names]?
  }
}

/// The file table at the end of an in-memory file system.
private struct FileTable {
  private struct Node: Decodable {
    struct Region: Decodable {
      var offset: UInt64
      var size: UInt64
    }

    /// 0: file, 1: directory.
    var kind: Int
    var dataRegion: Region?
    var children: [String: Int]?
  }

  private struct Content: Decodable {
    var nodes: [Node]
  }

  private(set) var files: [String: ByteView] = [:]
  private let bytes: ByteView
  private let nodes: [Node]

  /// Limits for the depth of directories and for the number of files and directories, counted once per path.
  private static let deepest = 32
  private static let most = 4096
  private var visitCount = 0

  init(_ bytes: ByteView) throws(FileError) {
    self.bytes = bytes
    nodes = try Self.table(of: bytes).decodedJSON(as: Content.self, part: "file table").nodes
    guard let root = nodes.indices.last else { throw bytes.error(field: "file table", "has no nodes") }
    try add(root, path: "", depth: 0)
  }

  /// The JSON text at the end of `bytes`, in reading order.
  private static func table(of bytes: ByteView) throws(FileError) -> ByteView {
    var text: [UInt8] = []
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    let all = bytes.count
    var position = all
    while position > 0 {
      position -= 1
      let byte = try bytes.load(UInt8.self, at: position)
      text.append(byte)
      if isEscaped {
        isEscaped = false
      } else if isQuoted {
        if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == UInt8(ascii: "\"") { isQuoted = false }
      } else if byte == UInt8(ascii: "\"") {
        isQuoted = true
      } else if byte == UInt8(ascii: "{") {
        depth += 1
      } else if byte == UInt8(ascii: "}") {
        depth -= 1
      }
      if depth <= 0, !isQuoted { break }
    }
    guard depth == 0, text.last == UInt8(ascii: "}") else {
      throw bytes.error(field: "file table", "the payload does not end with a file table")
    }
    return ByteView(of: MappedFile(copying: text, name: bytes.owner.path))
  }

  private mutating func add(_ index: Int, path: String, depth: Int) throws(FileError) {
    guard nodes.indices.contains(index) else { throw bytes.error(field: "file table", "there is no node \(index)") }
    visitCount += 1
    guard depth < Self.deepest, visitCount <= Self.most else {
      throw bytes.error(field: "file table", "has more than \(Self.most) paths or \(Self.deepest) levels")
    }
    let node = nodes[index]
    switch node.kind {
    case 0:
      guard let region = node.dataRegion else { throw bytes.error(field: "file table", "'\(path)' has no data") }
      files[path] = try bytes.slice(offset: region.offset, count: region.size, field: path)
    case 1:
      // A node's children precede it, so that no directory can contain itself.
      for (name, child) in node.children ?? [:] {
        guard child < index else { throw bytes.error(field: "file table", "'\(name)' comes after its directory") }
        try add(child, path: path.isEmpty ? name : "\(path)/\(name)", depth: depth + 1)
      }
    default: throw bytes.error(field: "file table", "'\(path)' is of kind \(node.kind)")
    }
  }
}
