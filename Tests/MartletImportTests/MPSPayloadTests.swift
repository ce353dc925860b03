import Foundation
import Martlet
import MartletBytes
import MartletConformance
import MartletExecuTorchFile
import Testing

/// The recorded MPS payloads, made by `Oracles/make_mps_cases.py`.
@Suite struct MPSPayloadTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/mps")

  static func names(_ group: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(group).path)) ?? []).sorted()
  }

  @Test(arguments: [("exported", 71), ("payloads", 28)])
  func `Recorded programs give their recorded results`(group: String, count: Int) async throws {
    var options = ModelOptions()
    options.threads = 1
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let report = try await runner.run(paths: [Self.folder.appendingPathComponent(group).path])
    #expect(report.results.count == count)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }

  @Test func `Every kind of node occurs in a recorded program`() throws {
    var kinds: Set<MPSGraph.Kind> = []
    for group in ["exported", "payloads"] {
      for name in Self.names(group) {
        let file = try MappedFile(contentsOfPath: Self.folder.appendingPathComponent("\(group)/\(name)/model.pte").path).bytes
        for plan in try ExecuTorchProgram(file).plans {
          // A case computes nothing outside of its payloads, except what their exporter leaves.
          #expect(!plan.delegates.isEmpty, "\(group)/\(name)")
          for delegate in plan.delegates {
            #expect(delegate.id == "MPSBackend")
            kinds.formUnion(try MPSGraph(delegate.payload).nodes.map(\.kind))
          }
        }
      }
    }
    #expect(MPSGraph.Kind.allCases.count == 90)
    #expect(kinds == Set(MPSGraph.Kind.allCases))
  }

  /// The folder below `refused`, the path of the field and the reason.
  private static let malformed: [(name: String, field: String, reason: String)] = [
    ("amounts_without_pairs", "mps_nodes[0].mpsnode_union.pad", "1 numbers are not pairs"),
    ("approximation_unknown", "mps_nodes[0].mpsnode_union.approximate", "\"sigmoid\" is not \"none\" or \"tanh\""),
    ("axes_miscounted", "mps_nodes[0].mpsnode_union.num_dims", "is 3, but there are 2 numbers"),
    ("axis_of_64_bits", "mps_nodes[0].mpsnode_union.dim", "there is no axis 1099511627776"),
    ("constant_inline_too_short", "mps_values[1].constant_buffer_size", "12 bytes are needed, but there are 8"),
    ("constant_is_input", "constant_ids", "the value 0 occurs twice or is an input"),
    ("constant_outside_of_segment", "mps_values[1].segment_offset", "12 bytes from byte 8 exceed the 16 available bytes"),
    ("constant_too_short", "mps_values[1].constant_buffer_size", "12 bytes are needed, but there are 8"),
    ("constant_without_bytes", "mps_values[1].constant_buffer_size", "12 bytes are needed, but there are 0"),
    ("extent_negative", "mps_values[2].dims", "an extent is -3"),
    ("extents_overflow", "mps_values[2].dims", "the byte count overflows"),
    ("graph_type_unknown", "graph_type", "2 is not a known type of graph"),
    ("groups_of_nothing", "mps_nodes[0].mpsnode_union.group_size", "groups of 0"),
    ("header_truncated", "header.data_segment_size", "a value of 8 bytes at byte 16 exceeds the 20 available bytes"),
    ("header_without_identifier", "header", "the identifier is not \"MP00\""),
    ("input_id_unknown", "input_ids", "there is no value 3, only 3"),
    ("node_unknown", "mps_nodes[0].mpsnode_union", "91 is not a known kind of node"),
    ("operand_absent", "mps_nodes[0].mpsnode_union.input2_id", "there is no value -1, only 3"),
    (
      "operand_not_written", "mps_nodes[0].mpsnode_union.input2_id",
      "the value 2 is neither constant nor input nor written by an earlier node"
    ),
    ("operand_unknown", "mps_nodes[0].mpsnode_union.input2_id", "there is no value 9, only 3"),
    ("output_id_negative", "output_ids", "there is no value -2, only 3"),
    ("output_not_written", "output_ids[0]", "the value 2 is not written by any node"),
    ("pieces_miscounted", "mps_nodes[0].mpsnode_union.output_ids", "1 results for 2 sizes"),
    ("rank_of_other_extents", "mps_values[2].num_dims", "the rank is 3, but there are 2 extents"),
    ("result_unknown", "mps_nodes[0].mpsnode_union.output_id", "there is no value 3, only 3"),
    ("rounding_unknown", "mps_nodes[0].mpsnode_union.rounding_mode", "\"up\" is not \"floor\" or \"trunc\""),
    ("segment_inside_of_header", "header.data_segment_offset", "16 is inside of the header"),
    (
      "segment_outside_of_payload", "header.data_segment_size",
      "16 bytes from byte 1099511627776 exceed the 336 available bytes"
    ),
    ("segment_too_long", "header.data_segment_size", "9223372036854775808 bytes from byte 320 exceed the 336 available bytes"),
    ("type_invalid", "mps_values[2].datatype", "0 is not a known data type"),
    ("type_unknown", "mps_values[2].datatype", "77 is not a known data type"),
  ]

  @Test(arguments: malformed.indices)
  func `Malformed payloads are invalid files, and the message leads to the field`(index: Int) throws {
    let (name, field, reason) = Self.malformed[index]
    let model = try Model(contentsOf: Self.folder.appendingPathComponent("refused/\(name)/model.pte"))
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .invalidFile)
    #expect(error?.file?.hasSuffix("refused/\(name)/model.pte") == true)
    #expect(error?.field == "forward.chains[0].instructions[0].MPSBackend.mps.\(field)")
    #expect(error?.reason == reason)
  }

  /// The folder below `refused`, the node's operation, if the error concerns one, and the reason.
  private static let meaningless: [(name: String, node: String?, reason: String)] = [
    ("argument_missing", nil, "1 arguments for 1 inputs and 1 outputs"),
    ("axis_out_of_range", "softmax", "axis 2 does not fit rank 2"),
    ("bits_of_fractions", "bitwiseAnd", "is not supported for float32"),
    ("cast_to_complex_half", "cast", "values of type complexFloat16 are not supported here"),
    ("groups_of_an_input", "dequantizePerChannelGroup", "the weights are not constant"),
    ("input_of_other_type", nil, "the input 0 is float32[2, 3] where the payload has int64"),
    ("shape_other_than_declared", "add", "has a shape [2, 3] where the payload declares [3, 2]"),
    ("step_of_nothing", "slice", "a step of 0"),
  ]

  @Test(arguments: meaningless.indices)
  func `Payloads without a meaning are refused by method, instruction and node`(index: Int) throws {
    let (name, node, reason) = Self.meaningless[index]
    let model = try Model(contentsOf: Self.folder.appendingPathComponent("refused/\(name)/model.pte"))
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .unsupported)
    #expect(error?.method == "forward")
    #expect(error?.operator == node ?? "MPSBackend")
    #expect(error?.node == "instruction 0 of chain 0" + (node == nil ? "" : ", MPSBackend, node 0"))
    #expect(error?.reason == reason)
  }

  @Test func `Every refused program has its test`() {
    #expect(Self.names("refused") == (Self.malformed.map(\.name) + Self.meaningless.map(\.name)).sorted())
  }

  @Test func `An inspection shows the nodes of the payloads`() throws {
    let file = Self.folder.appendingPathComponent("exported/linear_fp16/model.pte")
    let delegate = try #require(try ModelInspection(contentsOf: file).methods.first?.delegates.first)
    #expect(delegate.id == "MPSBackend")
    #expect(delegate.problem == nil)
    #expect(delegate.operators?.map(\.name) == ["cast", "addmm", "permute"])
  }
}
