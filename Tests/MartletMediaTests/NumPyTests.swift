import MartletMedia
import MartletTensor
import Testing

@Suite("NumPy files and archives")
struct NumPyTests {
  /// A file of format version 1.0 with that header text and those element bytes.
  static func file(_ header: String, _ elements: [UInt8] = []) -> [UInt8] {
    let text = Array(header.utf8)
    return [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + text + elements
  }

  static func error(_ body: () throws -> Void) -> MediaError? {
    do {
      try body()
      return nil
    } catch {
      return error as? MediaError
    }
  }

  @Test("Every dtype, version, order and byte order reads as the plain form of the same array")
  func variants() throws {
    let plain = try Fixture.arrays("numpy_plain.npz")
    let variants = try NumPyArchive.read(path: Fixture.path("numpy_variants.npz"))
    #expect(plain.count == 19)
    #expect(variants.count == plain.count * 5)
    for variant in variants {
      let base = String(variant.name.prefix { $0 != "." })
      let expected = try #require(plain[base], "\(variant.name)")
      #expect(variant.tensor.dtype == expected.dtype, "\(variant.name)")
      #expect(variant.tensor.shape == expected.shape, "\(variant.name)")
      #expect(variant.tensor.bytes == expected.bytes, "\(variant.name)")
    }
    #expect(Set(plain.values.map(\.dtype)) == Set(DType.allCases.filter { $0 != .bfloat16 }))
    #expect(plain["zero_rank"]?.shape == [])
    #expect(plain["empty_inside"]?.shape == [2, 0, 3])
  }

  @Test("A known array has the bytes that NumPy's values say")
  func knownValues() throws {
    let plain = try Fixture.arrays("numpy_plain.npz")
    #expect(plain["i2"]?.bytes == [0, 0x80, 0, 0, 1, 0, 2, 0, 3, 0, 0xFF, 0x7F])
    #expect(plain["bool"]?.bytes == [1, 0, 1, 0, 0, 1])
    #expect(plain["zero_rank"]?.bytes == [0, 0, 0x20, 0x40])
    #expect(plain["one"]?.shape == [7])
  }

  @Test("What is written reads back, in both orders and for every dtype and odd shape", arguments: DType.allCases)
  func roundTrip(dtype: DType) throws {
    for shape in [[], [0], [1], [5], [2, 3], [3, 0, 2], [2, 3, 4], [1, 1, 2, 1], [2, 1, 3, 2, 2]] {
      let byteCount = try #require(HostTensor.byteCount(dtype: dtype, shape: shape))
      let bytes = (0..<byteCount).map { dtype == .bool ? UInt8($0 % 3 == 0 ? 1 : 0) : UInt8(truncatingIfNeeded: $0 &* 37) }
      let tensor = try #require(HostTensor(dtype: dtype, shape: shape, bytes: bytes))
      for fortranOrder in [false, true] {
        let file = NumPyFile.encode(tensor, fortranOrder: fortranOrder)
        #expect((file.count - byteCount) % 64 == 0)
        let back = try NumPyFile.decode(file, name: "memory", asBFloat16: dtype == .bfloat16)
        #expect(back.dtype == dtype && back.shape == shape && back.bytes == bytes, "\(shape) \(fortranOrder)")
      }
    }
  }

  @Test("Unsigned 16-bit elements are bfloat16 only when asked, and nothing else can be")
  func bfloat16() throws {
    let tensor = try #require(HostTensor(dtype: .bfloat16, shape: [2], bytes: [0x80, 0x3F, 0, 0xC0]))
    let file = NumPyFile.encode(tensor)
    #expect(try NumPyFile.decode(file, name: "m").dtype == .uint16)
    #expect(try NumPyFile.decode(file, name: "m", asBFloat16: true).dtype == .bfloat16)
    let floats = NumPyFile.encode(HostTensor(zeros: .float32, shape: [2]))
    #expect(Self.error { _ = try NumPyFile.decode(floats, name: "m", asBFloat16: true) }?.field == "descr")
  }

  @Test("Booleans other than 0 and 1 become 1")
  func booleans() throws {
    let file = Self.file("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", [0, 1, 2, 255])
    #expect(try NumPyFile.decode(file, name: "m").bytes == [0, 1, 1, 1])
  }

  @Test("Python 2 long extents, lists, double quotes and trailing bytes are read")
  func lenientHeaders() throws {
    let file = Self.file("{\"shape\": [2L, 1L], \"fortran_order\": False, \"descr\": \"u1\"}  \n", [7, 8, 9])
    let tensor = try NumPyFile.decode(file, name: "m")
    #expect(tensor.shape == [2, 1] && tensor.bytes == [7, 8])
  }

  @Test(
    "A hostile header is a typed error that names the field",
    arguments: [
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "shape"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", "shape"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "header"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "shape"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000,)}", "elements"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "shape"),
      ("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", "fortran_order"),
      ("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "descr"),
      ("{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}", "descr"),
      ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", "descr"),
      ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", "descr"),
      ("{'descr': '<f4', 'fortran_order': False}", "header"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "header"),
      ("{'descr': '<f4", "header"),
      ("{'descr': '<f4', 'fortran_order': False, 'shape': (((((((((((((((((((3", "header"),
      ("{'a': __import__('os')}", "header"),
      ("", "header"),
    ])
  func hostileHeaders(header: String, field: String) {
    let error = Self.error { _ = try NumPyFile.decode(Self.file(header, [0, 0, 0, 0]), name: "hostile.npy") }
    #expect(error?.field == field)
    #expect(error?.file == "hostile.npy")
  }

  @Test("More axes than NumPy has are refused")
  func rankLimit() {
    let extents = Array(repeating: "1", count: 65).joined(separator: ", ")
    let file = Self.file("{'descr': '|u1', 'fortran_order': False, 'shape': (\(extents))}", [1])
    #expect(
      Self.error { _ = try NumPyFile.decode(file, name: "m") }?.reason == .tooLarge(declared: 65, limit: 64))
  }

  @Test("A file cut anywhere is an error, and a damaged one is read or refused but never traps")
  func damagedFiles() throws {
    let tensor = try #require(HostTensor(dtype: .int16, shape: [3, 2], bytes: Array(0..<12)))
    let file = NumPyFile.encode(tensor, fortranOrder: true)
    for count in 0..<file.count {
      #expect(Self.error { _ = try NumPyFile.decode(Array(file[..<count]), name: "m") } != nil, "\(count) bytes")
    }
    for copy in damaged(file, count: 4000, seed: 1) {
      if let read = try? NumPyFile.decode(copy, name: "m") {
        #expect(HostTensor.byteCount(dtype: read.dtype, shape: read.shape) == read.bytes.count)
      }
    }
  }

  @Test("A missing file is an error that names the path")
  func missingFile() {
    let error = Self.error { _ = try NumPyFile.read(path: "/nonexistent/array.npy") }
    #expect(error?.file == "/nonexistent/array.npy")
    guard case .unreadable = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

@Suite("ZIP archives of arrays")
struct NumPyArchiveTests {
  @Test(
    "Every kind of DEFLATE block gives the array that was compressed",
    arguments: ["text", "noise", "run", "skewed", "far", "nothing"])
  func deflate(name: String) throws {
    let check = try #require(try Fixture.arrays("deflate_checks.npz")[name])
    let arrays = try NumPyArchive.read(path: Fixture.path("deflate_\(name).npz"))
    #expect(arrays.count >= 2)
    let byteCount = check.bytes[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    let checksum = check.bytes[0..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    for array in arrays {
      #expect(array.tensor.bytes.count == byteCount, "\(array.name)")
      #expect(crc32(array.tensor.bytes) == checksum, "\(array.name)")
    }
  }

  /// Bit by bit, on purpose not the way the archive does it.
  private func crc32(_ bytes: [UInt8]) -> Int {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
    }
    return Int(~value)
  }

  @Test("The archives of np.savez_compressed and the ZIP64 form read as the plain one")
  func savez() throws {
    let plain = try Fixture.arrays("numpy_plain.npz")
    let compressed = try Fixture.arrays("numpy_savez.npz")
    #expect(compressed.keys.sorted() == ["f4", "i8"])
    for (name, tensor) in compressed { #expect(tensor.bytes == plain[name]?.bytes) }
    let zip64 = try Fixture.arrays("numpy_zip64.npz")
    #expect(zip64.count == 3)
    for (name, tensor) in zip64 { #expect(tensor.bytes == plain[name]?.bytes) }
  }

  @Test("What is written reads back in the same order, also when empty")
  func roundTrip() throws {
    let arrays = [
      NumPyArchive.Array(name: "weight", tensor: HostTensor(zeros: .float16, shape: [3, 4])),
      NumPyArchive.Array(name: "größe", tensor: HostTensor(zeros: .bfloat16, shape: [])),
      NumPyArchive.Array(name: "a/b", tensor: HostTensor(zeros: .int64, shape: [0, 2])),
    ]
    let file = try NumPyArchive.encode(arrays, name: "m")
    let back = try NumPyArchive.decode(file, name: "m", bfloat16Names: ["größe"])
    #expect(back.map(\.name) == ["weight", "größe", "a/b"])
    #expect(back.map(\.tensor.dtype) == [.float16, .bfloat16, .int64])
    #expect(back.map(\.tensor.shape) == [[3, 4], [], [0, 2]])
    #expect(try NumPyArchive.decode(try NumPyArchive.encode([], name: "m"), name: "m").isEmpty)
  }

  @Test("A changed element byte is found by the checksum")
  func checksum() throws {
    let array = NumPyArchive.Array(name: "x", tensor: HostTensor(zeros: .uint8, shape: [100]))
    var file = try NumPyArchive.encode([array], name: "m")
    let element = 30 + "x.npy".utf8.count + 128 + 50
    #expect(file[element] == 0)
    file[element] = 1
    let error = NumPyTests.error { _ = try NumPyArchive.decode(file, name: "m") }
    #expect(error?.reason == .invalid("its checksum does not match"))
  }

  @Test("An entry that declares more than the limit is refused before it is expanded")
  func expansionLimit() throws {
    let error = NumPyTests.error {
      _ = try NumPyArchive.read(path: Fixture.path("deflate_run.npz"), maximumByteCount: 1000)
    }
    #expect(error?.reason == .tooLarge(declared: 40128, limit: 1000))
  }

  @Test("Entries that share bytes are refused")
  func overlappingEntries() throws {
    let array = NumPyArchive.Array(name: "x", tensor: HostTensor(zeros: .uint8, shape: [100]))
    var file = try NumPyArchive.encode([array, array], name: "m")
    #expect(try NumPyArchive.decode(file, name: "m").count == 2)
    // The second entry of the directory, the last one before the end record, points at the first entry's data.
    let offset = file.count - 22 - "x.npy".utf8.count - 4
    for byte in 0..<4 { file[offset + byte] = 0 }
    let error = NumPyTests.error { _ = try NumPyArchive.decode(file, name: "m") }
    #expect(error?.reason == .invalid("entries 'x.npy' and 'x.npy' overlap"))
  }

  @Test("The limit holds for all entries together")
  func expansionLimitOfAll() throws {
    let path = Fixture.path("numpy_savez.npz")
    #expect(try NumPyArchive.read(path: path, maximumByteCount: 224 + 176).count == 2)
    let error = NumPyTests.error { _ = try NumPyArchive.read(path: path, maximumByteCount: 224 + 175) }
    #expect(error?.reason == .tooLarge(declared: 176, limit: 175))
  }

  @Test(
    "An archive cut anywhere is an error, and a damaged one is read or refused but never traps",
    arguments: ["deflate_text.npz", "numpy_zip64.npz", "numpy_savez.npz"])
  func damagedArchives(name: String) throws {
    let file = try Fixture.bytes(name)
    for count in stride(from: 0, to: file.count, by: 7) {
      #expect(NumPyTests.error { _ = try NumPyArchive.decode(Array(file[..<count]), name: "m") } != nil, "\(count)")
    }
    // The checksums would stop most damage, so the directory at the end gets its share as well.
    for copy in damaged(file, count: 300, seed: 2) { _ = try? NumPyArchive.decode(copy, name: "m") }
    for copy in damaged(file.reversed(), count: 1000, seed: 3) {
      _ = try? NumPyArchive.decode(copy.reversed(), name: "m")
    }
  }
}
