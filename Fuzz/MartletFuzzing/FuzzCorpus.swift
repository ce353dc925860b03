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
    let entries = folders.flatMap { folder in Self.entries(below: FolderListing(URL(fileURLWithPath: folder).path), kinds) }
    let weights: [(Kind, Int)] = [(.model, 6), (.part, 3), (.picture, 2), (.array, 1), (.recordedCase, 1), (.tokenizer, 1)]
    let groups = weights.map { kind, weight in (entries.filter { $0.kind == kind }.sorted { $0.file.path < $1.file.path }, weight) }
      .filter { !$0.0.isEmpty }
    guard !groups.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    self.groups = groups.map(\.0)
    shares = groups.enumerated().flatMap { [Int](repeating: $0, count: $1.1) }
    self.mutation = mutation
  }

  private static func entries(below folder: FolderListing, _ kinds: Set<Kind>) -> [Entry] {
    var found = folder.folders.flatMap { inner in
      ["mlpackage", "mlmodelc"].contains(inner.suffix)
        ? kinds.contains(.part) ? entries(.part, inner.allFiles, of: inner) : [] : entries(below: inner, kinds)
    }
    for file in folder.files {
      let kind: Kind? =
        switch file.suffix {
        case "pte", "bpte", "mlmodel": .model
        case "png", "jpg", "jpeg", "ppm", "heic", "avif", "webp", "gif", "tiff": .picture
        case "npy", "npz": .array
        case "model", "tiktoken", "bin": .tokenizer
        case "json": file.name == "case.json" ? .recordedCase : file.name.hasSuffix(".cases.json") ? nil : .tokenizer
        default: nil
        }
      guard let kind, kinds.contains(kind) else { continue }
      if kind == .recordedCase {
        found += entries(kind, folder.allFiles.filter { ["json", "npy", "npz"].contains($0.suffix) }, of: folder)
      } else {
        found += entries(kind, [file])
      }
    }
    return found
  }

  private static func entries(_ kind: Kind, _ files: [FolderListing.File], of folder: FolderListing? = nil) -> [Entry] {
    if let folder, folder.allFiles.reduce(0, { $0 + $1.byteCount }) > largestFolderByteCount { return [] }
    return files.compactMap { file in
      guard (1...largestByteCount).contains(file.byteCount), let data = FileManager.default.contents(atPath: file.path) else { return nil }
      let place = folder.map { URL(fileURLWithPath: $0.path, isDirectory: true) }
      return Entry(kind: kind, file: URL(fileURLWithPath: file.path, isDirectory: false), folder: place, bytes: [UInt8](data))
    }
  }

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
