import MartletBytes
import MartletExecuTorchFile
import Testing

@Suite struct MPSGraphTests {
  @Test func `A half-precision linear layer converts at its borders, and its constants stay in the file`() throws {
    let payload = try Fixture.mpsPayload("exported/linear_fp16")
    let graph = try MPSGraph(payload)
    #expect(graph.version == "0")
    #expect(!graph.isMetalKernel)
    #expect(graph.nodes.map(\.kind) == [.cast, .permute, .addmm, .cast])
    #expect(graph.nodes[0].operation == .cast(.float16))
    #expect(graph.nodes[0].inputs == [graph.inputs[0]])
    #expect(graph.nodes[0].outputs == [graph.inputs[0]])
    #expect(graph.nodes[2].operation == .addMatrixProduct(beta: 1, alpha: 1))
    #expect(graph.nodes[3].outputs == [graph.outputs[0]])
    let constants = graph.values.filter { $0.data != nil }
    #expect(constants.map(\.dataType) == [.float16, .float16])
    #expect(constants.map(\.sizes) == [[3, 5], [3]])
    for constant in constants {
      let data = try #require(constant.data)
      #expect(data.owner === payload.owner)
      #expect(data.count == 2 * constant.elementCount)
    }
  }

  @Test func `Bounds belong to the node, and absent operands and results have no value`() throws {
    let node = try #require(try MPSGraph(Fixture.mpsPayload("payloads/bounds_of_convolution")).nodes.first)
    #expect(node.bounds?.minimum == 0)
    #expect(node.bounds?.maximum == 2)
    #expect(node.inputs == [0, 1, nil])
    let norm = try #require(try MPSGraph(Fixture.mpsPayload("payloads/norm_with_weight")).nodes.first)
    #expect(norm.inputs[4] == nil)
    #expect(norm.outputs[1...] == [nil, nil])
    #expect(norm.bounds == nil)
  }

  @Test func `Indices leave out axes`() throws {
    let graph = try MPSGraph(Fixture.mpsPayload("payloads/index_put_metal_kernel"))
    #expect(graph.isMetalKernel)
    #expect(graph.nodes.map(\.inputs) == [[0, 3, nil, 2, 1]])
  }

  @Test func `Weights of four bits take half a byte each`() throws {
    let graph = try MPSGraph(Fixture.mpsPayload("payloads/groups_of_4_bits_fp32"))
    let node = try #require(graph.nodes.first)
    #expect(node.operation == .dequantizeGroups(size: 4))
    let weights = graph.values[try #require(node.inputs[0])]
    #expect(weights.dataType == .int4)
    #expect(weights.sizes == [6, 8])
    #expect(weights.data?.count == 24)
  }

  @Test func `A number is stored in the type that it has in Python`() throws {
    let constants = try MPSGraph(Fixture.mpsPayload("payloads/stored_numbers")).values.filter { $0.data != nil }
    #expect(constants.map(\.dataType) == [.float16, .float16, .int64, .int64])
    #expect(constants.map(\.storedType) == [.int64, .float32, .float32, .int64])
  }

  /// Each schema numbers the kinds of nodes and types differently. Types that only occur as inputs, outputs and intermediate results do not
  /// tell which one a payload has.
  @Test(arguments: ["schema_2024-01", "schema_2024-04", "schema_2024-05", "schema_current"])
  func `One reading of a payload without header is that of its schema`(name: String) throws {
    let payload = try Fixture.mpsPayload("payloads/\(name)")
    #expect(!payload.hasBytes("\0\0\0\0", at: 0))
    let expected = try MPSGraph(Fixture.mpsPayload("payloads/inline_constants"))
    let readings = try MPSGraph.readings(of: payload)
    #expect(
      readings.contains { graph in
        graph.nodes.map(\.kind) == Array(expected.nodes.map(\.kind).prefix(graph.nodes.count))
          && graph.values.map(\.dataType) == Array(expected.values.map(\.dataType).prefix(graph.values.count))
      })
    let first = readings[0].values.filter { $0.data != nil }
    #expect(first.map(\.dataType) == [.float32, .float16, .int64, .float32, .float32])
  }

  @Test(arguments: [
    "exported/linear_fp16", "exported/binary_with_numbers_fp32", "payloads/groups_of_4_bits_fp32", "payloads/index_put_metal_kernel",
    "payloads/bounds", "payloads/schema_2024-05",
  ])
  func `A payload with any one byte changed is read safely`(path: String) throws {
    let bytes = try Fixture.mpsPayload(path).array
    var refused = 0
    for index in bytes.indices {
      for mask in [0x01, 0x80, 0xff] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= mask
        do {
          for graph in try MPSGraph.readings(of: MappedFile(copying: damaged, name: "test").bytes) {
            #expect(graph.values.allSatisfy { $0.data?.array.count == $0.data?.count })
          }
        } catch {
          refused += 1
          #expect(!error.reason.isEmpty)
        }
      }
    }
    #expect(refused > 0)
  }

  @Test(arguments: ["exported/linear_fp16", "payloads/schema_2024-05"])
  func `A payload cut off at any byte is refused or lacks nothing but padding`(path: String) throws {
    let bytes = try Fixture.mpsPayload(path).array
    var refused = 0
    for count in 0..<bytes.count {
      do {
        _ = try MPSGraph.readings(of: MappedFile(copying: Array(bytes.prefix(count)), name: "test").bytes)
      } catch {
        refused += 1
      }
    }
    #expect(refused > bytes.count - 64)
  }
}
