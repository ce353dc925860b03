package import MartletBytes
import MartletTensor

extension XNNPACKGraph {
  /// The id that stands for no value.
  static let invalidID = UInt32.max

  /// Reads the graph in `payload`. Constants outside the payload are requested from `namedData` by their key.
  ///
  /// - Throws: `FileError` if the content violates the format, or if `namedData` lacks a key.
  package init(_ payload: ByteView, namedData: (String) -> ByteView?) throws(FileError) {
    self = try locating("xnnpack") { () throws(FileError) in
      let header = try Header(of: payload)
      let flatbuffer =
        if let header {
          try payload.slice(offset: header.flatbufferOffset, count: header.flatbufferByteCount, field: "header.flatbuffer_size")
        } else {
          payload
        }
      let reader = FlatBufferReader(flatbuffer)
      if !reader.hasIdentifier("XN00") { try reader.requireIdentifier("XN01", format: "XNNPACK graph") }
      let root = try reader.root()
      let constantData =
        if let header {
          try payload.slice(offset: header.constantOffset, count: header.constantByteCount, field: "header.constant_data_size")
        } else {
          ByteView?.none
        }
      let constants = try XNNPACKConstants(root, data: constantData, namedData: namedData)
      return try XNNPACKGraph(root, constants: constants)
    }
  }

  /// - Parameter graph: the root table, `XNNGraph`.
  private init(_ graph: FlatBufferTable, constants: XNNPACKConstants) throws(FileError) {
    let externalCount: UInt32 = try graph.integer(3, "num_externs")
    let values = try graph.tables(2, "xvalues") { (value, _) throws(FileError) in
      try XNNPACKValue(value, constants: constants, externalCount: externalCount)
    }
    var indices: [Int: Int] = [:]
    for (index, value) in values.enumerated() {
      guard value.id != Self.invalidID, indices.updateValue(index, forKey: Int(widening: value.id)) == nil else {
        let reason = value.id == Self.invalidID ? "the value has no id" : "the value id \(value.id) is used twice"
        throw graph.error(reason).nested(in: "xvalues[\(index)]")
      }
    }
    var reader = XNNPACKNodeReader(values: values, indices: indices)
    self.version = try graph.string(0, "version") ?? ""
    self.nodes = try graph.tables(1, "xnodes") { (node, _) throws(FileError) in try reader.node(node) }
    self.inputs = try Self.external(values, graph) { $0.isExternalInput }
    self.outputs = try Self.external(values, graph) { $0.isExternalOutput }
    self.values = values
    for index in outputs where !reader.isDefined[index] {
      throw graph.error("the output is not written by any node").nested(in: "xvalues[\(index)]")
    }
  }

  /// The indices of the external values that satisfy `wanted`, sorted by external id.
  private static func external(
    _ values: [XNNPACKValue], _ graph: FlatBufferTable, wanted: (XNNPACKValue) -> Bool
  ) throws(FileError) -> [Int] {
    let indices = values.indices.filter { wanted(values[$0]) }.sorted { (values[$0].externalID ?? 0) < (values[$1].externalID ?? 0) }
    for (index, next) in zip(indices, indices.dropFirst()) where values[index].externalID == values[next].externalID {
      throw graph.error("the external id is used twice").nested(in: "xvalues[\(next)]")
    }
    return indices
  }

  /// The header of a payload. Old payloads have none.
  private struct Header {
    let flatbufferOffset: UInt64
    let flatbufferByteCount: UInt64
    let constantOffset: UInt64
    let constantByteCount: UInt64

    init?(of payload: ByteView) throws(FileError) {
      guard payload.hasBytes("XH00", at: 4) else { return nil }
      flatbufferOffset = UInt64(widening: try payload.load(UInt32.self, at: 10, field: "header.flatbuffer_offset"))
      flatbufferByteCount = UInt64(widening: try payload.load(UInt32.self, at: 14, field: "header.flatbuffer_size"))
      constantOffset = UInt64(widening: try payload.load(UInt32.self, at: 18, field: "header.constant_data_offset"))
      constantByteCount = try payload.load(UInt64.self, at: 22, field: "header.constant_data_size")
    }
  }
}

/// The constants of a payload by index: after the graph, in named data, or, in old payloads, inside the graph.
struct XNNPACKConstants {
  private enum Constant {
    case unused
    case data(ByteView)
    case named(String)
  }

  private let constants: [Constant]
  private let resolved: [String: ByteView]

  /// - Parameter data: the constants after the graph; `nil` if they are inside it.
  init(_ graph: FlatBufferTable, data: ByteView?, namedData: (String) -> ByteView?) throws(FileError) {
    guard let data else {
      constants = try graph.tables(6, "constant_buffer") { (buffer, index) throws(FileError) -> Constant in
        guard index > 0 else { return .unused }
        return .data(try buffer.bytes(0, "storage") ?? ByteView.empty)
      }
      resolved = [:]
      return
    }
    var resolved: [String: ByteView] = [:]
    constants = try graph.tables(8, "constant_data") { (entry, index) throws(FileError) -> Constant in
      guard index > 0 else { return .unused }
      if let key = try entry.string(2, "named_key"), !key.isEmpty {
        if let found = namedData(key) { resolved[key] = found }
        return .named(key)
      }
      let offset: UInt64 = try entry.integer(0, "offset")
      let size: UInt64 = try entry.integer(1, "size")
      return .data(try data.slice(offset: offset, count: size))
    }
    self.resolved = resolved
  }

  /// The first `byteCount` bytes of the constant `index`, which must not be 0.
  func data(_ index: UInt32, byteCount: Int, for table: FlatBufferTable, field: StaticString) throws(FileError) -> ByteView {
    guard index > 0, index < constants.count else {
      throw table.error("there is no constant \(index), only \(constants.count)", field: field)
    }
    switch constants[Int(widening: index)] {
    case .unused:
      throw table.error("the constant \(index) is a placeholder", field: field)
    case .data(let bytes):
      return try bytes.slice(offset: 0, count: byteCount, field: "\(field)")
    case .named(let key):
      guard let bytes = resolved[key] else { throw table.error("the named data '\(key)' is missing", field: field) }
      return try bytes.slice(offset: 0, count: byteCount, field: "\(field)")
    }
  }
}
