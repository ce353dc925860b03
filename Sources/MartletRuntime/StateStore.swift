import MartletGraph
import MartletTensor
import MartletLock

/// The states of one loaded model. Methods that share states by name share the memory.
package final class StateStore: Sendable {
  private struct Entry: Sendable {
    let type: TensorType
    let storage: TensorStorage
    let initial: Constant?
  }

  private let entries = Guarded<[String: Entry]>([:])
  /// Held during a call of a method with states, so that such calls run one after another.
  let callLock = Lock()

  package init() {}

  /// The memory of the declared state, allocated and initialised on the first request.
  func storage(for declaration: StateDeclaration) throws -> TensorStorage {
    try entries.withLock { entries in
      if let entry = entries[declaration.name] {
        guard entry.type == declaration.type else {
          throw ExecutionError(
            node: nil, reason: "state \(declaration.name) is \(declaration.type) in one method and \(entry.type) in another")
        }
        return entry.storage
      }
      let byteCount = declaration.type.byteCount
      let storage =
        declaration.initial == nil ? try TensorStorage.zeroed(allocating: byteCount) : try TensorStorage(allocating: byteCount)
      let entry = Entry(type: declaration.type, storage: storage, initial: declaration.initial)
      if entry.initial != nil { try Self.initialize(entry) }
      entries[declaration.name] = entry
      return entry.storage
    }
  }

  /// Size of all states in bytes.
  // In range: bytes in memory.
  package var byteCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.storage.byteCount } } }

  /// Resets every state to its initial value.
  package func reset() throws {
    try entries.withLock { entries in
      for entry in entries.values { try Self.initialize(entry) }
    }
  }

  /// Removes states, for instance when a method is unloaded.
  package func remove(_ names: [String]) {
    entries.withLock { entries in
      for name in names { entries[name] = nil }
    }
  }

  private static func initialize(_ entry: Entry) throws {
    let storage = entry.storage
    guard let initial = entry.initial else {
      _ = unsafe storage.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: storage.byteCount)
      return
    }
    let bytes = try initial.bytes()
    unsafe storage.pointer.copyMemory(from: bytes.pointer, byteCount: storage.byteCount)
    withExtendedLifetime(bytes.owner) {}
  }
}
