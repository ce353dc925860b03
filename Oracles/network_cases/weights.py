"""Forms of weights."""

import numpy as np

from .building import OLD, Weights, cases, normal, seeded, single
from .windows import convolution, same, valid


QUANTISED = ([("linear", bits, per, biased) for bits in range(1, 9) for per, biased in ((False, True), (True, True))]
             + [("linear", bits, per, False) for bits in (2, 5, 8) for per in (False, True)]
             + [("table", bits) for bits in range(1, 9)])


def form_label(form):
    if isinstance(form, str):
        return form
    if form[0] == "table":
        return f"table{form[1]}"
    return f"linear{form[1]}{'-channel' if form[2] else ''}{'-bias' if form[3] else ''}"


@cases
def weight_forms(suite):
    for form in ["f16"] + QUANTISED:
        label = form_label(form)
        rng = seeded(label)
        bits = form[1] if isinstance(form, tuple) else 16
        few = bits in (1, 3, 4, 8, 16)
        core = label in ("f16", "linear1-bias", "linear3-channel-bias", "linear8", "table3", "linear5-channel", "table8", "linear4-bias")
        single(suite, f"weights-conv-{label}", "convolution", [normal(rng, (1, 3, 4, 4))], convolution(rng, 3, 5, (3, 3), form=form, **same()),
               core=core)
        bias = "f16" if form == "f16" else "f32"
        inner = {"inputChannels": 7, "outputChannels": 5, "hasBias": True, "weights": Weights(normal(rng, (5, 7)), form, (5, 7), 5, rng),
                 "bias": Weights(normal(rng, 5), bias)}
        single(suite, f"weights-innerProduct-{label}", "innerProduct", [normal(rng, (3, 7))], inner, core=core)
        if not few:
            continue
        single(suite, f"weights-innerProduct-{label}-old", "innerProduct", [normal(rng, (7,))], inner, mapping=OLD, out_shape=(5,), core=core)
        single(suite, f"weights-conv-{label}-old", "convolution", [normal(rng, (3, 4, 4))], convolution(rng, 3, 5, (3, 3), form=form, **same()),
               mapping=OLD)
        single(suite, f"weights-matmul-{label}", "batchedMatmul", [normal(rng, (2, 3, 7))],
               {"weightMatrixFirstDimension": 7, "weightMatrixSecondDimension": 5, "hasBias": True,
                "weights": Weights(normal(rng, (5, 7)), form, (5, 7), 5, rng), "bias": Weights(normal(rng, 5), bias)}, core=core)
        ids = np.array([[0], [5], [2], [5]], np.float32)
        single(suite, f"weights-embeddingND-{label}", "embeddingND", [ids],
               {"vocabSize": 6, "embeddingSize": 5, "hasBias": True, "weights": Weights(normal(rng, (5, 6)), form, (5, 6), 5, rng),
                "bias": Weights(normal(rng, 5), bias)}, core=core)
        single(suite, f"weights-embedding-{label}-old", "embedding", [np.array([4], np.float32)],
               {"inputDim": 6, "outputChannels": 5, "hasBias": False, "weights": Weights(normal(rng, (5, 6)), form, (5, 6), 5, rng)},
               mapping=OLD, out_shape=(5,), core=core)
        constant = {"shape": (2, 3), "data": Weights(normal(rng, (2, 3)), form, (2, 3), 1, rng)}
        if not (isinstance(form, tuple) and form[0] == "linear" and form[2]):
            single(suite, f"weights-constant-{label}", "loadConstantND", [], constant)
    # Quantised biases have one scale.
    rng = seeded("quantised bias")
    params = convolution(rng, 2, 5, (1, 1), form=("linear", 8, True, True), **valid())
    params["bias"] = Weights(None, ("linear", 8, False, True), (5,), 1, rng)
    single(suite, "weights-conv-quantised-bias", "convolution", [normal(rng, (1, 2, 2, 3))], params, core=True)
    # Products that have int8 inputs.
    for label, bias in (("plain", False), ("bias", True)):
        for rank, shape in ((1, (8,)), (2, (3, 8)), (3, (2, 2, 8))):
            for exact_levels in (True, False):
                name = f"int8-{label}-rank{rank}-{'levels' if exact_levels else 'values'}"
                rng = seeded(name)
                x = rng.integers(-127, 128, shape).astype(np.float32)
                x.reshape(-1)[0] = 127
                x = x / 64 if exact_levels else normal(rng, shape, -3, 3)
                for kind in ("innerProduct", "batchedMatmul"):
                    w = Weights(None, "int8", (5, 8), 5, rng)
                    params = {"hasBias": bias, "int8DynamicQuantize": True, "weights": w}
                    params |= {"inputChannels": 8, "outputChannels": 5} if kind == "innerProduct" else {
                        "weightMatrixFirstDimension": 8, "weightMatrixSecondDimension": 5}
                    if bias:
                        params["bias"] = Weights(normal(rng, 5))
                    notes = ("the input lies on the int8 levels, so that its quantisation changes nothing" if exact_levels else
                             "input quantised to int8 at max|x| / 127, ties to even; the tolerance is half a level of every input, so that "
                             "an unquantised input passes too")
                    tolerance = 1e-4 if exact_levels else float(np.abs(x).max() / 254 * 8 * 1.02)
                    single(suite, f"{name}-{kind}", kind, [x], params, notes=notes, atol=tolerance, core=rank == 2 or exact_levels and rank == 3)
