"""Elementwise layers."""

import numpy as np

from .building import OLD, Net, Weights, by_rank, cases, normal, seeded, single


@cases
def unary_layers(suite):
    ranges = {"asin": (-1, 1), "acos": (-1, 1), "atanh": (-0.95, 0.95), "acosh": (1, 4), "tan": (-1.4, 1.4), "sinh": (-3, 3), "cosh": (-3, 3)}
    for kind in ("ceil", "floor", "sign", "exp2", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
                 "atanh", "erf", "copy", "getShape", "logicalNot"):
        low, high = ranges.get(kind, (-3, 3))

        def make(rng, shape):
            x = normal(rng, shape, low, high)
            if kind in ("sign", "logicalNot"):
                x[rng.random(shape) < 0.3] = 0
            return x

        by_rank(suite, f"{kind}-ranks", kind, make=make, core=True)
    by_rank(suite, "round-ranks", "round", make=lambda rng, shape: normal(rng, shape, -4, 4) + np.float32(1 / 128), core=True)
    by_rank(suite, "round-ties", "round", make=lambda rng, shape: (rng.integers(-6, 7, shape) + 0.5).astype(np.float32),
            notes="ties go to even")
    by_rank(suite, "clip-ranks", "clip", {"minVal": -0.75, "maxVal": 1.25}, core=True)
    by_rank(suite, "clampedReLU-ranks", "clampedReLU", {"alpha": 0.25, "beta": 1.0}, core=True)
    by_rank(suite, "clampedReLU-negative-alpha", "clampedReLU", {"alpha": -1.5, "beta": 0.5}, ranks=(1, 3))
    for mode in ("EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"):
        by_rank(suite, f"gelu-{mode}", "gelu", {"mode": mode}, core=True)


ACTIVATIONS = {
    "linear": {"linear": {"alpha": -1.5, "beta": 0.5}}, "ReLU": {"ReLU": {}}, "leakyReLU": {"leakyReLU": {"alpha": 0.125}},
    "thresholdedReLU": {"thresholdedReLU": {"alpha": 0.5}}, "tanh": {"tanh": {}}, "scaledTanh": {"scaledTanh": {"alpha": 1.25, "beta": 0.5}},
    "sigmoid": {"sigmoid": {}}, "sigmoidHard": {"sigmoidHard": {"alpha": 0.25, "beta": 0.375}}, "ELU": {"ELU": {"alpha": 0.75}},
    "softsign": {"softsign": {}}, "softplus": {"softplus": {}},
}


@cases
def activations(suite):
    for name, params in ACTIVATIONS.items():
        by_rank(suite, f"activation-{name}-ranks", "activation", params, core=True)
        single(suite, f"activation-{name}-old", "activation", [normal(seeded(name), (2, 3, 4))], params, mapping=OLD, core=name == "ReLU")
    x = np.array([-60, -20, -0.5, 0, 0.5, 20, 60, 90], np.float32)
    for name in ("softplus", "sigmoid", "tanh", "ELU"):
        single(suite, f"activation-{name}-large", "activation", [x], ACTIVATIONS[name])
    rng = seeded("channel activations")
    for form in ("f32", "f16"):
        for size in (1, 3):
            for kind in ("PReLU", "parametricSoftplus"):
                fields = {"alpha": Weights(normal(rng, size, 0.25, 2), form)}
                if kind == "parametricSoftplus":
                    fields["beta"] = Weights(normal(rng, size, 0.25, 2), form)
                by_rank(suite, f"activation-{kind}-{size}-{form}", "activation", {kind: fields}, ranks=(3, 4, 5),
                        shapes={3: (3, 2, 2), 4: (2, 3, 2, 2), 5: (2, 1, 3, 2, 2)}, core=form == "f32")
                single(suite, f"activation-{kind}-{size}-{form}-old", "activation", [normal(rng, (2, 2, 3, 2, 2))], {kind: fields}, mapping=OLD,
                       core=size == 3 and form == "f32")


@cases
def unary_functions(suite):
    positive = (0.25, 4)
    ranges = {"SQRT": positive, "RSQRT": positive, "INVERSE": positive, "POWER": positive, "LOG": positive}
    for kind in ("SQRT", "RSQRT", "INVERSE", "POWER", "EXP", "LOG", "ABS", "THRESHOLD"):
        low, high = ranges.get(kind, (-2, 2))
        plain = {"type": kind, "alpha": 1.5}
        by_rank(suite, f"unary-{kind}-ranks", "unary", plain, make=lambda rng, shape: normal(rng, shape, low, high), core=kind == "SQRT")
        scaled = {"type": kind, "alpha": 0.5, "epsilon": 0.125, "shift": 0.25, "scale": 1.5}
        single(suite, f"unary-{kind}-scaled", "unary", [normal(seeded(kind), (2, 3), low, high)], scaled)
        single(suite, f"unary-{kind}-old", "unary", [normal(seeded(kind), (2, 3, 2), low, high)], scaled, mapping=OLD, core=kind == "RSQRT")
        single(suite, f"unary-{kind}-old-batch", "unary", [normal(seeded(kind), (3, 2, 2, 1, 2), low, high)], plain, mapping=OLD)
    for kind in ("RSQRT", "INVERSE"):
        single(suite, f"unary-{kind}-default-epsilon", "unary", [np.array([0, 1e-6, 1e-3, 1], np.float32)], {"type": kind},
               notes="an epsilon of 0 means 1e-6", core=True)
    single(suite, "unary-scale-zero", "unary", [np.array([1, 2, 3], np.float32)], {"type": "ABS", "scale": 0, "shift": -2},
           notes="a scale of 0 means 1", core=True)
    single(suite, "unary-POWER-integers", "unary", [normal(seeded("pow"), (3, 4))], {"type": "POWER", "alpha": 3})


BROADCASTS = [((4,), (4,)), ((3, 4), (4,)), ((4,), (3, 4)), ((2, 1, 4), (3, 1)), ((2, 3, 1, 4), (3, 2, 1)), ((1,), (2, 1, 3, 2, 2)),
              ((2, 1, 3, 2, 2), (2, 4, 3, 2, 2)), ((2, 3, 4), (1,))]


@cases
def binary_layers(suite):
    compare = ("greaterThan", "greaterEqual", "lessThan", "lessEqual", "equal", "notEqual")
    logical = ("logicalAnd", "logicalOr", "logicalXor")
    arithmetic = ("add", "subtract", "multiply", "divide", "floorDiv", "mod", "pow", "max", "min")
    for kind in compare + logical + tuple(a + "Broadcastable" for a in arithmetic):
        rng = seeded(kind)
        net, inputs = Net(), {}
        for i, (a, b) in enumerate(BROADCASTS):
            for key, shape in ((f"a{i}", a), (f"b{i}", b)):
                x = normal(rng, shape, -3, 3)
                if kind in compare:
                    x = np.round(x)
                elif kind in logical:
                    x[rng.random(shape) < 0.4] = 0
                elif kind.startswith("pow") and key[0] == "a":
                    x = np.abs(x) + np.float32(0.25)
                elif kind[:3] in ("div", "flo", "mod") and key[0] == "b":
                    x = np.where(x >= 0, x + np.float32(0.5), x - np.float32(0.5))
                inputs[key] = x
                net.array(key, shape)
            net.layer(kind, [f"a{i}", f"b{i}"], [f"y{i}"]).output(f"y{i}")
        suite.save(f"{kind}-broadcast", net, inputs, core=True)
    for kind in compare:
        by_rank(suite, f"{kind}-alpha", kind, {"alpha": 1.0}, make=lambda rng, shape: np.round(normal(rng, shape)), core=True)
    for kind in ("modBroadcastable", "floorDivBroadcastable"):
        a = np.array([7, -7, 7, -7, 6, -6, 5.5, -5.5], np.float32)
        b = np.array([3, 3, -3, -3, 3, 3, -2, 2], np.float32)
        single(suite, f"{kind}-signs", kind, [a, b], notes="the result follows the divisor's sign")
    single(suite, "logicalNot-fractions", "logicalNot", [np.array([0, 0.5, -0.25, 1e-7, 3], np.float32)],
           notes="only 0 is false for the logical layers")


@cases
def limited_broadcast(suite):
    pairs = {"equal": ((2, 3, 2, 2), (2, 3, 2, 2)), "channel": ((2, 3, 2, 2), (2, 3, 1, 1)), "plane": ((2, 3, 2, 2), (2, 1, 2, 2)),
             "scalar": ((2, 3, 2, 2), (2, 1, 1, 1)), "first-small": ((2, 3, 1, 1), (2, 3, 2, 2))}
    for kind in ("add", "multiply", "average", "max", "min"):
        rng = seeded(kind)
        for label, (a, b) in pairs.items():
            if kind in ("average", "max", "min") and label in ("first-small", "scalar"):
                continue
            x, y = normal(rng, a), normal(rng, b)
            single(suite, f"{kind}-{label}", kind, [x, y])
            single(suite, f"{kind}-{label}-old", kind, [x[None], y[None]], mapping=OLD, core=label == "channel")
        by_rank(suite, f"{kind}-three-ranks", kind, count=3, core=True)
        single(suite, f"{kind}-old-three", kind, [normal(rng, (2, 3, 4)) for _ in range(3)], mapping=OLD)
        single(suite, f"{kind}-old-vectors", kind, [normal(rng, (5,)), normal(rng, (5,))], mapping=OLD, out_shape=(5,))
    for kind in ("add", "multiply"):
        by_rank(suite, f"{kind}-alpha-ranks", kind, {"alpha": -1.5}, core=True)
        single(suite, f"{kind}-alpha-old", kind, [normal(seeded(kind), (2, 3, 4))], {"alpha": 2.5}, mapping=OLD, core=True)
        single(suite, f"{kind}-alpha-zero", kind, [normal(seeded(kind), (4,))], {}, notes="an alpha of 0 is 0")


@cases
def scale_and_bias(suite):
    c, h, w = 3, 2, 4
    shapes = {"1": (1,), "C": (c,), "1HW": (1, h, w), "CHW": (c, h, w)}
    for s, scale in shapes.items():
        for b, bias in [(None, None)] + list(shapes.items()):
            name = f"scale-{s}-{b or 'none'}"
            rng = seeded(name)
            params = {"shapeScale": scale, "scale": Weights(normal(rng, scale))}
            if bias:
                params |= {"hasBias": True, "shapeBias": bias, "bias": Weights(normal(rng, bias))}
            by_rank(suite, name, "scale", params, ranks=(3, 4, 5), shapes={3: (c, h, w), 4: (2, c, h, w), 5: (2, 1, c, h, w)},
                    core=s == b)
            single(suite, name + "-old", "scale", [normal(rng, (c, h, w))], params, mapping=OLD, core=s == "C" and b == "CHW")
    for b, bias in shapes.items():
        name = f"bias-{b}"
        rng = seeded(name)
        params = {"shape": bias, "bias": Weights(normal(rng, bias))}
        by_rank(suite, name, "bias", params, ranks=(3, 4, 5), shapes={3: (c, h, w), 4: (2, c, h, w), 5: (2, 1, c, h, w)}, core=True)
        single(suite, name + "-old", "bias", [normal(rng, (2, 3, c, h, w))], params, mapping=OLD, core=b == "C")
    for form in ("f16", ("linear", 4, False, True), ("table", 2)):
        label = form if isinstance(form, str) else f"{form[0]}{form[1]}"
        rng = seeded(label)
        params = {"shapeScale": (c,), "scale": Weights(normal(rng, c), form, (c,), 1, rng), "hasBias": True, "shapeBias": (c,),
                  "bias": Weights(normal(rng, c), form, (c,), 1, rng)}
        single(suite, f"scale-weights-{label}", "scale", [normal(rng, (2, c, h, w))], params)
