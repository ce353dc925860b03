// swift-format-ignore-file
// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit.
@_implementationOnly import CMartletPictureCodecs

typealias martlet_heif_error = CMartletPictureCodecs.martlet_heif_error
typealias martlet_heif_read = CMartletPictureCodecs.martlet_heif_read
typealias martlet_heif_get_handle = CMartletPictureCodecs.martlet_heif_get_handle
typealias martlet_heif_decode = CMartletPictureCodecs.martlet_heif_decode
typealias martlet_png_header = CMartletPictureCodecs.martlet_png_header

@inline(__always) var MARTLET_PNG_WHOLE_BYTES: Int { CMartletPictureCodecs.MARTLET_PNG_WHOLE_BYTES }
@inline(__always) var MARTLET_PNG_EXPAND: Int { CMartletPictureCodecs.MARTLET_PNG_EXPAND }
@inline(__always) var MARTLET_PNG_FILLER: Int { CMartletPictureCodecs.MARTLET_PNG_FILLER }
@inline(__always) var MARTLET_PNG_LITTLE_ENDIAN: Int { CMartletPictureCodecs.MARTLET_PNG_LITTLE_ENDIAN }
@inline(__always) var MARTLET_PNG_MESSAGE_SIZE: Int { CMartletPictureCodecs.MARTLET_PNG_MESSAGE_SIZE }

@inline(__always) func martlet_png_find(_ library: UnsafeMutableRawPointer!, _ missing: UnsafeMutablePointer<UnsafePointer<CChar>?>!) -> OpaquePointer! { unsafe CMartletPictureCodecs.martlet_png_find(library, missing) }
@inline(__always) func martlet_png_decode(_ png: OpaquePointer!, _ file: UnsafePointer<UInt8>!, _ file_byte_count: Int, _ options: Int32, _ rows: UnsafeMutablePointer<UInt8>!, _ row_byte_count: Int, _ row_count: UInt32, _ message: UnsafeMutablePointer<CChar>!) -> Int32 { unsafe CMartletPictureCodecs.martlet_png_decode(png, file, file_byte_count, options, rows, row_byte_count, row_count, message) }
@inline(__always) func martlet_png_encode(_ png: OpaquePointer!, _ header: UnsafePointer<martlet_png_header>!, _ options: Int32, _ rows: UnsafePointer<UInt8>!, _ row_byte_count: Int, _ file_byte_count: UnsafeMutablePointer<Int>!, _ message: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<UInt8>! { unsafe CMartletPictureCodecs.martlet_png_encode(png, header, options, rows, row_byte_count, file_byte_count, message) }
@inline(__always) func martlet_png_free(_ file: UnsafeMutablePointer<UInt8>!) { unsafe CMartletPictureCodecs.martlet_png_free(file) }
