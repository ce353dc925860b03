public import Foundation

// Functions of Core Foundation for data, numbers and texts, by the Foundation classes that its types are here.

/// A stretch of a text, an array or of data.
public struct CFRange: Hashable, Sendable {
  public var location: CFIndex
  public var length: CFIndex

  /// An empty stretch at the start.
  public init() { self.init(location: 0, length: 0) }

  public init(location: CFIndex, length: CFIndex) {
    self.location = location
    self.length = length
  }
}

public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange { CFRange(location: loc, length: len) }

/// A copy of `length` bytes; nil if the length is negative, or if there are no bytes to copy.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
  if length == 0 { return NSData() }
  guard length > 0, let bytes = unsafe bytes else { return nil }
  return unsafe NSData(bytes: bytes, length: length)
}

/// Empty data that may grow; nil if the capacity is negative. `capacity` is a hint.
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { capacity < 0 ? nil : NSMutableData() }

public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData.length }

/// The bytes of `theData`, valid as long as it is neither changed nor freed.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! { unsafe theData.bytes.assumingMemoryBound(to: UInt8.self) }

/// True if the number was made from a floating-point value.
public func CFNumberIsFloatType(_ number: CFNumber!) -> Bool {
  // The type's letter, as Objective-C encodes it: f and d.
  let type = unsafe UInt8(bitPattern: number.objCType.pointee)
  return type == UInt8(ascii: "f") || type == UInt8(ascii: "d")
}

/// The number of UTF-16 units.
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString.length }

extension CGFloat {
  /// The number's value, rounded to a value of this type.
  public init(truncating number: NSNumber) { self.init(number.doubleValue) }

  /// The number's value; nil if this type has no such value.
  public init?(exactly number: NSNumber) {
    guard let value = Double(exactly: number) else { return nil }
    self.init(value)
  }
}
