package import MartletBytes
import MartletTensor

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ModelInterface {
  /// Reads the interface of an `.mlmodel` file, an `.mlpackage` or an `.mlmodelc` folder. Neither weights nor the program are read.
  ///
  /// - Throws: `FileError` naming the file and what is missing or damaged.
  package init(contentsOfPath path: String) throws(FileError) {
    guard let folder = OpenFolder(path) else {
      try self.init(specification: MappedFile(contentsOfPath: path).bytes)
      return
    }
    if folder.hasFile("Manifest.json") {
      try self.init(specification: folder.file(Self.modelPath(in: folder), access: .map).bytes)
    } else if folder.hasFile("coremldata.bin") {
      try self.init(compiledIn: folder)
    } else {
      throw FileError(file: path, reason: "is neither a model package (no Manifest.json) nor a compiled model (no coremldata.bin)")
    }
  }

  private struct Manifest: Decodable {
    struct Item: Decodable {
      var path: String
    }

    var itemInfoEntries: [String: Item]
    var rootModelIdentifier: String
  }

  /// The path of the model's file within its package.
  private static func modelPath(in folder: OpenFolder) throws(FileError) -> String {
    let bytes = try folder.file("Manifest.json", access: .read).bytes
    let manifest = try bytes.decodedJSON(as: Manifest.self, part: "manifest")
    guard let item = manifest.itemInfoEntries[manifest.rootModelIdentifier] else {
      throw bytes.error(field: "manifest.rootModelIdentifier", "there is no item '\(manifest.rootModelIdentifier)'")
    }
    return "Data/" + item.path
  }

  /// - Parameter specification: a `Model` message.
  private init(specification: ByteView) throws(FileError) {
    var version = 0
    var description: ByteView?
    var fields = ProtobufFields(specification, part: "model")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .varint(let number)): version = Int(exactly: number) ?? 0
      case (2, .bytes(let bytes)): description = bytes
      default: break
      }
    }
    guard version > 0 else { throw specification.error(field: "specificationVersion", "is missing: this is not a Core ML model") }
    guard let description else { throw specification.error(field: "description", "is missing") }
    self = try locating("description") { () throws(FileError) in
      try DescriptionMessage(description).interface(specificationVersion: version)
    }
  }

  // MARK: Compiled models of Apple's compiler

  private struct CompiledMetadata: Decodable {
    var specificationVersion: Int?
  }

  /// The description is a message in `coremldata.bin` with its length before it, at a place that varies: the longest one is taken.
  private init(compiledIn folder: OpenFolder) throws(FileError) {
    let file = try folder.file("coremldata.bin", access: .read).bytes
    let metadata =
      folder.hasFile("metadata.json")
      ? try? folder.file("metadata.json", access: .read).bytes.decodedJSON(as: [CompiledMetadata].self, part: "metadata.json").first : nil
    var found: (length: Int, interface: ModelInterface)?
    for offset in 0..<min(Self.searchedByteCount, max(file.count, 8) - 8) {
      guard let length = Int(exactly: try file.load(UInt64.self, at: offset)), length > found?.length ?? 1,
        // In range: offsets within the file.
        let bytes = try? file.slice(offset: offset + 8, count: length),
        let interface = try? DescriptionMessage(bytes).interface(specificationVersion: metadata?.specificationVersion ?? 0),
        !interface.outputs.isEmpty
      else { continue }
      found = (length, interface)
    }
    guard let found else { throw file.error(field: "coremldata.bin", "the model's description is missing") }
    self = found.interface
  }

  private static let searchedByteCount = 65_536
}
