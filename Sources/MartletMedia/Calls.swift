// swift-format-ignore-file
// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.
@_implementationOnly import CMartletCodecs

typealias martlet_heif_error = CMartletCodecs.martlet_heif_error
typealias martlet_heif_read = CMartletCodecs.martlet_heif_read
typealias martlet_heif_get_handle = CMartletCodecs.martlet_heif_get_handle
typealias martlet_heif_decode = CMartletCodecs.martlet_heif_decode
typealias martlet_png_header = CMartletCodecs.martlet_png_header

@inline(__always) var MARTLET_PNG_WHOLE_BYTES: Int { CMartletCodecs.MARTLET_PNG_WHOLE_BYTES }
@inline(__always) var MARTLET_PNG_EXPAND: Int { CMartletCodecs.MARTLET_PNG_EXPAND }
@inline(__always) var MARTLET_PNG_FILLER: Int { CMartletCodecs.MARTLET_PNG_FILLER }
@inline(__always) var MARTLET_PNG_LITTLE_ENDIAN: Int { CMartletCodecs.MARTLET_PNG_LITTLE_ENDIAN }
@inline(__always) var MARTLET_PNG_MESSAGE_SIZE: Int { CMartletCodecs.MARTLET_PNG_MESSAGE_SIZE }

@inline(__always) func martlet_png_find(_ library: UnsafeMutableRawPointer!, _ missing: UnsafeMutablePointer<UnsafePointer<CChar>?>!) -> OpaquePointer! { unsafe CMartletCodecs.martlet_png_find(library, missing) }
@inline(__always) func martlet_png_decode(_ png: OpaquePointer!, _ file: UnsafePointer<UInt8>!, _ file_byte_count: Int, _ options: Int32, _ rows: UnsafeMutablePointer<UInt8>!, _ row_byte_count: Int, _ row_count: UInt32, _ message: UnsafeMutablePointer<CChar>!) -> Int32 { unsafe CMartletCodecs.martlet_png_decode(png, file, file_byte_count, options, rows, row_byte_count, row_count, message) }
@inline(__always) func martlet_png_encode(_ png: OpaquePointer!, _ header: UnsafePointer<martlet_png_header>!, _ options: Int32, _ rows: UnsafePointer<UInt8>!, _ row_byte_count: Int, _ file_byte_count: UnsafeMutablePointer<Int>!, _ message: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<UInt8>! { unsafe CMartletCodecs.martlet_png_encode(png, header, options, rows, row_byte_count, file_byte_count, message) }
@inline(__always) func martlet_png_free(_ file: UnsafeMutablePointer<UInt8>!) { unsafe CMartletCodecs.martlet_png_free(file) }
