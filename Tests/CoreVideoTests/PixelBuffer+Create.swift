import CoreVideo
import Testing

/// A buffer that is expected to be made.
func makePixelBuffer(
  _ width: Int, _ height: Int, _ format: OSType, _ attributes: CFDictionary? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws -> CVPixelBuffer {
  var buffer: CVPixelBuffer?
  let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, attributes, &buffer)
  #expect(code == kCVReturnSuccess, sourceLocation: sourceLocation)
  return try #require(buffer, sourceLocation: sourceLocation)
}
