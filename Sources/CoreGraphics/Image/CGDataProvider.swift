public import Foundation

/// Called once when a provider's memory is no longer needed, with the info pointer, the memory and its size.
public typealias CGDataProviderReleaseDataCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

/// The bytes of an image.
@safe
public final class CGDataProvider: Hashable, @unchecked Sendable {
  /// Memory of the caller, which is given back with the last reference to it.
  @safe
  private final class BorrowedMemory {
    let bytes: UnsafeRawBufferPointer
    private let release: () -> Void

    init(_ bytes: UnsafeRawBufferPointer, release: @escaping () -> Void) {
      unsafe self.bytes = bytes
      self.release = release
    }

    deinit { release() }
  }

  private enum Storage {
    case data(Data)
    case memory(BorrowedMemory, Range<Int>)
    case snapshot(BitmapSnapshot, Range<Int>)
  }

  private let storage: Storage
  private let infoPointer: UnsafeMutableRawPointer?

  private init(_ storage: Storage) {
    self.storage = storage
    unsafe infoPointer = nil
  }

  private init(_ storage: Storage, info: UnsafeMutableRawPointer?) {
    self.storage = storage
    unsafe infoPointer = unsafe info
  }

  /// Keeps the content that `data` has now.
  public convenience init?(data: CFData) { self.init(.data(Data(referencing: data.copy() as! CFData))) }

  /// Reads a file; nil if it cannot be read.
  public convenience init?(url: CFURL) {
    guard let data = try? Data(contentsOf: url as URL) else { return nil }
    self.init(.data(data))
  }

  /// A file with the given path; nil if it cannot be read.
  public convenience init?(filename: UnsafePointer<CChar>) {
    self.init(url: CFURL(fileURLWithPath: unsafe String(cString: filename)))
  }

  /// Uses memory of the caller in place until `releaseData` is called. It must not change meanwhile.
  public convenience init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int, releaseData: @escaping CGDataProviderReleaseDataCallback
  ) {
    guard size >= 0 else { return nil }
    let owner = unsafe BorrowedMemory(UnsafeRawBufferPointer(start: data, count: size)) { unsafe releaseData(info, data, size) }
    unsafe self.init(.memory(owner, 0..<size), info: info)
  }

  package convenience init(_ data: Data) { self.init(.data(data)) }

  convenience init(_ snapshot: BitmapSnapshot) { self.init(.snapshot(snapshot, 0..<snapshot.byteCount)) }

  public static func == (first: CGDataProvider, second: CGDataProvider) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// All bytes, copied from memory of the caller.
  public var data: CFData? {
    switch storage {
    case .data(let data): data as CFData
    case .memory, .snapshot: unsafe withBytes { unsafe Data($0) } as CFData
    }
  }

  /// The pointer that was given with the memory.
  public var info: UnsafeMutableRawPointer? { unsafe infoPointer }

  package var size: Int {
    switch storage {
    case .data(let data): data.count
    case .memory(_, let range), .snapshot(_, let range): range.count
    }
  }

  @unsafe
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    switch storage {
    case .data(let data): return try unsafe data.withUnsafeBytes(body)
    case .memory(let owner, let range):
      return try withExtendedLifetime(owner) { try unsafe body(UnsafeRawBufferPointer(rebasing: owner.bytes[range])) }
    case .snapshot(let snapshot, let range):
      return try unsafe snapshot.withBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }

  /// A provider of the bytes in `range`, which must lie within this one's. Nothing is copied.
  func part(_ range: Range<Int>) -> CGDataProvider {
    switch storage {
    case .data(let data): CGDataProvider(.data(data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]))
    case .memory(let owner, let whole):
      CGDataProvider(.memory(owner, whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound))
    case .snapshot(let snapshot, let whole):
      CGDataProvider(.snapshot(snapshot, whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound))
    }
  }
}
