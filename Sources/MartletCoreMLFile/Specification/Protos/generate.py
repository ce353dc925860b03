#!/usr/bin/env python3
"""Writes ../Generated from the .proto files of this folder: typed views of serialised messages, and the table that they are checked against.

    python3 generate.py

Understands what these files use of proto3: messages, enumerations, oneofs, maps, repeated fields.
"""
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent
SCALARS = {
    "bool": ("bool", "Bool"), "float": ("float", "Float"), "double": ("double", "Double"), "string": ("string", "String"),
    "bytes": ("data", "[UInt8]"), "int32": ("int32", "Int32"), "int64": ("int64", "Int64"), "uint32": ("uint32", "UInt32"),
    "uint64": ("uint64", "UInt64"),
}
# The kinds of fields of `ProtobufSchema`; bytes are none of them.
VARINT, FIXED64, FIXED32, TEXT, MESSAGE, BYTES = range(6)
KINDS = {"double": FIXED64, "float": FIXED32, "string": TEXT, "bytes": BYTES}
RESERVED = {"default", "repeat", "in", "self", "return", "where", "init", "operator"}


class Message:
    def __init__(self, name, parent, prefix):
        self.name, self.parent, self.prefix = name, parent, prefix
        self.fields, self.oneofs, self.messages, self.enums = [], {}, [], []

    @property
    def swift(self):
        """The Swift name with those of the types around it."""
        return f"{self.parent.swift}.{self.swift_name}" if self.parent else self.swift_name

    @property
    def swift_name(self):
        return self.name if self.parent else self.prefix + self.name

    def all(self):
        yield self
        for message in self.messages:
            yield from message.all()


class Enumeration:
    def __init__(self, name, parent, prefix):
        self.name, self.parent, self.prefix, self.cases = name, parent, prefix, []

    swift_name = Message.swift_name
    swift = Message.swift


class Field:
    def __init__(self, type, name, number, repeated=False, key=None, oneof=None):
        self.type, self.name, self.number, self.repeated, self.key, self.oneof = type, name, number, repeated, key, oneof


def words(name):
    """The words of a name: an upper-case letter after a lower-case one begins a word, and so does a number."""
    found, last = [], ""
    for character in name:
        kind = "A" if character.isupper() else "a" if character.islower() else character if character == "_" else "0"
        continues = found and ((kind == "A" and last == "A") or (kind == "a" and last in ("a", "A")) or (kind == "0" and last == "0"))
        if kind != "_":
            if continues:
                found[-1] += character.lower()
            else:
                found.append(character.lower())
        last = kind
    return found


def lower_camel(name):
    first, *others = words(name)
    return first + "".join({"id": "ID", "url": "URL"}.get(word, word.capitalize()) for word in others)


def case_name(name):
    name = lower_camel(name)
    return f"`{name}`" if name in RESERVED else name


def variable(name):
    name = lower_camel(name)
    # `hasBias` says that there is a field `bias`.
    if re.match("has[A-Z]", name):
        return name + "_p"
    return {"description": "description_p", "hashValue": "hashValue_p"}.get(name, f"`{name}`" if name in RESERVED else name)


def upper_camel(name):
    return "".join(word.capitalize() for word in words(name))


def parse(path):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    tokens = re.findall(r'"[^"]*"|[\w.]+|[{}=;<>,\[\]-]', text)
    prefix = re.search(r'swift_prefix = "(\w+)"', text)[1]
    position = 0

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def number():
        token = take()
        return -int(take()) if token == "-" else int(token)

    def skip_to_semicolon():
        while take() != ";":
            pass

    def enumeration(parent):
        result = Enumeration(take(), parent, prefix)
        take()
        while (name := take()) != "}":
            take()
            result.cases.append((name, number()))
            skip_to_semicolon()
        return result

    def field(message, token, oneof=None):
        repeated = token == "repeated"
        type = take() if repeated else token
        key = None
        if type == "map":
            take()
            key = take()
            take()
            type = take()
            take()
        name = take()
        take()
        message.fields.append(Field(type, name, number(), repeated, key, oneof))
        skip_to_semicolon()

    def message(parent):
        result = Message(take(), parent, prefix)
        take()
        while (token := take()) != "}":
            if token == "message":
                result.messages.append(message(result))
            elif token == "enum":
                result.enums.append(enumeration(result))
            elif token == "oneof":
                oneof = take()
                result.oneofs[oneof] = []
                take()
                while (token := take()) != "}":
                    field(result, token, oneof)
                    result.oneofs[oneof].append(result.fields[-1])
            elif token == "reserved":
                skip_to_semicolon()
            else:
                field(result, token)
        return result

    messages, enums = [], []
    while position < len(tokens):
        token = take()
        if token == "message":
            messages.append(message(None))
        elif token == "enum":
            enums.append(enumeration(None))
        else:
            skip_to_semicolon()
    return messages, enums


files = {path: parse(path) for path in sorted(FOLDER.glob("*.proto"))}
messages = [inner for tops, _ in files.values() for top in tops for inner in top.all()]
index = {id(message): position for position, message in enumerate(messages)}


def resolve(name, scope):
    """The message or enumeration that a name means in a message."""
    parts = name.split(".")
    around = scope
    while around:
        for start in around.messages + around.enums + [around]:
            if start.name == parts[0] and (found := descend(start, parts[1:])):
                return found
        around = around.parent
    prefix = scope.prefix
    if parts[0] == "mil":
        parts, prefix = parts[1:], "MILSpec"
    for tops, enums in files.values():
        for start in tops + enums:
            if start.name == parts[0] and start.prefix == prefix and (found := descend(start, parts[1:])):
                return found
    raise SystemExit(f"{scope.swift}: {name} is unknown")


def descend(start, parts):
    for part in parts:
        start = next((inner for inner in start.messages + start.enums if inner.name == part), None) if isinstance(start, Message) else None
        if start is None:
            return None
    return start


def entry_kinds(field, message):
    """The kinds of the two fields of a map's entry, with the message's number."""
    return [(1, *kind_of(field.key, message)), (2, *kind_of(field.type, message))]


def kind_of(type, message):
    if type in SCALARS:
        return KINDS.get(type, VARINT), 0
    found = resolve(type, message)
    return (MESSAGE, index[id(found)]) if isinstance(found, Message) else (VARINT, 0)


def value(type, message, number, form="{}"):
    """An expression for a field, and its Swift type."""
    if type in SCALARS:
        reader, swift = SCALARS[type]
        return f"fields.{reader}({number})", swift
    found = resolve(type, message)
    if isinstance(found, Message):
        return f"{found.swift}(fields.message({number}))", found.swift
    return f"{found.swift}(rawValue: fields.enumeration({number}))", found.swift


def property(field, message):
    name = variable(field.name)
    if field.key:
        key = SCALARS[field.key]
        if field.type in SCALARS:
            element, swift = f"$0.{SCALARS[field.type][0]}(2)", SCALARS[field.type][1]
        else:
            swift = resolve(field.type, message).swift
            element = f"{swift}($0.message(2))"
        yield f"var {name}: [{key[1]}: {swift}] {{"
        yield f"  Dictionary(fields.messages({field.number}).map {{ ($0.{key[0]}(1), {element}) }}) {{ $1 }}"
        yield "}"
    elif field.repeated and field.type in SCALARS:
        reader, swift = SCALARS[field.type]
        yield f"var {name}: [{swift}] {{ fields.{reader}s({field.number}) }}"
    elif field.repeated:
        found = resolve(field.type, message)
        read = (
            f"fields.messages({field.number}).map {{ {found.swift}($0) }}" if isinstance(found, Message)
            else f"fields.enumerations({field.number}).map {{ {found.swift}(rawValue: $0) }}")
        yield f"var {name}: [{found.swift}] {{ {read} }}"
    else:
        expression, swift = value(field.type, message, field.number)
        yield f"var {name}: {swift} {{ {expression} }}"
        if field.type not in SCALARS and isinstance(resolve(field.type, message), Message):
            yield f"var has{upper_first(name)}: Bool {{ fields.contains({field.number}) }}"


def upper_first(name):
    return name[:1].upper() + name[1:]


def choice(name, fields, message):
    type = "OneOf_" + upper_camel(name)
    yield f"enum {type}: Sendable {{"
    for field in fields:
        yield f"  case {case_name(field.name)}({value(field.type, message, 0)[1]})"
    yield "}"
    wire_types = {VARINT: 0, FIXED64: 1, FIXED32: 5}
    keys = sorted(field.number << 3 | wire_types.get(kind_of(field.type, message)[0], 2) for field in fields)
    yield f"var {variable(name)}: {type}? {{"
    yield f"  let fields = self.fields.choice({keys})"
    yield "  switch fields.chosen {"
    for field in fields:
        yield f"  case {field.number}: return .{case_name(field.name)}({value(field.type, message, field.number)[0]})"
    yield "  default: return nil"
    yield "  }"
    yield "}"
    for field in fields:
        if field.type not in SCALARS and isinstance(found := resolve(field.type, message), Message):
            yield f"var {variable(field.name)}: {found.swift} {{"
            yield f"  if case .{case_name(field.name)}(let value)? = {variable(name)} {{ value }} else {{ {found.swift}(.empty) }}"
            yield "}"


def enumeration(enum):
    yield f"enum {enum.swift_name}: Hashable, Sendable {{"
    prefix = "".join(words(enum.name))

    def name(case):
        rest = words(case)
        joined = ""
        for position, word in enumerate(rest[:-1]):
            joined += word
            if joined == prefix and not rest[position + 1][0].isdigit():
                return case_name("_".join(rest[position + 1:]))
        return case_name(case)

    for case, _ in enum.cases:
        yield f"  case {name(case)}"
    yield "  case UNRECOGNIZED(Int)"
    yield "  init(rawValue: Int) {"
    yield "    switch rawValue {"
    for case, number in enum.cases:
        yield f"    case {number}: self = .{name(case)}"
    yield "    default: self = .UNRECOGNIZED(rawValue)"
    yield "    }"
    yield "  }"
    yield "  var rawValue: Int {"
    yield "    switch self {"
    for case, number in enum.cases:
        yield f"    case .{name(case)}: {number}"
    yield "    case .UNRECOGNIZED(let value): value"
    yield "    }"
    yield "  }"
    yield "}"


def structure(message):
    yield f"struct {message.swift_name}: ProtobufMessage {{"
    yield f"  static var number: Int {{ {index[id(message)]} }}"
    yield "  let fields: MessageFields"
    yield "  init(_ fields: MessageFields) { self.fields = fields }"
    for field in message.fields:
        if not field.oneof:
            yield from ("  " + line for line in property(field, message))
    for name, fields in message.oneofs.items():
        yield from ("  " + line for line in choice(name, fields, message))
    for enum in message.enums:
        yield from ("  " + line for line in enumeration(enum))
    for inner in message.messages:
        yield from ("  " + line for line in structure(inner))
    yield "}"


def table():
    """The fields of every message that need a check: number, kind, and number of the message in it; entries of maps are messages at the end."""
    entries, rows = [], []
    for message in messages:
        row = []
        for field in sorted(message.fields, key=lambda field: field.number):
            kind, inner = kind_of(field.type, message)
            if field.key:
                entries.append([number for entry in entry_kinds(field, message) if entry[1] in (TEXT, MESSAGE) for number in entry])
                kind, inner = MESSAGE, len(messages) + len(entries) - 1
            # A single number is read only where it has its wire type, and bytes may be anything.
            if kind in (TEXT, MESSAGE) or field.repeated and kind != BYTES:
                row += [field.number, kind, inner]
        rows.append((message.swift, row))
    rows += [("An entry of a map", row) for row in entries]
    return rows


HEADER = "// Written by generate.py from {}; not to be edited.\n// swift-format-ignore-file\n\n"
generated = FOLDER.parent / "Generated"
generated.mkdir(exist_ok=True)
for path, (tops, enums) in files.items():
    lines = [line for enum in enums for line in enumeration(enum)] + [line for top in tops for line in structure(top)]
    (generated / f"{path.stem}.swift").write_text(HEADER.format(path.name) + "\n".join(lines) + "\n")
rows = table()
text = HEADER.format("the .proto files")
text += "extension ProtobufSchema {\n  /// The messages of the Core ML model format, by `ProtobufMessage.number`.\n"
text += "  static let coreML = ProtobufSchema(messageCount: " + str(len(rows)) + ", fields)\n}\n\n"
text += "/// For each message the count of its fields; for each field its number, its kind, and the number of the message in it.\n"
text += "private let fields: [UInt16] = [\n"
for name, row in rows:
    text += f"  // {name}\n  {', '.join(map(str, [len(row) // 3] + row))},\n"
text += "]\n"
(generated / "Schema.swift").write_text(text)
