"""Builds models of neural networks and writes recorded cases."""

import json
import zlib
from pathlib import Path

import numpy as np
from coremltools.proto import FeatureTypes_pb2, Model_pb2, NeuralNetwork_pb2 as nn
from PIL import Image

import network_interpreter as interpreter

EXACT, OLD = "exact", "old"
F32, F64, I32 = "float32", "float64", "int32"
TYPE_CODES = {F32: FeatureTypes_pb2.ArrayFeatureType.FLOAT32, F64: FeatureTypes_pb2.ArrayFeatureType.DOUBLE,
              I32: FeatureTypes_pb2.ArrayFeatureType.INT32}
COLORS = {"rgb": FeatureTypes_pb2.ImageFeatureType.RGB, "bgr": FeatureTypes_pb2.ImageFeatureType.BGR,
          "gray": FeatureTypes_pb2.ImageFeatureType.GRAYSCALE}

# Layers of specification 5; those numbered from 600 on are of 4, the others of 1.
VERSION_5 = {"oneHot", "cumSum", "clampedReLU", "argSort", "pooling3d", "globalPooling3d", "sliceBySize", "convolution3d"}
NUMBERS = {field.name: field.number for field in nn.NeuralNetworkLayer.DESCRIPTOR.oneofs_by_name["layer"].fields}


class Weights:
    """A WeightParams message: given values, or random levels of a quantised form.

    form: "f32", "f16", ("linear", bits, one scale per channel, has bias), ("table", bits), "int8".
    """

    def __init__(self, values=None, form="f32", shape=None, channels=1, rng=None, spread=1.0):
        self.values, self.form, self.shape, self.channels, self.rng, self.spread = values, form, shape, channels, rng, spread

    def write(self, message):
        if self.form in ("f32", "f16"):
            values = np.asarray(self.values, np.float32).reshape(-1)
            if self.form == "f32":
                message.floatValue.extend(values.tolist())
            else:
                message.float16Value = values.astype("<f2").tobytes()
            return
        count = int(np.prod(self.shape))
        rng, quantization = self.rng, message.quantization
        if self.form == "int8":
            message.int8RawValue = rng.integers(-127, 128, count).astype(np.int8).tobytes()
            quantization.numberOfBits = 8
            quantization.linearQuantization.scale.append(self.spread / 127)
            return
        kind, bits = self.form[:2]
        quantization.numberOfBits = bits
        levels = rng.integers(0, 1 << bits, count)
        message.rawValue = pack_bits(levels, bits)
        if kind == "table":
            quantization.lookupTableQuantization.floatValue.extend(
                rng.normal(size=1 << bits).astype(np.float32).tolist())
            return
        per_channel, biased = self.form[2:]
        entries = self.channels if per_channel else 1
        top = max(1, (1 << bits) - 1)
        scale = (rng.uniform(0.5, 1.5, entries) * 2 * self.spread / top).astype(np.float32)
        quantization.linearQuantization.scale.extend(scale.tolist())
        if biased:
            quantization.linearQuantization.bias.extend((-scale * top / 2 + rng.uniform(-0.1, 0.1, entries)).astype(np.float32).tolist())


def pack_bits(levels, bits):
    """Unsigned levels, the most significant bit first."""
    stream = (levels[:, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(stream.reshape(-1).astype(np.uint8)).tobytes()


def assign(message, values):
    """Sets the fields of a message from a dictionary."""
    for name, value in values.items():
        field = message.DESCRIPTOR.fields_by_name[name]
        if isinstance(value, Weights):
            value.write(getattr(message, name))
        elif field.message_type is not None:
            if isinstance(value, list):
                for item in value:
                    assign(getattr(message, name).add(), item)
            elif isinstance(value, nn.NeuralNetwork):
                getattr(message, name).CopyFrom(value)
                getattr(message, name).SetInParent()
            else:
                getattr(message, name).SetInParent()
                assign(getattr(message, name), value)
        elif isinstance(value, (list, tuple, np.ndarray)):
            getattr(message, name).extend([v.item() if isinstance(v, np.generic) else v for v in value])
        elif field.enum_type is not None and isinstance(value, str):
            setattr(message, name, field.enum_type.values_by_name[value].number)
        else:
            setattr(message, name, value.item() if isinstance(value, np.generic) else value)


def add_layer(network, kind, inputs, outputs, params=None, name=None):
    layer = network.layers.add()
    layer.name = name or f"{kind}_{len(network.layers)}"
    layer.input.extend(inputs)
    layer.output.extend(outputs)
    getattr(layer, kind).SetInParent()
    assign(getattr(layer, kind), params or {})
    return layer


def block(*layers):
    """A network inside a layer: tuples of kind, inputs, outputs and parameters."""
    network = nn.NeuralNetwork()
    for layer in layers:
        add_layer(network, *layer)
    return network


def kinds_of(layers):
    for layer in layers:
        kind = layer.WhichOneof("layer")
        yield kind, layer
        if kind == "branch":
            yield from kinds_of(layer.branch.ifBranch.layers)
            yield from kinds_of(layer.branch.elseBranch.layers)
        elif kind == "loop":
            yield from kinds_of(layer.loop.conditionNetwork.layers)
            yield from kinds_of(layer.loop.bodyNetwork.layers)


class Net:
    """A model under construction."""

    def __init__(self, mapping=EXACT, kind="neuralNetwork", version=None, image_rank4=None):
        self.model = Model_pb2.Model()
        self.mapping, self.version = mapping, version
        self.network = getattr(self.model, kind)
        self.network.SetInParent()
        self.flexible = False
        if mapping == EXACT:
            self.network.arrayInputShapeMapping = nn.EXACT_ARRAY_MAPPING
        if image_rank4 if image_rank4 is not None else mapping == EXACT:
            self.network.imageInputShapeMapping = nn.RANK4_IMAGE_MAPPING

    def array(self, name, shape, dtype=F32, optional=None, ranges=None, enumerated=None):
        feature = self.model.description.input.add(name=name)
        array = feature.type.multiArrayType
        array.shape.extend(int(e) for e in shape)
        array.dataType = TYPE_CODES[dtype]
        if optional is not None:
            feature.type.isOptional = True
            if optional is not True:
                setattr(array, {F32: "floatDefaultValue", F64: "doubleDefaultValue", I32: "intDefaultValue"}[dtype], optional)
        for low, high in ranges or []:
            array.shapeRange.sizeRanges.add(lowerBound=low, upperBound=high)
        for shape in enumerated or []:
            array.enumeratedShapes.shapes.add(shape=shape)
        self.flexible = self.flexible or bool(ranges or enumerated)
        return self

    def image(self, name, width, height, color, ranges=None, enumerated=None):
        feature = self.model.description.input.add(name=name)
        set_image(feature.type.imageType, width, height, color, ranges, enumerated)
        self.flexible = self.flexible or bool(ranges or enumerated)
        return self

    def layer(self, kind, inputs, outputs, params=None):
        add_layer(self.network, kind, inputs, outputs, params)
        return self

    def output(self, name, shape=(), dtype=F32):
        array = self.model.description.output.add(name=name).type.multiArrayType
        array.shape.extend(int(e) for e in shape)
        array.dataType = TYPE_CODES[dtype]
        return self

    def image_output(self, name, width, height, color):
        set_image(self.model.description.output.add(name=name).type.imageType, width, height, color)
        return self

    def specification_version(self):
        kinds = {kind for kind, _ in kinds_of(self.network.layers)}
        version = 5 if kinds & VERSION_5 else 4 if self.mapping == EXACT or any(NUMBERS[k] >= 600 for k in kinds) else 1
        text = str(self.model)
        if "DefaultValue" in text or "int8DynamicQuantize" in text or "PIXEL_SHUFFLE" in text or "interleave" in text:
            version = max(version, 5)
        if "lowerBound" in text or "enumeratedS" in text or "rawValue" in text or "float16Value" in text:
            version = max(version, 3)
        return self.version or version


def set_image(image, width, height, color, ranges=None, enumerated=None):
    image.width, image.height, image.colorSpace = width, height, COLORS[color]
    if ranges:
        (image.imageSizeRange.widthRange.lowerBound, image.imageSizeRange.widthRange.upperBound), \
            (image.imageSizeRange.heightRange.lowerBound, image.imageSizeRange.heightRange.upperBound) = ranges
    for w, h in enumerated or []:
        image.enumeratedSizes.sizes.add(width=w, height=h)


class Suite:
    """Writes cases and keeps what they cover."""

    def __init__(self, out, fixture, only):
        self.out, self.fixture, self.only = Path(out), fixture, only
        self.index, self.coverage, self.total, self.failed = [], {}, 0, []
        self.taken = set()

    def save(self, name, net, inputs, rtol=1e-4, atol=1e-5, notes="", core=False, model_of=None, atol_of=None):
        """Writes one case. core: part of the committed set whatever else covers its layers."""
        if self.only and self.only not in name or self.fixture and not core:
            return
        assert name not in self.taken, name
        self.taken.add(name)
        try:
            self.write(name, net, inputs, rtol, atol, notes, core, model_of, atol_of)
        except Exception as error:
            self.failed.append(f"{name}: {type(error).__name__}: {error}")
            raise

    def write(self, name, net, inputs, rtol, atol, notes, core, model_of, atol_of):
        model = net.model
        declared = {feature.name: feature for feature in model.description.input}
        given = {}
        for key, value in inputs.items():
            value = np.asarray(value)
            if declared[key].type.WhichOneof("Type") == "multiArrayType":
                value = value.astype(interpreter.ARRAY_TYPES[declared[key].type.multiArrayType.dataType])
            given[key] = value

        def observe(layer, values, results):
            if net.mapping != EXACT:
                return
            for tensors, blobs in ((layer.inputTensor, values), (layer.outputTensor, results)):
                del tensors[:]
                for blob in blobs:
                    dims = [-1] * blob.ndim if net.flexible else blob.shape
                    tensors.add(rank=blob.ndim, dimValue=dims)

        results = interpreter.predict(model, given, observe if model_of is None else None)
        model.specificationVersion = net.specification_version()
        layers = sorted({kind for kind, _ in kinds_of(net.network.layers)})
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        case = {"name": name, "family": "network", "model": "model.mlmodel" if model_of is None else f"../{model_of}/model.mlmodel",
                "inputs": {}, "outputs": {}, "rtol": rtol, "atol": atol, "oracle": "network_interpreter.py, float64",
                "notes": notes or ", ".join(layers)}
        for key, value in given.items():
            if declared[key].type.WhichOneof("Type") == "imageType":
                Image.fromarray(value).save(folder / f"in_{key}.png")
                case["inputs"][key] = {"image": f"in_{key}.png"}
            else:
                np.save(folder / f"in_{key}.npy", value)
                case["inputs"][key] = {"file": f"in_{key}.npy"}
        kinds = {f.name: f.type for f in model.description.output}
        for key, value in results.items():
            if isinstance(value, dict):
                keys = "int64" if isinstance(next(iter(value)), int) else "string"
                case["outputs"][key] = {"dictionary": {str(k): v for k, v in value.items()}, "keys": keys}
            elif isinstance(value, str):
                case["outputs"][key] = {"string": value}
            elif isinstance(value, int):
                case["outputs"][key] = {"int": value}
            elif kinds[key].WhichOneof("Type") == "imageType":
                Image.fromarray(value).save(folder / f"out_{key}.png")
                case["outputs"][key] = {"image": f"out_{key}.png"}
            else:
                if not np.isfinite(value).all():
                    raise ValueError(f"{key} is not finite")
                if value.size == 0:
                    raise ValueError(f"{key} is empty")
                if kinds[key].multiArrayType.dataType == TYPE_CODES[I32]:
                    value = np.rint(value)
                np.save(folder / f"out_{key}.npy", np.ascontiguousarray(value.astype(interpreter.ARRAY_TYPES[kinds[key].multiArrayType.dataType])))
                case["outputs"][key] = {"file": f"out_{key}.npy"}
        if atol_of is not None:
            case["atol"] = float(atol_of(results))
        if model_of is None:
            (folder / "model.mlmodel").write_bytes(model.SerializeToString())
        (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
        size = sum(f.stat().st_size for f in folder.iterdir())
        self.total += size
        self.index.append((name, layers, size, core, net.mapping))
        for layer in layers:
            self.coverage.setdefault(layer, []).append((name, net.mapping))

    def finish(self):
        (self.out / "INDEX.txt").write_text("".join(f"{n}\t{m}\t{' '.join(l)}\n" for n, l, _, _, m in self.index))
        rows = []
        for layer in NUMBERS:
            cases = self.coverage.get(layer, [])
            old = sum(m == OLD for _, m in cases)
            rows.append(f"{layer:28} exact {len(cases) - old:4}  old {old:4}" + ("" if cases else "   GAP"))
        (self.out / "COVERAGE.txt").write_text("\n".join(rows) + "\n")
        print(f"{len(self.index)} cases, {self.total / 1e6:.2f} MB, {len(self.coverage)} of {len(NUMBERS)} layers")
        for row in rows:
            if row.endswith("GAP"):
                print(row)
        missing = [layer for layer, number in NUMBERS.items() if number < 500 and not any(m == OLD for _, m in self.coverage.get(layer, []))]
        if missing and not self.only:
            print("without a case under the old mapping:", *missing)


def seeded(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def normal(rng, shape, low=-2.0, high=2.0):
    """Values in steps of 1/64 between the bounds, exact in half precision."""
    return (np.round(rng.uniform(low, high, shape) * 64) / 64).astype(np.float32)


def single(suite, name, kind, inputs, params=None, outputs=1, mapping=EXACT, dtypes=None, declared=None, out_shape=(), out_dtype=F32, **options):
    """A model of one layer. inputs: arrays by name, or a list; constant: the names of those that the model holds itself."""
    if not isinstance(inputs, dict):
        inputs = {f"x{i}" if len(inputs) > 1 else "x": value for i, value in enumerate(inputs)}
    net = Net(mapping, version=options.pop("version", None))
    dtypes, declared = dtypes or {}, declared or {}
    given = dict(inputs)
    constant = options.pop("constant", ())
    for key, value in inputs.items():
        value = np.asarray(value)
        if key in constant:
            net.layer("loadConstantND", [], [key], {"shape": value.shape, "data": Weights(value, "f32")})
            given.pop(key)
            continue
        shape = declared.get(key, value.shape[2:] if mapping == OLD and value.ndim == 5 else value.shape)
        net.array(key, shape, dtypes.get(key, F32))
    names = [f"y{i}" for i in range(outputs)] if outputs > 1 else ["y"]
    net.layer(kind, list(inputs), names, params)
    if not inputs:
        # A model needs an input; the constant is added to it.
        net = Net(mapping).array("x", (1,) if mapping == EXACT else (1, 1, 1), F32).layer(kind, [], ["constant"], params)
        net.layer("addBroadcastable" if mapping == EXACT else "add", ["x", "constant"] if mapping == EXACT else ["constant", "x"], ["y"])
        given = {"x": np.zeros((1,) if mapping == EXACT else (1, 1, 1), np.float32)}
    for n in names:
        net.output(n, out_shape, out_dtype)
    suite.save(name, net, given, **options)


def shapes_of_ranks(ranks=(1, 2, 3, 4, 5)):
    return {rank: (2, 3, 2, 3, 4)[5 - rank:] if rank < 5 else (2, 1, 3, 2, 4) for rank in ranks}


def by_rank(suite, name, kind, params=None, ranks=(1, 2, 3, 4, 5), make=None, count=1, shapes=None, old_shape=None, **options):
    """One model with the layer once per rank."""
    rng = seeded(name)
    make = make or (lambda rng, shape: normal(rng, shape))
    net, inputs = Net(EXACT), {}
    for rank in ranks:
        shape = (shapes or shapes_of_ranks())[rank]
        names = []
        for i in range(count):
            key = f"x{rank}" + ("abcdef"[i] if count > 1 else "")
            inputs[key] = make(rng, shape)
            net.array(key, shape)
            names.append(key)
        net.layer(kind, names, [f"y{rank}"], params(rank, shape) if callable(params) else params)
        net.output(f"y{rank}")
    suite.save(name, net, inputs, **options)


CASES = []


def cases(function):
    CASES.append(function)
    return function
