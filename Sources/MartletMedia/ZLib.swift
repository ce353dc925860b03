import MartletTensor

/// Decompression, compression and checksums by the system's zlib, opened at run time.
@safe
struct ZLib: Sendable {
  /// Why data cannot be decompressed.
  enum Fault: Error, Equatable {
    case truncated
    case invalid(String)
    /// The data expands past the declared size.
    case tooLong

    var reason: String {
      switch self {
      case .truncated: "the compressed data ends early"
      case .invalid(let reason): reason
      case .tooLong: "the data expands past its declared size"
      }
    }
  }

  private typealias Begin = @convention(c) @Sendable (UnsafeMutableRawPointer, CInt, UnsafePointer<CChar>, CInt) -> CInt
  private typealias Advance = @convention(c) @Sendable (UnsafeMutableRawPointer, CInt) -> CInt
  private typealias End = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt
  private typealias Compress =
    @convention(c) @Sendable (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>?, CUnsignedLong, CInt
    ) -> CInt
  private typealias CompressBound = @convention(c) @Sendable (CUnsignedLong) -> CUnsignedLong
  private typealias Checksum = @convention(c) @Sendable (CUnsignedLong, UnsafePointer<UInt8>?, CUnsignedInt) -> CUnsignedLong

  /// `inflateInit2_(stream, windowBits, version, stream_size)`
  private let beginInflation: Begin
  /// `inflate(stream, flush)`
  private let inflate: Advance
  /// `inflateEnd(stream)`
  private let endInflation: End
  /// `crc32(crc, buffer, length)`
  private let crc32: Checksum
  /// `compress2(dest, destLen, source, sourceLen, level)`
  private let compress: Compress
  /// `compressBound(sourceLen)`
  private let compressBound: CompressBound

  static let loaded: Result<ZLib, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libz.so.1", debianPackage: "zlib1g")
      #else
        let library = try SharedLibrary(name: "libz.1.dylib", debianPackage: "zlib1g")
      #endif
      // The types are those of zlib.h 1; its ABI number is in the library's name.
      return .success(
        unsafe ZLib(
          beginInflation: try unsafe library.function("inflateInit2_", as: Begin.self),
          inflate: try unsafe library.function("inflate", as: Advance.self),
          endInflation: try unsafe library.function("inflateEnd", as: End.self),
          crc32: try unsafe library.function("crc32", as: Checksum.self),
          compress: try unsafe library.function("compress2", as: Compress.self),
          compressBound: try unsafe library.function("compressBound", as: CompressBound.self)))
    } catch {
      return .failure(error)
    }
  }()

  /// - Throws: `MediaError` naming `file` and `field` if there is no zlib.
  static func load(file: String, field: String) throws(MediaError) -> ZLib {
    do throws(SharedLibrary.LoadFailure) { return try loaded.get() } catch { throw error.mediaError(file: file, field: field) }
  }

  /// Maximum number of bytes per call of zlib, whose counts have 32 bits.
  private static let pieceByteCount = 1 << 30

  /// CRC-32, as ZIP and PNG files have it.
  func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      var value: CUnsignedLong = 0
      var position = 0
      while position < bytes.count {
        let count = min(bytes.count - position, Self.pieceByteCount)
        value = unsafe crc32(value, bytes.baseAddress! + position, CUnsignedInt(count))
        position += count
      }
      return UInt32(truncatingIfNeeded: value)
    }
  }

  /// The content of raw DEFLATE data (RFC 1951).
  /// - Parameter byteCount: its exact size, declared by the container. No memory is taken for a size that the data cannot have.
  func inflated(_ input: ArraySlice<UInt8>, byteCount: Int) throws(Fault) -> [UInt8] {
    // 1032 is the largest expansion of the format.
    guard Extent(byteCount) <= Extent(input.count) * 1032 else { throw .truncated }
    guard let stream = InflationStream(self, .raw) else { throw .invalid("zlib cannot decompress it") }
    defer { stream.release(self) }
    var fault: Fault?
    let output = unsafe [UInt8](unsafeUninitializedCapacity: max(byteCount, 1)) { output, count in
      unsafe input.withUnsafeBufferPointer { input in
        (count, fault) = unsafe decode(stream, from: input, to: UnsafeMutableBufferPointer(start: output.baseAddress, count: byteCount))
      }
    }
    if let fault { throw fault }
    guard output.count == byteCount else {
      throw .invalid("the data expands to \(output.count) bytes, \(byteCount) are declared")
    }
    return output
  }

  /// The content of a zlib stream (RFC 1950) of unknown length.
  /// - Parameter limit: bytes that it may expand to; more are `Fault.tooLong`, and little more memory than this is taken.
  func inflated(stream input: ArraySlice<UInt8>, atMost limit: Int) throws(Fault) -> [UInt8] {
    guard let stream = InflationStream(self, .zlib) else { throw .invalid("zlib cannot decompress it") }
    defer { stream.release(self) }
    guard input.count <= Self.pieceByteCount else { throw .tooLong }
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    var read = 0
    while true {
      let given = input.count - read
      let status = unsafe input.withUnsafeBufferPointer { input in
        unsafe piece.withUnsafeMutableBufferPointer { piece in
          unsafe stream.give(
            UnsafeRawPointer(input.baseAddress).map { unsafe $0 + read }, given, UnsafeMutableRawPointer(piece.baseAddress), piece.count)
          return unsafe inflate(stream.address, 0)
        }
      }
      read += given - stream.inputLeft
      let written = piece.count - stream.outputLeft
      guard written <= limit - output.count else { throw .tooLong }
      output += piece[..<written]
      switch status {
      case InflationStream.end: return output
      case InflationStream.ok where written > 0 || stream.inputLeft < given: continue
      case InflationStream.ok, InflationStream.stalled: throw .truncated
      default: throw .invalid("the compressed data is malformed")
      }
    }
  }

  /// The bytes as a zlib stream; nil if there is no memory for it.
  func deflated(_ input: [UInt8]) -> [UInt8]? {
    var count = compressBound(CUnsignedLong(input.count))
    guard let capacity = Int(exactly: count) else { return nil }
    var succeeded = false
    let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, outputCount in
      unsafe input.withUnsafeBufferPointer { input in
        // 9: the smallest result.
        succeeded = unsafe compress(output.baseAddress, &count, input.baseAddress, CUnsignedLong(input.count), 9) == InflationStream.ok
      }
      outputCount = succeeded ? min(Int(exactly: count) ?? 0, capacity) : 0
    }
    return succeeded ? output : nil
  }

  /// Decompresses to the end of the data. Returns how many bytes were written, and what is wrong.
  private func decode(
    _ stream: InflationStream, from input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>
  ) -> (count: Int, Fault?) {
    var (read, written) = (0, 0)
    while true {
      let given = (input: min(input.count - read, Self.pieceByteCount), output: min(output.count - written, Self.pieceByteCount))
      unsafe stream.give(
        UnsafeRawPointer(input.baseAddress).map { unsafe $0 + read }, given.input,
        UnsafeMutableRawPointer(output.baseAddress).map { unsafe $0 + written }, given.output)
      let status = unsafe inflate(stream.address, 0)
      read += given.input - stream.inputLeft
      written += given.output - stream.outputLeft
      switch status {
      case InflationStream.end: return (written, nil)
      case InflationStream.ok where stream.inputLeft < given.input || stream.outputLeft < given.output: continue
      case InflationStream.ok, InflationStream.stalled:
        return (written, written == output.count && read < input.count ? .tooLong : .truncated)
      default: return (written, .invalid("the compressed data is malformed"))
      }
    }
  }

  /// The structure `z_stream` of zlib.h, built by hand:
  ///
  ///     const Bytef *next_in;   uInt avail_in;   uLong total_in;
  ///     Bytef       *next_out;  uInt avail_out;  uLong total_out;
  ///     const char *msg;  struct internal_state *state;
  ///     alloc_func zalloc;  free_func zfree;  voidpf opaque;
  ///     int data_type;  uLong adler;  uLong reserved;
  @safe
  private struct InflationStream {
    static let ok: CInt = 0
    static let end: CInt = 1
    static let stalled: CInt = -5
    /// `uLong` has the size of a pointer on the systems that there are.
    private static let word = MemoryLayout<Int>.size
    private static let byteCount = 14 * word
    private static let inputCountOffset = word
    private static let outputOffset = 3 * word
    private static let outputCountOffset = 4 * word

    /// What surrounds the compressed data; the raw value is the bits of a window of 32 KiB, as zlib has them.
    enum Form: CInt {
      case raw = -15
      case zlib = 15
    }

    let address: UnsafeMutableRawPointer

    /// Nil if zlib refuses, for want of memory or being of another version.
    init?(_ library: ZLib, _ form: Form) {
      unsafe address = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: Self.word)
      unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
      guard unsafe library.beginInflation(address, form.rawValue, "1.2.0", CInt(Self.byteCount)) == Self.ok else {
        unsafe address.deallocate()
        return nil
      }
    }

    func release(_ library: ZLib) {
      _ = unsafe library.endInflation(address)
      unsafe address.deallocate()
    }

    /// Tells where the next input and output are, and how many bytes there are of each.
    func give(_ input: UnsafeRawPointer?, _ inputCount: Int, _ output: UnsafeMutableRawPointer?, _ outputCount: Int) {
      unsafe address.storeBytes(of: UInt(bitPattern: input), as: UInt.self)
      unsafe address.storeBytes(of: UInt32(clamping: inputCount), toByteOffset: Self.inputCountOffset, as: UInt32.self)
      unsafe address.storeBytes(of: UInt(bitPattern: output), toByteOffset: Self.outputOffset, as: UInt.self)
      unsafe address.storeBytes(of: UInt32(clamping: outputCount), toByteOffset: Self.outputCountOffset, as: UInt32.self)
    }

    var inputLeft: Int { Int(widening: unsafe address.load(fromByteOffset: Self.inputCountOffset, as: UInt32.self)) }
    var outputLeft: Int { Int(widening: unsafe address.load(fromByteOffset: Self.outputCountOffset, as: UInt32.self)) }
  }
}
