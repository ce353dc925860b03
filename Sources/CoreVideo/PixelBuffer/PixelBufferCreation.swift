public import Foundation

/// Creates a zeroed buffer. Bytes per row are a multiple of 64 or of the value of `kCVPixelBufferBytesPerRowAlignmentKey`.
///
/// Fails with `kCVReturnInvalidPixelFormat`, `kCVReturnInvalidSize` if an extent is below 1 or the size overflows,
/// `kCVReturnInvalidPixelBufferAttributes` if an alignment is not a power of two, or `kCVReturnAllocationFailed`. `pixelBufferOut` is
/// then nil.
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

/// Called when a buffer made by `CVPixelBufferCreateWithBytes` is released, with the arguments given there.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?
  ) -> Void

/// Creates a buffer over packed pixels of the caller without copying. They must live until `releaseCallback` is called.
///
/// Fails with `kCVReturnInvalidPixelFormat`, also for planar formats, `kCVReturnInvalidSize`, or `kCVReturnInvalidArgument` if a row does
/// not fit in `bytesPerRow`. The callback is not called then.
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

/// Called when a buffer made by `CVPixelBufferCreateWithPlanarBytes` is released, with the arguments given there. The addresses are valid
/// only during the call.
public typealias CVPixelBufferReleasePlanarBytesCallback =
  @convention(c) (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ dataPtr: UnsafeRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
    _ planeAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Void

/// Creates a buffer over planes of the caller without copying. They must live until `releaseCallback` is called.
///
/// - Parameters:
///   - dataPtr, dataSize: the contiguous memory block that contains the planes; nil and 0 if there is none.
///   - planeBaseAddress, planeWidth, planeHeight, planeBytesPerRow: one value for each plane.
///
/// Fails with `kCVReturnInvalidPixelFormat`, also for packed formats, `kCVReturnInvalidSize`, or `kCVReturnInvalidArgument` if the planes
/// do not match the format, a row does not fit in its bytes, or a plane has no address. The callback is not called then.
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
