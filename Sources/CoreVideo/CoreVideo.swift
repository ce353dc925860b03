// Code that imports CoreVideo expects Foundation with it.
@_exported public import Foundation

/// The result code of a Core Video function; `kCVReturnSuccess` if it did what it was asked.
public typealias CVReturn = Int32
/// Flags of Core Video's option sets.
public typealias CVOptionFlags = UInt64
/// A code of four characters, the first in the highest byte.
public typealias FourCharCode = UInt32
/// A code of four characters that names a kind of data, here a pixel format.
public typealias OSType = FourCharCode
