public import Foundation

/// Creates buffers of one kind and reuses the memory of released ones.
///
/// Memory unused for longer than the pool's maximum age is freed on the next use of the pool, down to its minimum count. A pool may be
/// used from several threads at once.
public final class CVPixelBufferPool: Hashable {
  let attributes: CFDictionary
  let pixelBufferAttributes: CFDictionary
  private let width: Int
  private let height: Int
  private let pixelFormat: OSType
  private let layout: PixelBufferLayout
  private let minimumCount: Int
  /// In seconds; 0 keeps memory forever.
  private let maximumAge: Double

  private let guardian = NSLock()
  private var unused: [(memory: PixelMemory, since: ContinuousClock.Instant)] = []
  private var inUseCount = 0

  private static let defaultMaximumAge: Double = 1

  /// - Returns: a result code other than success if such buffers cannot be created.
  static func pool(attributes: CFDictionary?, pixelBufferAttributes: CFDictionary?) -> PixelBufferResult<CVPixelBufferPool> {
    let attributes = attributes ?? [:]
    guard let minimumCount = number(kCVPixelBufferPoolMinimumBufferCountKey, in: attributes, default: 0)?.intValue, minimumCount >= 0,
      let age = number(kCVPixelBufferPoolMaximumBufferAgeKey, in: attributes, default: NSNumber(value: defaultMaximumAge)),
      case let maximumAge = age.doubleValue, maximumAge >= 0
    else { return .failure(kCVReturnInvalidPoolAttributes) }
    guard let pixelBufferAttributes, let width = number(kCVPixelBufferWidthKey, in: pixelBufferAttributes)?.intValue,
      let height = number(kCVPixelBufferHeightKey, in: pixelBufferAttributes)?.intValue,
      let format = firstFormat(in: pixelBufferAttributes)
    else { return .failure(kCVReturnInvalidPixelBufferAttributes) }
    switch PixelBufferLayout.layout(width: width, height: height, format: format, attributes: pixelBufferAttributes) {
    case .failure(let code): return .failure(code)
    case .success(let layout):
      return .success(
        CVPixelBufferPool(
          attributes: attributes, pixelBufferAttributes: pixelBufferAttributes, width: width, height: height, pixelFormat: format,
          layout: layout, minimumCount: minimumCount, maximumAge: maximumAge))
    }
  }

  private init(
    attributes: CFDictionary, pixelBufferAttributes: CFDictionary, width: Int, height: Int, pixelFormat: OSType,
    layout: PixelBufferLayout, minimumCount: Int, maximumAge: Double
  ) {
    self.attributes = attributes
    self.pixelBufferAttributes = pixelBufferAttributes
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.layout = layout
    self.minimumCount = minimumCount
    self.maximumAge = maximumAge
  }

  public static func == (first: CVPixelBufferPool, second: CVPixelBufferPool) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Creates a buffer over recycled memory, which keeps its old pixels, or over new memory.
  /// - Parameter threshold: maximum number of buffers of the pool in use at a time.
  func makeBuffer(threshold: Int?) -> PixelBufferResult<CVPixelBuffer> {
    guardian.lock()
    defer { guardian.unlock() }
    freeOldMemory()
    if let threshold, inUseCount >= threshold { return .failure(kCVReturnWouldExceedAllocationThreshold) }
    guard let memory = unused.popLast()?.memory ?? PixelMemory(byteCount: layout.byteCount, alignment: layout.baseAlignment) else {
      return .failure(kCVReturnPoolAllocationFailed)
    }
    inUseCount += 1
    return .success(
      CVPixelBuffer(
        width: width, height: height, pixelFormat: pixelFormat, layout: layout, attributes: pixelBufferAttributes, memory: memory,
        pool: self))
  }

  /// Takes back the memory of a released buffer.
  func recycle(_ memory: PixelMemory) {
    guardian.withLock {
      inUseCount -= 1
      unused.append((memory, .now))
    }
  }

  func freeUnusedMemory() {
    guardian.withLock { unused = [] }
  }

  private func freeOldMemory() {
    guard maximumAge > 0 else { return }
    let now = ContinuousClock.now
    // Sorted from oldest to newest.
    while let oldest = unused.first, inUseCount + unused.count > minimumCount, oldest.since.duration(to: now) > .seconds(maximumAge) {
      unused.removeFirst()
    }
  }

  /// The number under `key`, or `default` if there is none; nil if the value is not a number.
  private static func number(_ key: CFString, in attributes: CFDictionary, default: NSNumber? = nil) -> NSNumber? {
    guard let value = attributes[key] else { return `default` }
    return value as? NSNumber
  }

  /// The pixel format, or the first one of a list.
  private static func firstFormat(in attributes: CFDictionary) -> OSType? {
    let value = attributes[kCVPixelBufferPixelFormatTypeKey]
    let number = value as? NSNumber ?? (value as? NSArray)?.firstObject as? NSNumber
    return number.flatMap { OSType(exactly: $0.int64Value) }
  }
}

/// Creates a pool. `pixelBufferAttributes` must contain at least width, height and pixel format.
///
/// Fails with `kCVReturnInvalidPixelBufferAttributes` if one of them is missing, with `kCVReturnInvalidPoolAttributes`, or as
/// `CVPixelBufferCreate` does. `poolOut` is then nil.
@discardableResult
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
  _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  unsafe poolOut.pointee = nil
  switch CVPixelBufferPool.pool(attributes: poolAttributes, pixelBufferAttributes: pixelBufferAttributes) {
  case .failure(let code): return code
  case .success(let pool):
    unsafe poolOut.pointee = pool
    return kCVReturnSuccess
  }
}

/// Creates a buffer, possibly over recycled memory with its old pixels; `kCVReturnPoolAllocationFailed` if there is not enough memory.
@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(allocator, pixelBufferPool, nil, pixelBufferOut)
}

/// Same as `CVPixelBufferPoolCreatePixelBuffer`; `kCVReturnWouldExceedAllocationThreshold` if the number of buffers in use has reached
/// the value of `kCVPixelBufferPoolAllocationThresholdKey` in the attributes.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  unsafe pixelBufferOut.pointee = nil
  var threshold: Int?
  if let value = auxAttributes?[kCVPixelBufferPoolAllocationThresholdKey] {
    guard let number = value as? NSNumber else { return kCVReturnInvalidPoolAttributes }
    threshold = number.intValue
  }
  switch pixelBufferPool.makeBuffer(threshold: threshold) {
  case .failure(let code): return code
  case .success(let buffer):
    unsafe pixelBufferOut.pointee = buffer
    return kCVReturnSuccess
  }
}

public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.attributes }

public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? { pool.pixelBufferAttributes }

/// Selects the memory that a flush of a pool frees.
public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }

  /// All unused memory, whatever its age.
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// Frees memory that no buffer uses.
public func CVPixelBufferPoolFlush(_ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags) {
  if options.contains(.excessBuffers) { pool.freeUnusedMemory() }
}
