import MartletTensor

/// A generation of the payload's schema. All have the same identifier and the version `0`.
///
/// A header and a segment for the constants came together with the present numbers of data types. Payloads without header do not tell
/// their generation: each reading that is consistent may be the right one.
///
/// Source: history of `schema.fbs`, changes of 2024-04-23, 2024-05-13, 2024-08-09 and 2024-08-14.
struct MPSSchema: Sendable {
  /// True for the numbers of data types before 4-bit integers were added.
  private let hasFirstDataTypes: Bool
  /// Members of the union that were inserted later.
  private let later: [MPSGraph.Kind]

  static let current = MPSSchema(hasFirstDataTypes: false, later: [])
  /// The readings of a payload without header, the most likely one first.
  static let withoutHeader = [
    MPSSchema(hasFirstDataTypes: true, later: [.dequantizePerChannelGroup]),
    MPSSchema(hasFirstDataTypes: false, later: []),
    MPSSchema(hasFirstDataTypes: true, later: [.scatter, .dequantizePerChannelGroup]),
    MPSSchema(
      hasFirstDataTypes: true,
      later: [.logicalNot, .indexTensor, .indexPut, .scatter, .dequantizePerChannelGroup]),
  ]

  private static let firstDataTypes: [MPSDataType] = [
    .float16, .float32, .bfloat16, .int8, .int16, .int32, .int64, .uint8, .bool, .complexFloat16, .complexFloat32,
  ]

  func dataType(_ number: Int16) -> MPSDataType? {
    guard hasFirstDataTypes else { return MPSDataType(rawValue: number) }
    let position = Int(widening: number) - 1
    return Self.firstDataTypes.indices.contains(position) ? Self.firstDataTypes[position] : nil
  }

  func kind(_ tag: UInt8) -> MPSGraph.Kind? {
    var tag = Int(widening: tag)
    // In range: a tag of at most 255 and the number of kinds.
    for kind in later where Int(widening: kind.rawValue) <= tag { tag += 1 }
    return UInt8(exactly: tag).flatMap { MPSGraph.Kind(rawValue: $0) }
  }
}
