public import Foundation
import Synchronization

/// Makes resources that an app store delivers on demand available. On Linux all resources are there, so that every request succeeds.
open class NSBundleResourceRequest: NSObject, ProgressReporting, @unchecked Sendable {
  /// The names of the wanted groups of resources.
  public let tags: Set<String>
  /// The bundle that the resources belong to.
  public let bundle: Bundle
  /// The progress of the request, which is complete when access begins.
  public let progress = Progress(totalUnitCount: 1)
  private let priority = Mutex(0.5)

  /// How urgent the request is, from 0 to 1, or `NSBundleResourceRequestLoadingPriorityUrgent`. Without effect here.
  open var loadingPriority: Double {
    get { priority.withLock { $0 } }
    set { priority.withLock { $0 = newValue } }
  }

  /// A request for resources in the main bundle.
  public convenience init(tags: Set<String>) {
    self.init(tags: tags, bundle: .main)
  }

  /// A request for resources in a bundle.
  public init(tags: Set<String>, bundle: Bundle) {
    self.tags = tags
    self.bundle = bundle
  }

  /// Begins access to the resources. Calls `completionHandler` without an error, on another thread.
  @preconcurrency
  open func beginAccessingResources(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    complete()
    DispatchQueue.global().async { completionHandler(nil) }
  }

  /// Begins access to the resources. Throws nothing here.
  open func beginAccessingResources() async throws {
    complete()
  }

  /// Begins access if the resources are there. Calls `completionHandler` with true, on another thread.
  @preconcurrency
  open func conditionallyBeginAccessingResources(completionHandler: @escaping @Sendable (Bool) -> Void) {
    complete()
    DispatchQueue.global().async { completionHandler(true) }
  }

  /// Begins access if the resources are there.
  /// - Returns: true.
  open func conditionallyBeginAccessingResources() async -> Bool {
    complete()
    return true
  }

  /// Ends access. The resources stay.
  open func endAccessingResources() {}

  private func complete() {
    progress.completedUnitCount = progress.totalUnitCount
  }
}

/// The priority of a request that the user waits for.
public let NSBundleResourceRequestLoadingPriorityUrgent = Double.greatestFiniteMagnitude
