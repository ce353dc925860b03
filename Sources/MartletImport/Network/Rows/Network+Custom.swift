import MartletCoreMLFile

/// Layers that a program implements.
extension NetworkCall {
  func add(_ custom: NetworkCustomLayer) throws {
    throw CallError("the custom layer class \(custom.className) is not registered")
  }
}
