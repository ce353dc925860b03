// Conversions to types that hold every value of the source type, so that none can trap. `Int` has 64 bits on all supported platforms.
// They are not generic: the Swift runtime takes 0.25 ms to prepare a generic function's first use, which would slow down a load.

extension Int {
  // For values whose type is `Int` on one platform and another one elsewhere.
  @inlinable package init(widening value: Int) { self = value }
  @inlinable package init(widening value: Int8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int16) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int32) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int64) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt16) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt32) { self.init(truncatingIfNeeded: value) }
}

extension Int64 {
  @inlinable package init(widening value: Int) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int16) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: Int32) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt16) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt32) { self.init(truncatingIfNeeded: value) }
}

extension Int32 {
  @inlinable package init(widening value: Int8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt16) { self.init(truncatingIfNeeded: value) }
}

extension UInt64 {
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt16) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt32) { self.init(truncatingIfNeeded: value) }
}

extension UInt32 {
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable package init(widening value: UInt16) { self.init(truncatingIfNeeded: value) }
}

extension UInt16 {
  @inlinable package init(widening value: UInt8) { self.init(truncatingIfNeeded: value) }
}
