@_exported import Foundation

/// Seconds since the start of the system.
public func CACurrentMediaTime() -> Double { ProcessInfo.processInfo.systemUptime }
