"""Payloads with one error each."""
import struct

import torch

from mps_cases.payload import Payload, random


def make_refused(w):
    """Each has one error."""
    x = random(2, 3)

    def sum_of(change=None, constants="segment"):
        p = Payload(constants)
        p.binary("Add", p.input(x), p.constant(random(3)), p.output((2, 3)), alpha=1)
        if change is not None:
            change(p.graph)
        return p

    def refuse(name, change=None, damage=lambda data: data, outputs=((torch.float32, (2, 3)),), constants="segment"):
        w.refused(name, sum_of(change, constants), [x], list(outputs), damage)

    def put(format, offset, value):
        def damage(data):
            struct.pack_into(format, data, offset, value)
            return data
        return damage

    refuse("header_truncated", damage=lambda data: data[:20])
    refuse("header_without_identifier", damage=put("<I", 4, 0x30304558))
    refuse("segment_inside_of_header", damage=put("<Q", 8, 16))
    refuse("segment_outside_of_payload", damage=put("<Q", 8, 1 << 40))
    refuse("segment_too_long", damage=put("<Q", 16, 1 << 63))
    refuse("constant_outside_of_segment", lambda g: g["mps_values"][1].update(segment_offset=8))
    refuse("constant_too_short", lambda g: g["mps_values"][1].update(constant_buffer_size=8))
    refuse("constant_without_bytes", lambda g: g["mps_values"][1].update(constant_buffer_size=0))
    refuse("constant_inline_too_short", lambda g: g["mps_values"][1].update(constant_buffer={"storage": [0] * 8}), constants="headerless")
    refuse("extents_overflow", lambda g: g["mps_values"][2].update(dims=[2**31 - 1] * 3, num_dims=3))
    refuse("extent_negative", lambda g: g["mps_values"][2].update(dims=[2, -3]))
    refuse("rank_of_other_extents", lambda g: g["mps_values"][2].update(num_dims=3))
    refuse("type_unknown", lambda g: g["mps_values"][2].update(datatype=77))
    refuse("type_invalid", lambda g: g["mps_values"][2].update(datatype=0))
    refuse("graph_type_unknown", lambda g: g.update(graph_type=2))
    refuse("input_id_unknown", lambda g: g.update(input_ids=[3]))
    refuse("output_id_negative", lambda g: g.update(output_ids=[-2]))
    refuse("constant_is_input", lambda g: g.update(constant_ids=[0, 1]))
    refuse("output_not_written", lambda g: g["mps_nodes"].clear())
    refuse("operand_unknown", lambda g: g["mps_nodes"][0]["mpsnode_union"].update(input2_id=9))
    refuse("operand_absent", lambda g: g["mps_nodes"][0]["mpsnode_union"].update(input2_id=-1))
    refuse("operand_not_written", lambda g: g["mps_nodes"][0]["mpsnode_union"].update(input2_id=2))
    refuse("result_unknown", lambda g: g["mps_nodes"][0]["mpsnode_union"].update(output_id=3))

    def unknown_member(data):
        # The tag of the only node: that of MPSAdd, 7, in front of the tables.
        position = next(i for i in range(24, len(data)) if data[i] == 7 and data[i - 3:i] == b"\0\0\0" and i % 4 == 3)
        data[position] = 91
        return data

    refuse("node_unknown", damage=unknown_member)
    refuse("shape_other_than_declared", lambda g: g["mps_values"][2].update(dims=[3, 2]), outputs=[(torch.float32, (3, 2))])
    refuse("input_of_other_type", lambda g: g["mps_values"][0].update(datatype="mps_data_type_int64"))
    refuse("argument_missing", outputs=[])

    def other_node(kind, **fields):
        def change(g):
            g["mps_nodes"][0] = {"mpsnode_union_type": f"MPS{kind}", "mpsnode_union": {"input1_id": 0, "output_id": 2} | fields}
        return change

    refuse("approximation_unknown", other_node("GELU", approximate="sigmoid"))
    refuse("rounding_unknown", other_node("Div", input2_id=1, rounding_mode="up"))
    refuse("amounts_without_pairs", other_node("ConstantPadND", pad=[1]))
    refuse("axes_miscounted", other_node("Permute", perm=[1, 0], num_dims=3))
    refuse("axis_out_of_range", other_node("Softmax", dim=2))
    refuse("axis_of_64_bits", other_node("Slice", dim=2**40, start=0, end=1, step=1))
    refuse("step_of_nothing", other_node("Slice", dim=0, start=0, end=2, step=0))
    refuse("pieces_miscounted", lambda g: g["mps_nodes"].__setitem__(
        0, {"mpsnode_union_type": "MPSSplitWithSizes",
            "mpsnode_union": {"input1_id": 0, "output_ids": [2], "split_sizes": [1, 1], "dim": 0}}))
    refuse("groups_of_nothing", other_node("DequantizePerChannelGroup", scales_id=1, group_size=0))
    refuse("groups_of_an_input", other_node("DequantizePerChannelGroup", scales_id=1, zero_points_id=-1, group_size=3))
    refuse("bits_of_fractions", other_node("BitwiseAnd", input2_id=1))
    refuse("cast_to_complex_half", other_node("Cast", dtype="mps_data_type_complex_float16"))
