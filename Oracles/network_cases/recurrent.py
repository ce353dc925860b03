"""Recurrent layers."""

import itertools

from .building import EXACT, OLD, Net, Weights, cases, normal, seeded

IN, OUT = 3, 2
ACTIVATIONS = {
    "linear": {"linear": {"alpha": 1}}, "sigmoid": {"sigmoid": {}}, "tanh": {"tanh": {}}, "ReLU": {"ReLU": {}},
    "scaledTanh": {"scaledTanh": {"alpha": 1.7159, "beta": 2 / 3}}, "sigmoidHard": {"sigmoidHard": {"alpha": 0.2, "beta": 0.5}},
}
# As coremltools' builder writes them.
UNSET = {"linear": {"linear": {}}, "sigmoidHard": {"sigmoidHard": {}}}


def matrix(rng, shape, form, scale=1.0):
    return Weights(normal(rng, shape, -scale, scale), form, shape, shape[0], rng)


def vector(rng, form):
    return Weights(normal(rng, (OUT,), -1, 1), "f16" if form == "f16" else "f32")


def simple(rng, form="f32", bias=True, activation="tanh", sequence=True, reverse=False, scale=1.0):
    params = {"inputVectorSize": IN, "outputVectorSize": OUT, "activation": ACTIVATIONS[activation], "sequenceOutput": sequence,
              "hasBiasVector": bias, "reverseInput": reverse, "weightMatrix": matrix(rng, (OUT, IN), form, scale),
              "recursionMatrix": matrix(rng, (OUT, OUT), form, scale)}
    return params | ({"biasVector": vector(rng, form)} if bias else {})


def gru(rng, form="f32", bias=True, activations=("sigmoid", "tanh"), sequence=True, reverse=False, scale=1.0, table=ACTIVATIONS):
    params = {"inputVectorSize": IN, "outputVectorSize": OUT, "activations": [table.get(a, ACTIVATIONS[a]) for a in activations],
              "sequenceOutput": sequence, "hasBiasVectors": bias, "reverseInput": reverse}
    for gate in ("update", "reset", "output"):
        params[gate + "GateWeightMatrix"] = matrix(rng, (OUT, IN), form, scale)
        params[gate + "GateRecursionMatrix"] = matrix(rng, (OUT, OUT), form, scale)
        if bias:
            params[gate + "GateBiasVector"] = vector(rng, form)
    return params


def lstm_weights(rng, form, bias, peephole, scale=1.0, coupled=False):
    params = {}
    for gate in ("inputGate", "forgetGate", "blockInput", "outputGate"):
        params[gate + "WeightMatrix"] = matrix(rng, (OUT, IN), form, scale)
        params[gate + "RecursionMatrix"] = matrix(rng, (OUT, OUT), form, scale)
        if bias:
            params[gate + "BiasVector"] = vector(rng, form)
        if peephole and gate != "blockInput":
            params[gate + "PeepholeVector"] = vector(rng, form)
    return params


def lstm(rng, form="f32", bias=True, peephole=False, coupled=False, forget=False, clip=0.0, activations=("sigmoid", "tanh", "tanh"), sequence=True,
         reverse=False, scale=1.0, directions=1, table=ACTIVATIONS):
    options = {"sequenceOutput": sequence, "hasBiasVectors": bias, "forgetBias": forget, "hasPeepholeVectors": peephole,
               "coupledInputAndForgetGate": coupled, "cellClipThreshold": clip}
    functions = [table.get(a, ACTIVATIONS[a]) for a in activations]
    params = {"inputVectorSize": IN, "outputVectorSize": OUT, "params": options}
    if directions == 1:
        return params | {"activations": functions, "reverseInput": reverse, "weightParams": lstm_weights(rng, form, bias, peephole, scale)}
    return params | {"activationsForwardLSTM": functions, "activationsBackwardLSTM": functions,
                     "weightParams": [lstm_weights(rng, form, bias, peephole, scale) for _ in range(2)]}


STATES = {"simpleRecurrent": ["h"], "gru": ["h"], "uniDirectionalLSTM": ["h", "c"], "biDirectionalLSTM": ["h", "c", "h_back", "c_back"]}


def recurrent(suite, name, kind, params, mapping=EXACT, seq=4, batch=2, states=False, give=True, low=-2, high=2, version=None, **options):
    """One recurrent layer. states: with the optional inputs and the outputs for its states; give: whether the inputs are given."""
    rng = seeded(name + "x")
    net = Net(mapping, version=version)
    width = OUT * (2 if kind == "biDirectionalLSTM" else 1)
    x = normal(rng, (seq, batch, IN), low, high)
    if mapping == OLD:
        net.array("x", (IN,))
    else:
        x = x[..., None, None]
        net.array("x", x.shape)
    inputs, outputs, given = ["x"], ["y"], {"x": x}
    net_outputs = []
    for state in STATES[kind]:
        # The format requires every output, and a simple layer's initial state.
        outputs.append(state + "_out")
        if states:
            net_outputs.append(state + "_out")
        elif kind != "simpleRecurrent":
            continue
        value = normal(rng, (1, batch, OUT), -1, 1) * (1 if states else 0)
        net.array(state + "_in", (OUT,) if mapping == OLD else (1, batch, OUT, 1, 1), optional=True if mapping == OLD and states else None)
        inputs.append(state + "_in")
        if give or mapping == EXACT:
            given[state + "_in"] = value if mapping == OLD else value[..., None, None]
    net.layer(kind, inputs, outputs, params)
    net.output("y", (width,) if mapping == OLD else ())
    for output in net_outputs:
        net.output(output, (OUT,) if mapping == OLD else ())
    suite.save(name, net, given, **options)


MAKERS = {"simpleRecurrent": simple, "gru": gru, "uniDirectionalLSTM": lstm, "biDirectionalLSTM": lambda rng, **k: lstm(rng, directions=2, **k)}


@cases
def every_layer(suite):
    for kind, make in MAKERS.items():
        rng = seeded(kind)
        for sequence in (True, False):
            for bias in (True, False):
                label = f"{kind}-{'sequence' if sequence else 'last'}-{'bias' if bias else 'plain'}"
                params = make(rng, sequence=sequence, bias=bias)
                recurrent(suite, label, kind, params, core=bias)
                recurrent(suite, label + "-old", kind, params, OLD, core=bias, notes="[Seq, Batch, C]")
                recurrent(suite, label + "-old-one", kind, params, OLD, batch=1, notes="Batch is 1")
        params = make(rng, sequence=False)
        recurrent(suite, f"{kind}-old-one-step", kind, params, OLD, seq=1, batch=1)
        for sequence in (True, False):
            params = make(rng, sequence=sequence)
            label = f"{kind}-states-{'sequence' if sequence else 'last'}"
            recurrent(suite, label, kind, params, states=True, core=True)
            recurrent(suite, label + "-old", kind, params, OLD, states=True, core=not sequence)
            recurrent(suite, label + "-old-one", kind, params, OLD, states=True, batch=1)
            recurrent(suite, label + "-old-absent", kind, params, OLD, states=True, give=False, core=sequence, version=2,
                      notes="absent states are zero")
        if kind != "biDirectionalLSTM":
            for sequence in (True, False):
                params = make(rng, reverse=True, sequence=sequence)
                label = f"{kind}-reverse-{'sequence' if sequence else 'last'}"
                recurrent(suite, label, kind, params, core=True, notes="the results of a reversed sequence come in the order in which they arise")
                recurrent(suite, label + "-old", kind, params, OLD)
        params = make(rng, scale=60.0)
        recurrent(suite, f"{kind}-clip50", kind, params, low=-4, high=4, core=True, notes="gates are clipped at +-50")
        for form in ("f16", ("linear", 8, True, True), ("linear", 8, False, False), ("linear", 4, False, True), ("table", 4), ("table", 8), ("linear", 1, False, True)):
            label = form if isinstance(form, str) else f"{form[0]}{form[1]}{'-channel' if form[0] == 'linear' and form[2] else ''}"
            params = make(rng, form=form)
            recurrent(suite, f"{kind}-weights-{label}", kind, params, core=label in ("f16", "linear8-channel"))
            recurrent(suite, f"{kind}-weights-{label}-old", kind, params, OLD, core=label == "table4")


@cases
def recurrent_activations(suite):
    for name in ACTIVATIONS:
        scale = 0.5 if name in ("linear", "ReLU") else 1.0
        recurrent(suite, f"simpleRecurrent-{name}", "simpleRecurrent", simple(seeded(name), activation=name, scale=scale), core=True)
        recurrent(suite, f"simpleRecurrent-{name}-old", "simpleRecurrent", simple(seeded(name), activation=name, scale=scale), OLD)
        for kind, makes in (("gru", [("sigmoidHard", name), (name, "tanh")]),
                            ("uniDirectionalLSTM", [(name, "tanh", "tanh"), ("sigmoidHard", name, "tanh"), ("sigmoid", "tanh", name)])):
            for activations in makes:
                label = "-".join(activations)
                params = MAKERS[kind](seeded(label), activations=activations, scale=scale)
                if f"{kind}-{label}" not in suite.taken:
                    recurrent(suite, f"{kind}-{label}", kind, params, core=kind == "gru" or activations[2] == name)
    for name in UNSET:
        params = gru(seeded(name), activations=("sigmoid", name), table=UNSET, scale=0.5)
        recurrent(suite, f"gru-unset-{name}", "gru", params, notes="constants left unset, as coremltools' builder writes them")
        params = lstm(seeded(name), activations=("sigmoid", "tanh", name), table=UNSET, scale=0.5)
        recurrent(suite, f"lstm-unset-{name}", "uniDirectionalLSTM", params, notes="constants left unset, as coremltools' builder writes them", core=True)


@cases
def lstm_options(suite):
    for peephole, coupled, forget, clip in itertools.product((False, True), (False, True), (False, True), (0.0, 0.25)):
        label = "".join(n for n, f in (("-peephole", peephole), ("-coupled", coupled), ("-forget", forget), ("-clip", clip)) if f)
        if not label:
            continue
        for kind, short in (("uniDirectionalLSTM", "lstm"), ("biDirectionalLSTM", "bilstm")):
            params = MAKERS[kind](seeded(short + label), peephole=peephole, coupled=coupled, forget=forget, clip=clip)
            count = label.count("-")
            recurrent(suite, f"{short}{label}", kind, params, core=count in (1, 4))
            recurrent(suite, f"{short}{label}-old", kind, params, OLD, core=count == 1 and short == "lstm")
    rng = seeded("forget without bias")
    recurrent(suite, "lstm-forget-no-bias", "uniDirectionalLSTM", lstm(rng, bias=False, forget=True),
              notes="no biases are added")
    recurrent(suite, "lstm-peephole-states-old", "uniDirectionalLSTM", lstm(rng, peephole=True, sequence=False), OLD, states=True)
    recurrent(suite, "lstm-peephole-reverse", "uniDirectionalLSTM", lstm(rng, peephole=True, reverse=True))
