// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.
@_implementationOnly import CMartletFiles

// swift-format-ignore-file

@inline(__always) package var MARTLET_CHECKSUM_BLOCK: Int32 { CMartletFiles.MARTLET_CHECKSUM_BLOCK }

@inline(__always) package func martlet_guard_begin(_ start: UnsafeMutableRawPointer!, _ length: Int) -> OpaquePointer! { unsafe CMartletFiles.martlet_guard_begin(start, length) }
@inline(__always) package func martlet_guard_end(_ `guard`: OpaquePointer!) { unsafe CMartletFiles.martlet_guard_end(`guard`) }
@inline(__always) package func martlet_guard_is_broken(_ `guard`: OpaquePointer!) -> Int32 { unsafe CMartletFiles.martlet_guard_is_broken(`guard`) }
@inline(__always) package func martlet_open_beneath(_ folder: Int32, _ path: UnsafePointer<CChar>!) -> Int32 { unsafe CMartletFiles.martlet_open_beneath(folder, path) }
@inline(__always) package func martlet_rename_new(_ from: UnsafePointer<CChar>!, _ to: UnsafePointer<CChar>!) -> Int32 { unsafe CMartletFiles.martlet_rename_new(from, to) }
@inline(__always) package func martlet_rename_exchange(_ one: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { unsafe CMartletFiles.martlet_rename_exchange(one, other) }
@inline(__always) package func martlet_wait_for_writes(_ descriptor: Int32) { CMartletFiles.martlet_wait_for_writes(descriptor) }
@inline(__always) package func martlet_has_writer(_ descriptor: Int32) -> Int32 { CMartletFiles.martlet_has_writer(descriptor) }
@inline(__always) package func martlet_block_checksum(_ bytes: UnsafeRawPointer!, _ length: Int) -> UInt32 { unsafe CMartletFiles.martlet_block_checksum(bytes, length) }
