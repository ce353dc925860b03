package import Foundation

/// The files that mutants are made from.
package struct FuzzCorpus: Sendable {
  /// What reads a file.
  package enum Kind: String, Sendable, CaseIterable {
    /// A program, bundle or model file that is whole by itself.
    case model
    /// One file of a package or a compiled model.
    case part
    /// `case.json` or an array of a recorded case.
    case recordedCase
    case picture
    /// `.npy` and `.npz`.
    case array
  }

  /// The kinds of models that mutants are made of and counted by.
  package enum ModelKind: String, Sendable, CaseIterable {
    case program, network, tree
    /// Models whose features are numbers, texts and dictionaries: linear models, support vectors, neighbours, and those that prepare features.
    case vector
    case pipeline, link
    /// Networks in the form of Apple's compiler.
    case espresso
    /// ExecuTorch programs with payloads of the MPS delegate.
    case mps
    case executorch

    /// The kind of a serialised model or a program.
    fileprivate init(_ bytes: [UInt8]) {
      guard CoreMLMutator.isModel(bytes), let fields = ProtobufField.read(bytes[...], as: .model) else {
        self = bytes.contains(Array("MPSBackend".utf8)) ? .mps : .executorch
        return
      }
      let root = ProtobufField(1, .message(.model, fields))
      if root.contains(.linkedModel) {
        self = .link
        return
      }
      switch root.fields.last(where: { $0.number >= 200 })?.number {
      case 200, 201, 202: self = .pipeline
      case 302, 402: self = .tree
      case 303, 403, 500: self = .network
      case ProtobufField.programNumber: self = .program
      default: self = .vector
      }
    }
  }

  package struct Entry: Sendable {
    package let kind: Kind
    package let file: URL
    /// The folder that the file belongs to; nil if the file can be read alone.
    package let folder: URL?
    package let bytes: [UInt8]
  }

  /// Entries by kind; kinds without entries are left out.
  private let entries: [[Entry]]
  /// Positions in `entries`, as often as mutants of the kind shall be made.
  private let shares: [Int]
  /// The kinds of the entries, if they were chosen by the kind of model.
  private let modelKinds: [ModelKind]

  /// Maximum size of a file in bytes.
  private static let largestByteCount = 40_000
  /// Maximum size of a folder that is copied for each of its files, in bytes.
  private static let largestFolderByteCount = 400_000

  /// The small files of the given kinds below `folders`, in the order of their paths.
  package init(_ folders: some Sequence<String>, kinds: Set<Kind>) throws {
    var entries: [Entry] = []
    for folder in folders {
      guard let items = FileManager.default.enumerator(at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil) else { continue }
      for case let url as URL in items {
        switch url.pathExtension {
        case "pte", "bpte", "mlmodel": entries += Self.entries(.model, [url])
        case "mlpackage", "mlmodelc":
          entries += Self.entries(.part, Self.files(in: url), of: url)
          items.skipDescendants()
        case "png", "jpg", "jpeg", "ppm", "heic", "avif", "webp", "gif", "tiff": entries += Self.entries(.picture, [url])
        case "npy", "npz": entries += Self.entries(.array, [url])
        default:
          guard url.lastPathComponent == "case.json" else { continue }
          let folder = url.deletingLastPathComponent()
          let parts = Self.files(in: folder).filter { ["json", "npy", "npz"].contains($0.pathExtension) }
          entries += Self.entries(.recordedCase, parts, of: folder)
        }
      }
    }
    let weights: [(Kind, Int)] = [(.model, 6), (.part, 3), (.picture, 2), (.array, 1), (.recordedCase, 1)]
    let groups = weights.filter { kinds.contains($0.0) }
      .map { kind, weight in (entries.filter { $0.kind == kind }.sorted { $0.file.path < $1.file.path }, weight) }.filter { !$0.0.isEmpty }
    guard !groups.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    self.entries = groups.map(\.0)
    shares = groups.enumerated().flatMap { [Int](repeating: $0, count: $1.1) }
    modelKinds = []
  }

  /// The small models of the given kinds below `folders`: files, and compiled networks part by part.
  package init(_ folders: some Sequence<String>, models: [ModelKind]) throws {
    var entries: [ModelKind: [Entry]] = [:]
    for entry in try FuzzCorpus(folders, kinds: [.model, .part]).entries.flatMap({ $0 }) {
      switch entry.kind {
      case .model: entries[ModelKind(entry.bytes), default: []].append(entry)
      case .part where entry.file.lastPathComponent.hasPrefix("model.espresso") || entry.file.lastPathComponent == "coremldata.bin":
        guard let folder = entry.folder, FileManager.default.fileExists(atPath: folder.path + "/model.espresso.net") else { continue }
        entries[.espresso, default: []].append(entry)
      default: continue
      }
    }
    modelKinds = models.filter { entries[$0] != nil }
    guard !modelKinds.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    self.entries = modelKinds.compactMap { entries[$0] }
    shares = Array(modelKinds.indices)
  }

  private static func entries(_ kind: Kind, _ files: [URL], of folder: URL? = nil) -> [Entry] {
    if let folder {
      guard Self.files(in: folder).reduce(0, { $0 + byteCount($1) }) <= largestFolderByteCount else { return [] }
    }
    return files.compactMap { file in
      let count = byteCount(file)
      guard count > 0, count <= largestByteCount, let data = try? Data(contentsOf: file) else { return nil }
      return Entry(kind: kind, file: file, folder: folder, bytes: [UInt8](data))
    }
  }

  private static func files(in folder: URL) -> [URL] {
    let items = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return (items?.compactMap { $0 as? URL } ?? []).filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true }
      .sorted { $0.path < $1.path }
  }

  private static func byteCount(_ file: URL) -> Int { (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0 }

  /// A file made from an entry. Number and corpus determine it.
  package struct Mutant: Sendable {
    package let number: UInt64
    package let entry: Entry
    package let bytes: [UInt8]
    /// The kind of model, if the corpus was chosen by it.
    package var modelKind: ModelKind?
    /// All files of a compiled network by their paths in its folder.
    package var files: [String: [UInt8]] = [:]
  }

  package func mutant(_ number: UInt64) -> Mutant {
    var random = FuzzRandom(seed: number &* 0x5851_F42D_4C95_7F2D)
    let share = modelKinds.isEmpty ? random.pick(shares) : Int(number % UInt64(shares.count))
    let entry = random.pick(entries[share])
    let donor = modelKinds.isEmpty ? [] : random.pick(entries[random.one(in: 3) ? random.below(entries.count) : share]).bytes
    let bytes = FileMutator.mutate(entry.bytes, as: entry.file.pathExtension, seed: random.next(), donor: donor)
    var mutant = Mutant(number: number, entry: entry, bytes: bytes)
    if !modelKinds.isEmpty { mutant.modelKind = modelKinds[share] }
    if mutant.modelKind == .espresso, let folder = entry.folder {
      for part in entries[share] where part.folder == folder {
        let name = String(part.file.path.dropFirst(folder.path.count + 1))
        if part.file == entry.file {
          mutant.files[name] = bytes
        } else {
          let isKept = !random.one(in: 8)
          mutant.files[name] = isKept ? part.bytes : FileMutator.mutate(part.bytes, as: part.file.pathExtension, seed: random.next())
        }
      }
    }
    return mutant
  }
}
