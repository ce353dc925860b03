package import MartletBytes
import MartletTensor

extension MPSGraph {
  /// Reads the graph in `payload`. If it has no header, the most likely generation of the schema is taken for which it is consistent.
  ///
  /// - Throws: `FileError` if the content violates the format.
  package init(_ payload: ByteView) throws(FileError) { self = try Self.readings(of: payload)[0] }

  /// The graphs that `payload` may hold, the most likely one first: several for a payload without header that is consistent for several
  /// generations of the schema. They are never empty.
  ///
  /// - Throws: `FileError` if the content violates the format.
  package static func readings(of payload: ByteView) throws(FileError) -> [MPSGraph] {
    try locating("mps") { () throws(FileError) in
      if let header = try Header(of: payload) {
        return [try MPSGraph(header.flatbuffer, segment: header.segment, schema: .current)]
      }
      var readings: [MPSGraph] = []
      var failure: FileError?
      for schema in MPSSchema.withoutHeader {
        do throws(FileError) {
          readings.append(try MPSGraph(payload, segment: nil, schema: schema))
        } catch {
          failure = failure ?? error
        }
      }
      if readings.isEmpty, let failure { throw failure }
      let fitting = readings.filter { $0.values.allSatisfy(\.fitsData) }
      return fitting + readings.filter { !$0.values.allSatisfy(\.fitsData) }
    }
  }

  private init(_ flatbuffer: ByteView, segment: ByteView?, schema: MPSSchema) throws(FileError) {
    let reader = FlatBufferReader(flatbuffer)
    try reader.requireIdentifier("MP00", format: "MPS graph")
    let graph = try reader.root()
    let type: Int16 = try graph.integer(6, "graph_type")
    guard type == 0 || type == 1 else { throw graph.error("\(type) is not a known type of graph", field: "graph_type") }
    guard let valueCount = try graph.tableCount(2, "mps_values") else { throw graph.error("is missing", field: "mps_values") }
    let inputs = try Self.ids(graph, 3, "input_ids", valueCount: valueCount)
    let outputs = try Self.ids(graph, 4, "output_ids", valueCount: valueCount)
    let constants = try Self.ids(graph, 5, "constant_ids", valueCount: valueCount)
    var isDefined = [Bool](repeating: false, count: valueCount)
    var isConstant = isDefined
    for id in inputs {
      guard !isDefined[id] else { throw graph.error("the value \(id) occurs twice", field: "input_ids") }
      isDefined[id] = true
    }
    for id in constants {
      guard !isDefined[id] else { throw graph.error("the value \(id) occurs twice or is an input", field: "constant_ids") }
      isDefined[id] = true
      isConstant[id] = true
    }
    self.version = try graph.string(0, "version") ?? ""
    self.isMetalKernel = type == 1
    self.values = try graph.tables(2, "mps_values") { (value, index) throws(FileError) in
      try MPSValue(value, isConstant: isConstant[index], schema: schema, segment: segment)
    }
    var nodeReader = MPSNodeReader(schema: schema, isDefined: isDefined)
    self.nodes = try graph.tables(1, "mps_nodes") { (node, _) throws(FileError) in try nodeReader.node(node) }
    for (position, id) in outputs.enumerated() where !nodeReader.isDefined[id] {
      throw graph.error("the value \(id) is not written by any node").nested(in: "output_ids[\(position)]")
    }
    self.inputs = inputs
    self.outputs = outputs
  }

  private static func ids(
    _ graph: FlatBufferTable, _ slot: Int, _ name: StaticString, valueCount: Int
  ) throws(FileError) -> [Int] {
    let ids = try graph.ints(slot, name, of: Int32.self) ?? []
    if let wrong = ids.first(where: { $0 < 0 || $0 >= valueCount }) {
      throw graph.error("there is no value \(wrong), only \(valueCount)", field: name)
    }
    return ids
  }

  /// The parts of a payload with a header. Old payloads have none: they begin with the offset of the graph's root, which is never 0.
  private struct Header {
    let flatbuffer: ByteView
    let segment: ByteView

    init?(of payload: ByteView) throws(FileError) {
      guard try payload.load(UInt32.self, at: 0, field: "header") == 0 else { return nil }
      guard payload.hasBytes("MP00", at: 4) else { throw payload.error(at: 4, field: "header", "the identifier is not \"MP00\"") }
      let offset = try payload.load(UInt64.self, at: 8, field: "header.data_segment_offset")
      let count = try payload.load(UInt64.self, at: 16, field: "header.data_segment_size")
      guard offset >= 24 else {
        throw payload.error(at: 8, field: "header.data_segment_offset", "\(offset) is inside of the header")
      }
      segment = try payload.slice(offset: offset, count: count, field: "header.data_segment_size")
      // In range: the offset is at least the size of the header.
      flatbuffer = try payload.slice(offset: 24, count: offset - 24, field: "header")
    }
  }
}
