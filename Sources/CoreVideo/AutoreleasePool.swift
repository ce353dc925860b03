/// The result of `body`. Without Objective-C there is no pool to drain: objects go when their last reference does.
@discardableResult
public func autoreleasepool<R>(invoking body: () throws -> R) rethrows -> R {
  try body()
}
