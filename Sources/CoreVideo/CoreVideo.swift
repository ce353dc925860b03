// Clients of CoreVideo expect it to export Foundation.
@_exported public import Foundation
// Look-ups of resources in bundles, which every face of a framework exports.
@_exported public import MartletResources

/// The result code of a Core Video function; `kCVReturnSuccess` on success.
public typealias CVReturn = Int32
/// The raw value of Core Video's option sets.
public typealias CVOptionFlags = UInt64
/// A code of four characters, with the first one in the highest byte.
public typealias FourCharCode = UInt32
/// A four-character code that identifies a type of data, here a pixel format.
public typealias OSType = FourCharCode
