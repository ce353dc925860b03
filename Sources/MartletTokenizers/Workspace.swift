import Synchronization

/// Memory and caches of one encoding at a time.
final class Workspace {
  var words = WordCache()
  var parts: [MergePart] = []
  var merger = PairMerger()
  var lattice = UnigramModel.Lattice()
  var text = AlignedText(tracksOrigins: false)
  var splits: [PreToken] = []
  var otherSplits: [PreToken] = []
  var segments: [TextSegment] = []
  /// Caches of the tokenizer's patterns, by their numbers.
  let patterns: [RegexCache]

  init(patterns: [RegexProgram]) { self.patterns = patterns.map(RegexCache.init) }

  func takeLattice() -> UnigramModel.Lattice {
    var taken = UnigramModel.Lattice()
    swap(&taken, &lattice)
    return taken
  }

  /// Frees what a long text needed.
  func trim() {
    patterns.forEach { $0.trim() }
    guard text.bytes.capacity > 1 << 16 || splits.capacity > 1 << 14 || otherSplits.capacity > 1 << 14 || parts.capacity > 1 << 16 else {
      return
    }
    text = AlignedText(tracksOrigins: false)
    splits = []
    otherSplits = []
    segments = []
    parts = []
    merger = PairMerger()
    lattice = UnigramModel.Lattice()
  }
}

/// Workspaces that wait for the next encoding.
final class WorkspacePool: Sendable {
  /// A workspace on its way between threads; one at a time has it.
  private struct Idle: @unchecked Sendable { let workspace: Workspace }

  private let idle = Mutex<[Idle]>([])
  private let patterns: [RegexProgram]

  init(patterns: [RegexProgram]) { self.patterns = patterns }

  /// Calls `body` with a workspace that nobody else uses meanwhile.
  func withWorkspace<Result, Failure: Error>(_ body: (Workspace) throws(Failure) -> Result) throws(Failure) -> Result {
    let taken = idle.withLock { $0.popLast() } ?? Idle(workspace: Workspace(patterns: patterns))
    defer {
      taken.workspace.trim()
      idle.withLock { if $0.count < 64 { $0.append(taken) } }
    }
    return try body(taken.workspace)
  }
}
