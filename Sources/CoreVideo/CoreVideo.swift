// Code that imports CoreVideo expects Foundation with it.
@_exported public import Foundation

/// The result code of a Core Video function; `kCVReturnSuccess` if it did what it was asked.
public typealias CVReturn = Int32

public let kCVReturnSuccess: CVReturn = 0
