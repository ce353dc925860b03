import MartletTensor

/// The elements of a tensor in the widest type of their kind, without loss.
enum TensorElements {
  /// float16, bfloat16, float32 and float64.
  case floating([Double])
  /// Signed integers, and booleans as 0 and 1.
  case signed([Int64])
  case unsigned([UInt64])
  /// complex64 and complex128: alternating real and imaginary parts.
  case complex([Double])
}

extension HostTensor {
  var elements: TensorElements {
    switch dtype {
    case .float64: .floating(map(Double.self) { $0 })
    case .float32: .floating(map(Float.self) { Double($0) })
    case .float16: .floating(map(UInt16.self) { Double(HostTensor.float(fromFloat16: $0)) })
    case .bfloat16: .floating(map(UInt16.self) { Double(Float(bitPattern: UInt32(widening: $0) << 16)) })
    case .int8: .signed(map(Int8.self) { Int64(widening: $0) })
    case .int16: .signed(map(Int16.self) { Int64(widening: $0) })
    case .int32: .signed(map(Int32.self) { Int64(widening: $0) })
    case .int64: .signed(map(Int64.self) { $0 })
    case .bool: .signed(map(UInt8.self) { $0 == 0 ? 0 : 1 })
    case .uint8: .unsigned(map(UInt8.self) { UInt64(widening: $0) })
    case .uint16: .unsigned(map(UInt16.self) { UInt64(widening: $0) })
    case .uint32: .unsigned(map(UInt32.self) { UInt64(widening: $0) })
    case .uint64: .unsigned(map(UInt64.self) { $0 })
    case .complex64: .complex(map(Float.self) { Double($0) })
    case .complex128: .complex(map(Double.self) { $0 })
    }
  }

  /// Reinterprets the bytes as elements of a type and converts each.
  private func map<Element: BitwiseCopyable, Result>(
    _ type: Element.Type, _ convert: (Element) -> Result
  ) -> [Result] {
    // The count is rounded down, so that every load is in bounds.
    let width = MemoryLayout<Element>.size
    return unsafe withUnsafeBytes { bytes in
      (0..<bytes.count / width).map { index in
        // In range: a position in the bytes.
        unsafe convert(bytes.loadUnaligned(fromByteOffset: index * width, as: Element.self))
      }
    }
  }

  /// The value of an IEEE 754 binary16 bit pattern.
  private static func float(fromFloat16 bits: UInt16) -> Float {
    let sign: Float = bits >> 15 == 0 ? 1 : -1
    let exponent = Int(widening: bits >> 10 & 0x1F)
    let fraction = Float(bits & 0x3FF)
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * (1 + fraction * 0x1p-10) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
    }
  }

  /// The index, one position per axis, of an element in row-major order.
  func index(ofElement position: Int) -> [Int] {
    var rest = position
    var index: [Int] = []
    for extent in shape.reversed() {
      index.append(rest % max(extent, 1))
      rest /= max(extent, 1)
    }
    return index.reversed()
  }
}
