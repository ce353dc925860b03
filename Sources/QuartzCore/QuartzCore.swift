// Clients of Quartz Core expect it to export Core Graphics, which exports Foundation.
@_exported public import CoreGraphics
@_exported public import Foundation

// Core Animation draws on screens, of which there are none here: this module has its clock only.

/// Seconds since the machine was started, without the time that it slept. The difference of two of them is a duration, which changes of the
/// date do not affect.
public func CACurrentMediaTime() -> CFTimeInterval {
  var time = timespec()
  // The clock is always there.
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
