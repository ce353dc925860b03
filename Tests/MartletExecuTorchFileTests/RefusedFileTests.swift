import MartletBytes
import MartletExecuTorchFile
import Testing

@Suite struct RefusedFileTests {
  /// The field at fault in each file, with `plan` for the only execution plan and `call` for its first instruction.
  private static let fields = [
    "argument_missing.pte": "call.instr_args.args[1]",
    "block_size_zero.xnn": "xnnpack.xvalues[1].xvalue_union.quant_params.group_size",
    "buffer_size_negative.pte": "plan.non_const_buffer_sizes",
    "channel_axis.xnn": "xnnpack.xvalues[1].xvalue_union.quant_params.channel_dim",
    "constant_missing.pte": "plan.values[0].val.data_buffer_idx",
    "constant_missing.xnn": "xnnpack.xvalues[1].xvalue_union.constant_buffer_idx",
    "constant_too_short.pte": "plan.values[0].val.data_buffer_idx",
    "constant_too_short.xnn": "xnnpack.xvalues[1].xvalue_union.constant_buffer_idx",
    "datatype_invalid.xnn": "xnnpack.xvalues[1].xvalue_union.datatype",
    "delegate_missing.pte": "call.instr_args.delegate_index",
    "dim_order_repeats.pte": "plan.values[2].val.dim_order",
    "dim_order_too_short.pte": "plan.values[2].val.dim_order",
    "dims_count.xnn": "xnnpack.xvalues[1].xvalue_union.num_dims",
    "dims_overflow.xnn": "xnnpack.xvalues[1].xvalue_union.dims",
    "external_constant.xnn": "xnnpack.xvalues[1].xvalue_union.constant_buffer_idx",
    "external_id_too_large.xnn": "xnnpack.xvalues[2].xvalue_union.external_id",
    "external_without_name.pte": "plan.values[0].val.extra_tensor_info.fully_qualified_name",
    "id_invalid.xnn": "xnnpack.xvalues[1]",
    "id_repeated.xnn": "xnnpack.xvalues[1]",
    "initial_value_missing.pte": "plan.values[2].val.extra_tensor_info.mutable_data_segments_idx",
    "input_missing.pte": "plan.inputs[0]",
    "input_missing.xnn": "xnnpack.xnodes[0].xnode_union.input1_id",
    "input_not_yet_written.xnn": "xnnpack.xnodes[0].xnode_union.input1_id",
    "instruction_empty.pte": "call.instr_args",
    "int_list_item_missing.pte": "plan.values[0].val.items",
    "int_list_of_tensors.pte": "plan.values[0].val.items",
    "jump_negative.pte": "call.instr_args.destination_instruction",
    "jump_too_far.pte": "call.instr_args.destination_instruction",
    "memory_id_too_large.pte": "plan.values[2].val.allocation_info.memory_id",
    "memory_id_zero.pte": "plan.values[2].val.allocation_info.memory_id",
    "move_missing.pte": "call.instr_args.move_to",
    "name_repeated.pte": "program.named_data[1].key",
    "operator_missing.pte": "call.instr_args.op_index",
    "optional_list_item_negative.pte": "plan.values[0].val.items",
    "output_is_constant.xnn": "xnnpack.xnodes[0].xnode_union.output_id",
    "output_negative.pte": "plan.outputs[0]",
    "output_unwritten.xnn": "xnnpack.xvalues[2]",
    "payload_missing.pte": "plan.delegates[0].processed.index",
    "permutation.xnn": "xnnpack.xnodes[0].xnode_union.perm",
    "planned_beyond_area.pte": "plan.values[2].val.allocation_info.memory_offset_low",
    "planned_wraps.pte": "plan.values[2].val.allocation_info.memory_offset_low",
    "row_rank.xnn": "xnnpack.xvalues[1].xvalue_union.quant_params.num_nonbatch_dims",
    "scalar_type_unknown.pte": "plan.values[2].val.scalar_type",
    "scales_missing.xnn": "xnnpack.xvalues[1].xvalue_union.quant_params.scale",
    "scales_too_few.xnn": "xnnpack.xvalues[1].xvalue_union.quant_params.scale",
    "segment_without_place.pte": "program.segments[0].size",
    "shape_dynamism_unknown.pte": "plan.values[2].val.shape_dynamism",
    "size_negative.pte": "plan.values[2].val.sizes",
    "size_overflows.pte": "plan.values[2].val.sizes",
    "slice_lengths.xnn": "xnnpack.xnodes[0].xnode_union.sizes",
    "storage_offset.pte": "plan.values[2].val.storage_offset",
    "tensor_list_of_itself.pte": "plan.values[0].val.items",
  ]

  @Test func `Every file with one thing wrong is refused, naming the field at fault`() throws {
    #expect(Set(Fixture.refused) == Set(Self.fields.keys.map { "Refused/" + $0 }))
    for name in Fixture.refused {
      let bytes = try Fixture.bytes(name)
      let error = #expect(throws: FileError.self, "\(name)") { try readAll(bytes) }
      let field = (error?.field ?? "").replacing("program.execution_plan[0]", with: "plan")
      #expect(field.replacing("plan.chains[0].instructions[0]", with: "call") == Self.fields[String(name.dropFirst("Refused/".count))])
      #expect(error?.byteOffset != nil)
    }
  }
}
