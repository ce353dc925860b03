public import Foundation

// Core Foundation's names for the Foundation classes that Swift's literals and collections bridge to. The toolchain's own module
// CoreFoundation has types of the same names, to which nothing bridges here.
//
// The faces re-export each name by a scoped import: the compiler prefers such a name to the one of a module that is imported as a
// whole, so that a file may also say `import CoreFoundation`.
public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFMutableString = NSMutableString
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFSet = NSSet
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFURL = NSURL
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFDate = NSDate
public typealias CFError = NSError
public typealias CFIndex = Int
public typealias CFTimeInterval = Double
/// Seconds since the start of 2001, in UTC.
public typealias CFAbsoluteTime = CFTimeInterval

/// Where memory comes from. There is one allocator only, so functions take any and ignore it.
public final class CFAllocator: Hashable, Sendable {
  init() {}
  public static func == (first: CFAllocator, second: CFAllocator) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Stands for the allocator in use.
public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()

public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// Seconds since the start of 2001, in UTC, now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
  Date().timeIntervalSinceReferenceDate
}
