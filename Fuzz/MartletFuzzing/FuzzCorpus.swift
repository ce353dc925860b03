package import Foundation

/// Makes mutants. Number and source determine each.
package protocol MutantSource {
  associatedtype Mutant: FuzzMutant

  func mutant(_ number: UInt64) -> Mutant
}

/// A file made from another one.
package protocol FuzzMutant {
  /// The file that it was made from.
  var entry: FuzzCorpus.Entry { get }
  var bytes: [UInt8] { get }
}

/// The files that mutants are made from.
package struct FuzzCorpus: MutantSource, Sendable {
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
    /// A file of a tokenizer: `.json` with other names than those of cases, `.model`, `.tiktoken` and `.bin`.
    case tokenizer
  }

  package struct Entry: Sendable {
    package let kind: Kind
    package let file: URL
    /// The folder that the file belongs to; nil if the file can be read alone.
    package let folder: URL?
    package let bytes: [UInt8]
  }

  /// Entries by kind; kinds without entries are left out.
  private let groups: [[Entry]]
  /// Positions in `groups`, as often as mutants of the kind shall be made.
  private let shares: [Int]
  private let mutation: FileMutation

  /// Maximum size of a file in bytes.
  private static let largestByteCount = 64_000
  /// Maximum size of a folder that is copied for each of its files, in bytes.
  private static let largestFolderByteCount = 400_000

  /// All entries, in the order of kinds and paths.
  package var entries: [Entry] { groups.flatMap { $0 } }

  /// The small files of the given kinds below `folders`.
  package init(_ folders: some Sequence<String>, kinds: Set<Kind>, mutation: @escaping FileMutation) throws {
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
        case "model", "tiktoken", "bin": entries += Self.entries(.tokenizer, [url])
        default:
          guard url.lastPathComponent == "case.json" else {
            if url.pathExtension == "json", !url.lastPathComponent.hasSuffix(".cases.json") { entries += Self.entries(.tokenizer, [url]) }
            continue
          }
          let folder = url.deletingLastPathComponent()
          let parts = Self.files(in: folder).filter { ["json", "npy", "npz"].contains($0.pathExtension) }
          entries += Self.entries(.recordedCase, parts, of: folder)
        }
      }
    }
    let weights: [(Kind, Int)] = [(.model, 6), (.part, 3), (.picture, 2), (.array, 1), (.recordedCase, 1), (.tokenizer, 1)]
    let groups = weights.filter { kinds.contains($0.0) }
      .map { kind, weight in (entries.filter { $0.kind == kind }.sorted { $0.file.path < $1.file.path }, weight) }.filter { !$0.0.isEmpty }
    guard !groups.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    self.groups = groups.map(\.0)
    shares = groups.enumerated().flatMap { [Int](repeating: $0, count: $1.1) }
    self.mutation = mutation
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

  package struct Mutant: FuzzMutant, Sendable {
    package let number: UInt64
    package let entry: Entry
    package let bytes: [UInt8]
  }

  package func mutant(_ number: UInt64) -> Mutant {
    var random = FuzzRandom(seed: number &* 0x5851_F42D_4C95_7F2D)
    let entry = random.pick(groups[random.pick(shares)])
    return Mutant(number: number, entry: entry, bytes: mutation(entry.bytes, entry.file.pathExtension, random.next(), []))
  }
}
