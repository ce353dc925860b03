import MartletLock

/// Cache of the most recently used plans, keyed by shapes or values. Safe to use from several threads.
package final class PlanCache: Sendable {
  private struct Entry: Sendable {
    let key: [UInt64]
    let plan: MethodPlan
  }

  package let capacity: Int
  private let entries = Guarded<[Entry]>([])

  package init(capacity: Int) { self.capacity = capacity }

  package var count: Int { entries.withLock { $0.count } }

  /// The plan for `key`, made by `make` if it is not cached. The least recently used plan is evicted.
  package func plan(for key: [UInt64], make: () throws -> MethodPlan) throws -> MethodPlan {
    if let plan = lookUp(key) { return plan }
    let plan = try make()
    // The caller goes on changing its key in place, which sharing it would prevent.
    let own = key.map { $0 }
    entries.withLock { entries in
      if entries.count >= capacity { entries.removeLast() }
      entries.insert(Entry(key: own, plan: plan), at: 0)
    }
    return plan
  }

  private func lookUp(_ key: [UInt64]) -> MethodPlan? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
      let entry = entries[index]
      if index > 0 {
        entries.remove(at: index)
        entries.insert(entry, at: 0)
      }
      return entry.plan
    }
  }
}
