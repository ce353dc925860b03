import MartletTensor

/// The header of a `.npy` file: a Python dictionary literal with the keys `descr`, `fortran_order` and `shape`.
///
/// Source: NumPy Enhancement Proposal 1, format versions 1.0 (2-byte header length, Latin-1), 2.0 (4-byte length) and
/// 3.0 (4-byte length, UTF-8).
struct NumPyHeader {
  var dtype: DType
  var isBigEndian: Bool
  var isFortranOrder: Bool
  var shape: [Int]
  /// Offset of the first element from the start of the file.
  var dataOffset: Int

  /// Maximum rank of NumPy arrays.
  static let maximumRank = 64

  init(_ bytes: [UInt8], name: String) throws(MediaError) {
    func fault(_ field: String, _ reason: MediaError.Reason) -> MediaError {
      MediaError(file: name, field: field, reason: reason)
    }
    let magic: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]
    guard bytes.count >= 10 else { throw fault("magic and version", .truncated(needed: 10, available: bytes.count)) }
    guard bytes.starts(with: magic) else { throw fault("magic", .invalid("is not \\x93NUMPY")) }
    let version = bytes[6]
    let headerStart: Int
    let headerCount: Int
    switch version {
    case 1:
      headerStart = 10
      headerCount = Int(widening: bytes[8]) | Int(widening: bytes[9]) << 8
    case 2, 3:
      headerStart = 12
      guard bytes.count >= 12 else { throw fault("header length", .truncated(needed: 12, available: bytes.count)) }
      headerCount = Int(widening: bytes[8]) | Int(widening: bytes[9]) << 8 | Int(widening: bytes[10]) << 16 | Int(widening: bytes[11]) << 24
    default:
      throw fault("version", .unsupported("format version \(version).\(bytes[7])"))
    }
    guard headerCount <= bytes.count - headerStart else {
      throw fault("header", .truncated(needed: headerCount, available: bytes.count - headerStart))
    }
    dataOffset = headerStart + headerCount

    var parser = PythonLiteralParser(bytes[headerStart..<dataOffset])
    let entries: [(key: String, value: PythonLiteral)]
    do throws(PythonLiteralParser.Fault) {
      entries = try parser.parseDictionary()
    } catch {
      throw fault("header", .invalid(error.reason))
    }
    var found: [String: PythonLiteral] = [:]
    for (key, value) in entries {
      guard found.updateValue(value, forKey: key) == nil else { throw fault(key, .invalid("occurs twice")) }
    }
    guard entries.count == 3, let descr = found["descr"], let order = found["fortran_order"], let shape = found["shape"]
    else {
      throw fault("header", .invalid("the keys are not descr, fortran_order and shape"))
    }

    guard case .string(let typeString) = descr else {
      throw fault("descr", .unsupported("structured element types"))
    }
    guard let (dtype, isBigEndian) = NumPyHeader.elementType(typeString) else {
      throw fault("descr", .unsupported("element type '\(typeString)'"))
    }
    self.dtype = dtype
    self.isBigEndian = isBigEndian
    guard case .boolean(let isFortranOrder) = order else { throw fault("fortran_order", .invalid("is not True or False")) }
    self.isFortranOrder = isFortranOrder
    guard case .sequence(let items) = shape else { throw fault("shape", .invalid("is not a tuple")) }
    guard items.count <= NumPyHeader.maximumRank else {
      throw fault("shape", .tooLarge(declared: items.count, limit: NumPyHeader.maximumRank))
    }
    self.shape = []
    for item in items {
      guard case .integer(let extent) = item, extent >= 0 else {
        throw fault("shape", .invalid("an extent is not a non-negative integer"))
      }
      self.shape.append(extent)
    }
  }

  /// The element type for a NumPy type string such as `<f4`, `|b1` or `>i8`.
  private static func elementType(_ typeString: String) -> (dtype: DType, isBigEndian: Bool)? {
    var code = typeString[...]
    var isBigEndian = false
    if let first = code.first, "<>|=".contains(first) {
      isBigEndian = first == ">"
      code = code.dropFirst()
    }
    let dtype: DType
    switch code {
    case "b1", "?": dtype = .bool
    case "i1": dtype = .int8
    case "i2": dtype = .int16
    case "i4": dtype = .int32
    case "i8": dtype = .int64
    case "u1": dtype = .uint8
    case "u2": dtype = .uint16
    case "u4": dtype = .uint32
    case "u8": dtype = .uint64
    case "f2": dtype = .float16
    case "f4": dtype = .float32
    case "f8": dtype = .float64
    case "c8": dtype = .complex64
    case "c16": dtype = .complex128
    default: return nil
    }
    return (dtype, isBigEndian)
  }

  /// The little-endian type string of a dtype. bfloat16 has none and is written as bit patterns, `<u2`.
  static func typeString(of dtype: DType) -> String {
    switch dtype {
    case .bool: "|b1"
    case .int8: "|i1"
    case .int16: "<i2"
    case .int32: "<i4"
    case .int64: "<i8"
    case .uint8: "|u1"
    case .uint16, .bfloat16: "<u2"
    case .uint32: "<u4"
    case .uint64: "<u8"
    case .float16: "<f2"
    case .float32: "<f4"
    case .float64: "<f8"
    case .complex64: "<c8"
    case .complex128: "<c16"
    }
  }

  /// Magic, version, length and dictionary, padded so that the elements start at a multiple of 64 bytes.
  static func encode(dtype: DType, shape: [Int], isFortranOrder: Bool) -> [UInt8] {
    let extents = shape.map(String.init).joined(separator: ", ") + (shape.count == 1 ? "," : "")
    let dictionary =
      "{'descr': '\(typeString(of: dtype))', 'fortran_order': \(isFortranOrder ? "True" : "False"), 'shape': (\(extents)), }"
    // Rank 64 with 19-digit extents stays below the 65535 bytes that version 1 allows.
    let padding = (64 - (10 + dictionary.utf8.count + 1) % 64) % 64
    let headerCount = dictionary.utf8.count + padding + 1
    var bytes: [UInt8] = [
      0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, UInt8(truncatingIfNeeded: headerCount), UInt8(truncatingIfNeeded: headerCount >> 8),
    ]
    bytes.append(contentsOf: dictionary.utf8)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: padding))
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}
