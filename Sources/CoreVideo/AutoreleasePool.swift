/// Returns the result of `body`. Without Objective-C there is no pool to drain: objects are released with their last reference.
@discardableResult
public func autoreleasepool<R>(invoking body: () throws -> R) rethrows -> R {
  try body()
}
