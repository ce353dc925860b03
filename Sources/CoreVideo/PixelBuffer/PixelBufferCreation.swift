public import Foundation

/// Makes a buffer of zeros. Bytes of a row are a multiple of 64, or of what `kCVPixelBufferBytesPerRowAlignmentKey` says.
///
/// Fails with `kCVReturnInvalidPixelFormat`, `kCVReturnInvalidSize` for extents below 1 or too large to count bytes,
/// `kCVReturnInvalidPixelBufferAttributes` for an alignment that is not a power of two, or `kCVReturnAllocationFailed`;
/// `pixelBufferOut` is nil then.
@discardableResult
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe pixelBufferOut.pointee = nil
  switch PixelBufferLayout.layout(width: width, height: height, format: pixelFormatType, attributes: pixelBufferAttributes) {
  case .failure(let code): return code
  case .success(let layout):
    guard let memory = PixelMemory(byteCount: layout.byteCount, alignment: layout.baseAlignment) else {
      return kCVReturnAllocationFailed
    }
    unsafe pixelBufferOut.pointee = CVPixelBuffer(
      width: width, height: height, pixelFormat: pixelFormatType, layout: layout, attributes: pixelBufferAttributes, memory: memory)
    return kCVReturnSuccess
  }
}

/// Called with what was given to `CVPixelBufferCreateWithBytes` when the buffer goes.
public typealias CVPixelBufferReleaseBytesCallback = @convention(c) (
  _ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?
) -> Void

/// Makes a buffer over the caller's packed pixels, which it does not copy: they must live until `releaseCallback` is called.
///
/// Fails with `kCVReturnInvalidPixelFormat` also for planar formats, `kCVReturnInvalidSize`, or `kCVReturnInvalidArgument`
/// when a row does not fit `bytesPerRow`. Nothing is released then.
@discardableResult
public func CVPixelBufferCreateWithBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ baseAddress: UnsafeMutableRawPointer,
  _ bytesPerRow: Int, _ releaseCallback: CVPixelBufferReleaseBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe pixelBufferOut.pointee = nil
  guard let format = PixelFormatLayout(pixelFormatType), !format.isPlanar else { return kCVReturnInvalidPixelFormat }
  guard width > 0, height > 0, let rowByteCount = format.planes[0].rowByteCount(width: width) else { return kCVReturnInvalidSize }
  guard bytesPerRow >= rowByteCount else { return kCVReturnInvalidArgument }
  guard let byteCount = bytesPerRow.product(height) else { return kCVReturnInvalidSize }
  let memory = unsafe PixelMemory(borrowing: baseAddress, byteCount: byteCount) {
    unsafe releaseCallback?(releaseRefCon, baseAddress)
  }
  unsafe pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType,
    planes: [CVBuffer.Plane(width: width, height: height, bytesPerRow: bytesPerRow, base: baseAddress)], dataSize: byteCount,
    attributes: pixelBufferAttributes, memory: memory)
  return kCVReturnSuccess
}

/// Called with what was given to `CVPixelBufferCreateWithPlanarBytes` when the buffer goes. The addresses are valid during the call.
public typealias CVPixelBufferReleasePlanarBytesCallback = @convention(c) (
  _ releaseRefCon: UnsafeMutableRawPointer?, _ dataPtr: UnsafeRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
  _ planeAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Void

/// Makes a buffer over the caller's planes, which it does not copy: they must live until `releaseCallback` is called.
///
/// - Parameters:
///   - dataPtr, dataSize: the run of bytes that the planes are in, or nil and 0 if they are not in one.
///   - planeBaseAddress, planeWidth, planeHeight, planeBytesPerRow: a value for each plane.
///
/// Fails with `kCVReturnInvalidPixelFormat` also for packed formats, `kCVReturnInvalidSize`, or `kCVReturnInvalidArgument` when
/// the planes are not the format's, a row does not fit its bytes, or a plane has no address. Nothing is released then.
@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ dataPtr: UnsafeMutableRawPointer?,
  _ dataSize: Int, _ numberOfPlanes: Int, _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ planeWidth: UnsafeMutablePointer<Int>, _ planeHeight: UnsafeMutablePointer<Int>, _ planeBytesPerRow: UnsafeMutablePointer<Int>,
  _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe pixelBufferOut.pointee = nil
  guard let format = PixelFormatLayout(pixelFormatType), format.isPlanar else { return kCVReturnInvalidPixelFormat }
  guard width > 0, height > 0 else { return kCVReturnInvalidSize }
  guard numberOfPlanes == format.planes.count, dataSize >= 0 else { return kCVReturnInvalidArgument }
  var planes: [CVBuffer.Plane] = []
  var byteCount = 0
  for (index, plane) in format.planes.enumerated() {
    let extents = plane.extents(imageWidth: width, imageHeight: height)
    guard unsafe planeWidth[index] == extents.width, unsafe planeHeight[index] == extents.height,
      let base = unsafe planeBaseAddress[index]
    else { return kCVReturnInvalidArgument }
    let bytesPerRow = unsafe planeBytesPerRow[index]
    guard let rowByteCount = plane.rowByteCount(width: extents.width) else { return kCVReturnInvalidSize }
    guard bytesPerRow >= rowByteCount else { return kCVReturnInvalidArgument }
    guard let planeByteCount = bytesPerRow.product(extents.height), let sum = byteCount.sum(planeByteCount) else {
      return kCVReturnInvalidSize
    }
    byteCount = sum
    unsafe planes.append(CVBuffer.Plane(width: extents.width, height: extents.height, bytesPerRow: bytesPerRow, base: base))
  }
  let addresses = unsafe planes.map { unsafe Optional(UnsafeRawPointer($0.base)) }
  let memory = unsafe PixelMemory(borrowing: dataPtr ?? planes[0].base, byteCount: max(dataSize, byteCount)) {
    var addresses = unsafe addresses
    unsafe addresses.withUnsafeMutableBufferPointer { addresses in
      unsafe releaseCallback?(releaseRefCon, dataPtr, dataSize, numberOfPlanes, addresses.baseAddress)
    }
  }
  unsafe pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType, planes: planes, dataSize: max(dataSize, byteCount),
    attributes: pixelBufferAttributes, memory: memory)
  return kCVReturnSuccess
}
