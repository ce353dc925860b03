// swift-format-ignore-file
// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.

@inline(__always) package var MARTLET_CHECKSUM_BLOCK: Int32 { 65536 }

@_extern(c, "martlet_guard_begin") package func martlet_guard_begin(_ start: UnsafeMutableRawPointer!, _ length: Int) -> OpaquePointer!
@_extern(c, "martlet_guard_end") package func martlet_guard_end(_ `guard`: OpaquePointer!)
@_extern(c, "martlet_guard_is_broken") package func martlet_guard_is_broken(_ `guard`: OpaquePointer!) -> Int32
@_extern(c, "martlet_open_beneath") package func martlet_open_beneath(_ folder: Int32, _ path: UnsafePointer<CChar>!) -> Int32
@_extern(c, "martlet_rename_new") package func martlet_rename_new(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!) -> Int32
@_extern(c, "martlet_rename_exchange") package func martlet_rename_exchange(_ one: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32
@_extern(c, "martlet_wait_for_writes") package func martlet_wait_for_writes(_ descriptor: Int32)
@_extern(c, "martlet_has_writer") package func martlet_has_writer(_ descriptor: Int32) -> Int32
@_extern(c, "martlet_read_ahead") package func martlet_read_ahead(_ descriptor: Int32, _ start: Int64, _ length: Int64) -> Int64
@_extern(c, "martlet_is_cached") package func martlet_is_cached(_ descriptor: Int32, _ start: Int64, _ length: Int64) -> Int32
@_extern(c, "martlet_block_checksum") package func martlet_block_checksum(_ bytes: UnsafeRawPointer!, _ length: Int) -> UInt32
