import Foundation
package import MartletFuzzing

/// Models that mutants are made from, an equal share of each kind.
package struct ModelCorpus: MutantSource, Sendable {
  /// What mutants are made of and counted by.
  package enum Kind: String, Sendable, CaseIterable {
    case program, network, tree
    /// Models whose features are numbers, texts and dictionaries: linear models, support vectors, neighbours, and those that prepare features.
    case vector
    case pipeline, link
    /// Networks in the form of Apple's compiler.
    case espresso
    /// Models in the engine's own compiled form.
    case compiled
    /// ExecuTorch programs with payloads of the MPS delegate.
    case mps
    case executorch

    /// The kind of a serialised model or a program.
    fileprivate init(_ bytes: [UInt8]) {
      guard CoreMLMutator.isModel(bytes), let fields = ProtobufField.read(bytes, as: .model) else {
        self = Data(bytes).range(of: Data("MPSBackend".utf8)) != nil ? .mps : .executorch
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

  package struct Mutant: FuzzMutant, Sendable {
    package let number: UInt64
    package let entry: FuzzCorpus.Entry
    package let kind: Kind
    package let bytes: [UInt8]
    /// All files of a compiled model by their paths in its folder; empty for a model in one file.
    package var files: [String: [UInt8]] = [:]
  }

  /// Kinds of which there are models.
  private let kinds: [Kind]
  /// By the position of the kind.
  private let entries: [[FuzzCorpus.Entry]]
  /// Size in bytes of all files of a compiled network, by the path of its folder.
  private let folderByteCounts: [String: Int]
  private let compiled = CompiledFolders()
  /// Size in bytes that ranks a folder behind all others.
  private static let largestByteCount = 1 << 20

  /// The small models of the given kinds below `folders`: files, and compiled networks part by part.
  package init(_ folders: some Sequence<String>, kinds: [Kind]) throws {
    var entries: [Kind: [FuzzCorpus.Entry]] = [:]
    for entry in try FuzzCorpus(folders, kinds: [.model, .part], mutation: ModelFileMutator.mutation).entries {
      switch entry.kind {
      case .model:
        let kind = Kind(entry.bytes)
        entries[kind, default: []].append(entry)
        if [.program, .network, .tree, .vector, .pipeline].contains(kind) { entries[.compiled, default: []].append(entry) }
      case .part where entry.file.lastPathComponent.hasPrefix("model.espresso") || entry.file.lastPathComponent == "coremldata.bin":
        guard let folder = entry.folder, FileManager.default.fileExists(atPath: folder.path + "/model.espresso.net") else { continue }
        entries[.espresso, default: []].append(entry)
      default: continue
      }
    }
    self.kinds = kinds.filter { entries[$0] != nil }
    guard !self.kinds.isEmpty else { throw CocoaError(.fileNoSuchFile) }
    self.entries = self.kinds.compactMap { entries[$0] }
    folderByteCounts = entries[.espresso, default: []].reduce(into: [:]) { counts, entry in
      guard let folder = entry.folder else { return }
      // The engine refuses these networks at once, so that their mutants reach little code.
      let isRefused = folder.deletingLastPathComponent().lastPathComponent == "refused"
      counts[folder.path] = isRefused ? Self.largestByteCount : counts[folder.path, default: 0] + entry.bytes.count
    }
  }

  package func mutant(_ number: UInt64) -> Mutant {
    var random = FuzzRandom(seed: number &* 0x5851_F42D_4C95_7F2D)
    let share = Int(number % UInt64(kinds.count))
    let kind = kinds[share]
    if kind == .compiled { return compiledMutant(number, entries[share], &random) }
    let entry = small(entries[share], &random)
    let donor = small(entries[random.one(in: 3) ? random.below(entries.count) : share], &random).bytes
    let bytes = ModelFileMutator.mutation(entry.bytes, entry.file.pathExtension, random.next(), donor)
    var mutant = Mutant(number: number, entry: entry, kind: kind, bytes: bytes)
    guard kind == .espresso, let folder = entry.folder else { return mutant }
    for part in entries[share] where part.folder == folder {
      let name = String(part.file.path.dropFirst(folder.path.count + 1))
      if part.file == entry.file {
        mutant.files[name] = bytes
      } else {
        let isKept = !random.one(in: 8)
        mutant.files[name] = isKept ? part.bytes : ModelFileMutator.mutation(part.bytes, part.file.pathExtension, random.next(), [])
      }
    }
    return mutant
  }

  /// Mostly the smallest of a few entries: a change is found sooner in small files, and more of them are run in a second.
  private func small(_ entries: [FuzzCorpus.Entry], _ random: inout FuzzRandom) -> FuzzCorpus.Entry {
    let first = random.pick(entries)
    guard !random.one(in: 8) else { return first }
    // More of a kind whose files are large.
    let count = byteCount(first) > 1_000 ? 6 : 3
    return (1..<count).reduce(first) { smallest, _ in
      let other = random.pick(entries)
      return byteCount(other) < byteCount(smallest) ? other : smallest
    }
  }

  /// Size in bytes of what is read for a mutant of the entry.
  private func byteCount(_ entry: FuzzCorpus.Entry) -> Int { entry.folder.flatMap { folderByteCounts[$0.path] } ?? entry.bytes.count }

  /// One file of a compiled model is changed.
  private func compiledMutant(_ number: UInt64, _ entries: [FuzzCorpus.Entry], _ random: inout FuzzRandom) -> Mutant {
    let first = random.below(entries.count)
    for step in entries.indices {
      let entry = entries[(first + step) % entries.count]
      guard var files = compiled.files(of: entry.file) else { continue }
      let paths = files.keys.sorted()
      let path = paths[paths.count > 1 && random.one(in: 3) ? 1 : 0]
      let old = files[path] ?? []
      let new =
        path == paths[0]
        ? CompiledMutator.mutate(model: old, seed: random.next()) : CompiledMutator.mutate(packed: old, seed: random.next())
      files[path] = new
      return Mutant(number: number, entry: entry, kind: .compiled, bytes: new, files: files)
    }
    return Mutant(number: number, entry: entries[first], kind: .compiled, bytes: entries[first].bytes)
  }
}

extension Drive where Source == ModelCorpus {
  /// Mutants of models, counted by kind.
  ///
  /// - Parameters:
  ///   - arguments: may begin with `--kinds` and names of kinds with commas between them; otherwise all kinds are made.
  ///   - outcomes: names of the results of `probe`, for each kind.
  package init(
    models arguments: [String], outcomes: [String],
    probe: nonisolated(nonsending) @escaping (ModelCorpus.Mutant) async throws -> Int
  ) throws {
    var arguments = arguments
    var options: [String] = []
    var kinds = ModelCorpus.Kind.allCases
    if arguments.first == "--kinds", arguments.count > 1 {
      options = Array(arguments.prefix(2))
      kinds = try arguments[1].split(separator: ",").map { name in
        guard let kind = ModelCorpus.Kind(rawValue: String(name)) else { throw CocoaError(.featureUnsupported) }
        return kind
      }
      arguments.removeFirst(2)
    }
    self.init(
      arguments, options: options, outcomes: kinds.flatMap { kind in outcomes.map { "\(kind): \($0)" } },
      source: { [kinds] in try ModelCorpus($0, kinds: kinds) },
      probe: { [kinds] in (kinds.firstIndex(of: $0.kind) ?? 0) * outcomes.count + (try await probe($0)) })
  }
}
