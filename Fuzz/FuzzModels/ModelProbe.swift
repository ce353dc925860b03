import Foundation
import Martlet
import MartletModelFuzzing

/// Runs the mutants of the driver through the engine in memory; only what links lead to lies in a folder.
struct ModelProbe {
  private var probe = EngineProbe()
  /// As `probe`, with more of everything.
  private let generous: EngineProbe
  private let links: LinkFolder?

  /// - Parameter folders: the folders of the corpus.
  init(_ folders: some Sequence<String>) throws {
    probe.hasCustomCode = true
    var generous = probe
    generous.options.memoryLimit = 256 << 20
    self.generous = generous
    // A limit that is given need not be looked up in the system. The rest ends what a mutation has made long.
    probe.options.memoryLimit = 64 << 20
    probe.options.workLimit = 20_000
    probe.options.callLimits.operationCount = 2e7
    links = try LinkFolder(folders)
  }

  /// - Returns: the furthest stage that a method reached.
  func run(_ mutant: ModelCorpus.Mutant) throws -> EngineProbe.Outcome {
    let probe = mutant.number / 64 % 64 == 63 ? generous : probe
    switch mutant.kind {
    case .espresso, .compiled: return try probe.run(files: mutant.files, seed: mutant.number)
    case .link:
      guard let links else { return try probe.run(mutant.bytes, seed: mutant.number) }
      // The mutant links, or is linked to.
      if mutant.number % 4 < 3 { return try probe.run(mutant.bytes, seed: mutant.number, place: links.place) }
      try links.write(mutant.bytes)
      return try probe.run(links.link, seed: mutant.number, place: links.place)
    default: return try probe.run(mutant.bytes, seed: mutant.number)
    }
  }
}

/// A folder with the models that those of the corpus link to, and a place for a mutant.
struct LinkFolder: Sendable {
  /// A model that links to the mutant.
  let link: [UInt8]
  /// The path at which a model in memory seems to lie.
  let place: String

  /// Copies the folder of the first file `link.mlmodel` below `folders`; nil if there is none.
  init?(_ folders: some Sequence<String>) throws {
    let files = folders.flatMap { folder in
      FileManager.default.enumerator(atPath: folder)?.compactMap { ($0 as? String).map { "\(folder)/\($0)" } } ?? []
    }
    guard let file = files.sorted().first(where: { $0.hasSuffix("/link.mlmodel") }) else { return nil }
    let found = (file as NSString).deletingLastPathComponent
    place = Self.folder + "/model.mlmodel"
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: found + "/link.mlmodel")))
    // Both names have the same length.
    link = original.replacing("target.mlmodel".utf8, with: "mutant.mlmodel".utf8)
    Self.remove()
    try FileManager.default.copyItem(atPath: found, toPath: Self.folder)
    try FileManager.default.copyItem(atPath: found + "/link.mlmodel", toPath: place)
  }

  /// One folder for all workers of a driver, so that those that die leave nothing behind.
  private static var folder: String {
    "/dev/shm/martlet-links-\(CommandLine.arguments.dropFirst().first == "work" ? getppid() : getpid())"
  }

  static func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Writes the model that the others know as `mutant.mlmodel`. It has been at rest for a while: opening a file that was written in the same tick
  /// of the clock waits for the next.
  func write(_ bytes: [UInt8]) throws {
    let path = Self.folder + "/mutant.mlmodel"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    guard unsafe utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
