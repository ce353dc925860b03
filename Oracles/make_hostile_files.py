"""Writes small programs with what the security advisories of ExecuTorch of 2025 describe: `Tests/Fixtures/hostile`, and tokenizers that
are wrong in ways of their own: `Tests/Fixtures/hostile-tokenizers`.

  python make_hostile_files.py [--root REPOSITORY]

Each is a recorded program of one operator with one change, named after what is wrong; `FILES` names the advisories. A program is valid
as a FlatBuffer, except for the one whose list is longer than the file.

Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import struct

from make_reader_fixtures import PROGRAM_SCHEMA, flatc_to_binary, flatc_to_json, with_changes

LARGEST = 2**31 - 1


class Base:
    """The program of a recorded case as nested lists and dictionaries."""

    def __init__(self, root, case):
        data = (root / "Tests/Fixtures/ops" / case / "model.pte").read_bytes()
        self.program = flatc_to_json(PROGRAM_SCHEMA, data)
        for plan in self.program["execution_plan"]:
            for chain in plan["chains"]:
                chain.pop("stacktrace", None)
        # Recorded programs may have a header with the size of the file, which is not written again.
        self.program.pop("segments", None)
        self.plan = self.program["execution_plan"][0]
        self.values = self.plan["values"]
        self.path = ("execution_plan", 0)
        self.calls = [index for index, instruction in enumerate(self.plan["chains"][0]["instructions"])
                      if instruction["instr_args_type"] == "KernelCall"]

    def arguments(self, call=0):
        return self.plan["chains"][0]["instructions"][self.calls[call]]["instr_args"]["args"]

    def path_of_arguments(self, call=0):
        return self.path + ("chains", 0, "instructions", self.calls[call], "instr_args", "args")

    def value(self, index):
        return self.path + ("values", index, "val")

    def changed(self, *changes):
        return flatc_to_binary(PROGRAM_SCHEMA, with_changes(self.program, changes))


def extents(base, index, sizes):
    """The tensor `index` with other extents."""
    return (base.value(index), base.values[index]["val"] | {"sizes": sizes, "dim_order": list(range(len(sizes)))})


def row_copy(base, row_extent, position):
    """Copies the second input, a row, to a position of the output: one call of `et_copy_index`."""
    row, target = base.plan["inputs"][1], base.plan["outputs"][0]
    number = next(i for i, v in enumerate(base.values) if v["val_type"] == "Int")
    return base.changed(
        (base.path + ("operators",), [{"name": "executorch_prim::et_copy_index", "overload": "tensor"}]),
        (base.path + ("non_const_buffer_sizes",), [0, 1 << 20]), extents(base, row, [row_extent]),
        (base.value(number), {"int_val": position}), (base.path_of_arguments(), [target, row, number]))


def list_longer_than_memory(base):
    """The list of instruction arguments claims 2^32 - 1 elements."""
    data = bytearray(base.changed((base.path_of_arguments(), [0x5EA1, 0x5EA2, 0x5EA3])))
    place = data.index(struct.pack("<4I", 3, 0x5EA1, 0x5EA2, 0x5EA3))
    struct.pack_into("<I", data, place, 2**32 - 1)
    return bytes(data)


def files(root):
    add = Base(root, "aten_add_out__0")
    scalar = Base(root, "executorch_prim_add_Scalar__0")
    source = add.plan["inputs"][0]
    planned = next(i for i, v in enumerate(add.values) if v["val_type"] == "Tensor" and "allocation_info" in v["val"])
    return {
        # CVE-2025-30402: the size in bytes of a method's tensor overflows.
        "tensor_byte_count_overflows": add.changed(extents(add, source, [LARGEST] * 4)),
        # CVE-2025-30404: a planned buffer ends beyond the address space.
        "planned_memory_beyond_addresses": add.changed((add.path + ("non_const_buffer_sizes",), [0, 2**63 - 1])),
        # CVE-2025-30405: the end of a tensor in its planned buffer overflows.
        "planned_offset_overflows": add.changed(
            (add.value(planned) + ("allocation_info",), {"memory_id": 1, "memory_offset_low": 2**32 - 16, "memory_offset_high": 2**32 - 1})),
        # CVE-2025-54949: a row that is larger than a row of the tensor that it is copied to, and a row beyond the last.
        "row_larger_than_its_target": row_copy(add, 4096, 0),
        "row_beyond_its_target": row_copy(add, 5, 2**62),
        # CVE-2025-54950: calls with fewer arguments than the operator has, of a kernel and of a primitive.
        "kernel_arguments_missing": add.changed((add.path_of_arguments(), add.arguments()[:2])),
        "primitive_arguments_missing": scalar.changed((scalar.path_of_arguments(1), scalar.arguments(1)[:1])),
        # CVE-2025-54951: more axes than any runtime keeps room for.
        "rank_too_large": add.changed(extents(add, source, [1] * 200)),
        # CVE-2025-54952: the length of a list times the size of its elements overflows.
        "list_longer_than_memory": list_longer_than_memory(add),
    }


def byte_pairs(vocabulary=None, merges=(), **more):
    vocabulary = {"a": 0, "b": 1, "ab": 2} if vocabulary is None else vocabulary
    return json.dumps({"model": {"type": "BPE", "vocab": vocabulary, "merges": list(merges)}} | more).encode()


def pattern(text):
    return {"pre_tokenizer": {"type": "Split", "pattern": {"Regex": text}, "behavior": "Isolated", "invert": False}}


def piece(text, score=0.0, kind=1):
    content = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind])
    return b"\x0a" + bytes([len(content)]) + content


def tekken(vocabulary, **config):
    config = {"pattern": "[^\\s]+|\\s+", "num_vocab_tokens": 4, "default_vocab_size": 6, "default_num_special_tokens": 2, "version": "v3"} | config
    return json.dumps({"config": config, "vocab": vocabulary}).encode()


def tokenizers():
    """Files by their names: a format and what is wrong."""
    many = 10**8
    ranks = b"".join(b"%s %d\n" % (text, rank) for rank, text in enumerate([b"YQ==", b"Yg==", b"YWI="]))
    return {
        "pattern_nested_10000_deep.json": byte_pairs(**pattern("(" * 10000 + "a" + ")" * 10000)),
        "pattern_of_10_9_states.json": byte_pairs(**pattern("((a{1000}){1000}){1000}")),
        "pattern_wrong.json": byte_pairs(**pattern("[b-a]")),
        "id_of_10_8.json": byte_pairs({"a": many}),
        "id_negative.json": byte_pairs({"a": -1}),
        "pieces_twice.json": b'{"model":{"type":"BPE","vocab":{"a":0,"a":1},"merges":[]}}',
        "piece_of_a_merge_missing.json": byte_pairs(merges=["a b", "a c"]),
        "truncated.json": byte_pairs(merges=["a b"])[:-9],
        "nested_10000_deep.json": b'{"model":' + b"[" * 10000,
        "unknown_token_beyond_its_pieces.json": json.dumps({"model": {"type": "Unigram", "vocab": [["a", 0]], "unk_id": 7}}).encode(),
        "padding_of_10_8.json": byte_pairs(
            padding={"strategy": {"Fixed": many}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}),
        "vocabulary_of_10_8.bin": struct.pack("<5if", many, 1, 2, 4, 0, 0.0) + b"a",
        "piece_longer_than_the_file.bin": struct.pack("<4ifi", 3, 1, 2, 4, 0.0, LARGEST) + b"a",
        "rank_of_10_8.tiktoken": ranks + b"Yw== %d\n" % many,
        "wrong_base64.tiktoken": ranks + b"Y!== 3\n",
        "ranks_twice.tiktoken": ranks + b"Yw== 2\n",
        "bytes_missing.tiktoken": ranks,
        "pieces_twice.model": piece(b"<unk>", 0, 2) + piece(b"a") + piece(b"a"),
        "unknown_token_missing.model": piece(b"a") + piece(b"b"),
        "truncated.model": (piece(b"<unk>", 0, 2) + piece(b"a"))[:-3],
        "vocabulary_of_10_8_tekken.json": tekken([], default_vocab_size=many, num_vocab_tokens=many),
        "wrong_base64_tekken.json": tekken([{"rank": 0, "token_bytes": "!!", "token_str": "a"}]),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    for name, content in files(root).items():
        path = root / "Tests/Fixtures/hostile" / f"{name}.pte"
        path.write_bytes(content)
        print(f"{len(content):8d} {path.name}")
    for name, content in tokenizers().items():
        path = root / "Tests/Fixtures/hostile-tokenizers" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        print(f"{len(content):8d} {path.name}")


if __name__ == "__main__":
    main()
