"""Branches and loops."""

import numpy as np

from .building import F64, I32, Net, Weights, block, cases, normal, seeded


def constant(name, *values):
    return ("loadConstantND", [], [name], {"shape": (len(values),), "data": Weights(np.array(values, np.float32))})


def add(a, b, y):
    return ("addBroadcastable", [a, b], [y])


def copy(x, y):
    return ("copy", [x], [y])


def extend(net, *layers):
    for layer in layers:
        net.layer(*layer)
    return net


@cases
def branches(suite):
    x = normal(seeded("branch"), (2, 3))
    both = {"ifBranch": block(("multiply", ["x"], ["t"], {"alpha": 2}), copy("t", "y")),
            "elseBranch": block(("add", ["x"], ["e"], {"alpha": -1}), copy("e", "y"))}
    for label, value in (("one", 1), ("zero", 0), ("negative", -3), ("above", 2e-6), ("below", 5e-7), ("minus-above", -2e-6)):
        net = Net().array("x", x.shape).array("c", (1,))
        extend(net, ("branch", ["c"], [], both)).output("y")
        suite.save(f"branch-{label}", net, {"x": x, "c": np.array([value])}, core=True,
                   notes="true where the absolute value is above 1e-6; both branches write y")
    for label, value in (("taken", 1), ("not-taken", 0)):
        net = Net().array("x", x.shape).array("c", (1,))
        extend(net, copy("x", "y"), ("branch", ["c"], [], {"ifBranch": block(("activation", ["x"], ["t"], {"ReLU": {}}), copy("t", "y"))}))
        suite.save(f"branch-no-else-{label}", net.output("y"), {"x": x, "c": np.array([value])}, core=True, notes="no else branch: y keeps its value")
    for label, value in (("if", 1), ("else", 0)):
        net = Net().array("x", x.shape).array("c", (1,))
        sides = {"ifBranch": block(("multiply", ["x"], ["inner"], {"alpha": 3})), "elseBranch": block(("add", ["x"], ["inner"], {"alpha": 5}))}
        extend(net, ("branch", ["c"], [], sides), ("activation", ["inner"], ["y"], {"linear": {"alpha": 1, "beta": 0.5}}))
        suite.save(f"branch-blob-outside-{label}", net.output("y"), {"x": x, "c": np.array([value])}, core=True, notes="a branch's blob is read after the branch")
    nested = {"ifBranch": block(("branch", ["d"], [], both)), "elseBranch": block(copy("x", "y"))}
    for c in (0, 1):
        for d in (0, 1):
            net = Net().array("x", x.shape).array("c", (1,)).array("d", (1,))
            suite.save(f"branch-nested-{c}{d}", extend(net, ("branch", ["c"], [], nested)).output("y"),
                       {"x": x, "c": np.array([c]), "d": np.array([d])}, core=c == 1)
    for label, value in (("double", 1), ("int", 0)):
        net = Net().array("x", x.shape).array("c", (1,), F64 if label == "double" else I32)
        suite.save(f"branch-{label}-condition", extend(net, ("branch", ["c"], [], both)).output("y"), {"x": x, "c": np.array([value])})
    net = Net().array("x", x.shape).array("a", (1,)).array("b", (1,))
    extend(net, ("greaterThan", ["a", "b"], ["c"]), ("branch", ["c"], [], both))
    suite.save("branch-computed", net.output("y"), {"x": x, "a": np.array([2]), "b": np.array([1])})


@cases
def loops(suite):
    x = normal(seeded("loop"), (3,))
    step = (add("y", "one", "t"), copy("t", "y"))
    start = (constant("one", 1), copy("x", "y"))
    for count in (1, 4):
        net = extend(Net().array("x", (3,)), *start, ("loop", [], [], {"maxLoopIterations": count, "bodyNetwork": block(*step)}))
        suite.save(f"loop-for-{count}", net.output("y"), {"x": x}, core=True)
    for count in (0, 1, 3):
        net = extend(Net().array("x", (3,)).array("n", (1,)), *start, ("loop", ["n"], [], {"maxLoopIterations": 7, "bodyNetwork": block(*step)}))
        suite.save(f"loop-input-{count}", net.output("y"), {"x": x, "n": np.array([count])}, core=True, notes="the input replaces maxLoopIterations")
    counter = (constant("zero", 0), constant("limit", 3), copy("zero", "i"))
    test = block(("lessThan", ["i", "limit"], ["go"]))
    count = (add("i", "one", "i2"), copy("i2", "i"))
    for label, fields in (("while", {}), ("while-bounded", {"maxLoopIterations": 2}), ("while-loose", {"maxLoopIterations": 9})):
        params = {"conditionNetwork": test, "conditionVar": "go", "bodyNetwork": block(*step, *count), **fields}
        net = extend(Net().array("x", (3,)), *start, *counter, ("loop", [], [], params))
        suite.save(f"loop-{label}", net.output("y").output("i"), {"x": x}, core=True)
    for bound in (0, 2, 8):
        params = {"conditionNetwork": test, "conditionVar": "go", "bodyNetwork": block(*step, *count)}
        net = extend(Net().array("x", (3,)).array("n", (1,)), *start, *counter, ("loop", ["n"], [], params))
        suite.save(f"loop-while-input-{bound}", net.output("y").output("i"), {"x": x, "n": np.array([bound])}, core=bound == 2)
    net = extend(Net().array("x", (3,)), *start, constant("no", 0), constant("zero", 0), copy("zero", "i"),
                 ("loop", [], [], {"conditionNetwork": block(copy("no", "go")), "conditionVar": "go", "bodyNetwork": block(*step, *count)}))
    suite.save("loop-while-never", net.output("y"), {"x": x}, core=True, notes="the condition is false at once")
    for label, value in (("tiny", 5e-7), ("small", 2e-6)):
        # The condition halts by its size: truth is above 1e-6.
        params = {"maxLoopIterations": 3, "conditionNetwork": block(copy("c", "go")), "conditionVar": "go", "bodyNetwork": block(*step)}
        net = extend(Net().array("x", (3,)).array("c", (1,)), *start, ("loop", [], [], params))
        suite.save(f"loop-truth-{label}", net.output("y"), {"x": x, "c": np.array([value])})
    stop = ("equal", ["i", "limit"], ["stop"])
    for label, layer in (("break", "loopBreak"), ("continue", "loopContinue")):
        for at in (1, 3):
            head = (constant("zero", 0), constant("limit", at), copy("zero", "i"))
            body = block(*count, stop, ("branch", ["stop"], [], {"ifBranch": block((layer, [], []))}), *step)
            net = extend(Net().array("x", (3,)), *start, *head, ("loop", [], [], {"maxLoopIterations": 5, "bodyNetwork": body}))
            suite.save(f"loop-{label}-{at}", net.output("y").output("i"), {"x": x}, core=True, notes=f"{label} when the counter is {at}")
    body = block(*count, stop, ("branch", ["stop"], [], {"ifBranch": block(("loopContinue", [], []))}), *step)
    params = {"conditionNetwork": block(("lessThan", ["i", "end"], ["go"])), "conditionVar": "go", "bodyNetwork": body}
    net = extend(Net().array("x", (3,)), *start, *counter, constant("end", 6), ("loop", [], [], params))
    suite.save("loop-while-continue", net.output("y").output("i"), {"x": x}, core=True, notes="after a continue the condition is computed anew")
    inner = ("loop", [], [], {"maxLoopIterations": 4, "bodyNetwork": block(*count, stop, ("branch", ["stop"], [], {"ifBranch": block(("loopBreak", [], []))}), *step)})
    net = extend(Net().array("x", (3,)), *start, *counter,
                 ("loop", [], [], {"maxLoopIterations": 2, "bodyNetwork": block(copy("zero", "i"), inner)}))
    suite.save("loop-nested-break", net.output("y").output("i"), {"x": x}, core=True, notes="a break leaves the inner loop only")
    net = extend(Net().array("x", (3,)), *start,
                 ("loop", [], [], {"maxLoopIterations": 3, "bodyNetwork": block(add("y", "one", "t"), copy("t", "y"), ("multiply", ["t"], ["body"], {"alpha": 10}))}),
                 ("add", ["body"], ["z"], {"alpha": 1}))
    suite.save("loop-blob-outside", net.output("z").output("t"), {"x": x}, core=True, notes="a body's blobs are read after the loop")
    # The extent of a blob grows with every pass.
    net = extend(Net().array("x", (3,)), copy("x", "y"),
                 ("loop", [], [], {"maxLoopIterations": 3, "bodyNetwork": block(("concatND", ["y", "x"], ["t"], {"axis": 0}), copy("t", "y"))}))
    suite.save("loop-growing", net.output("y"), {"x": x}, notes="a copy of another shape replaces the blob")
    # Newton's iteration for a square root, until the change is small.
    body = block(("divideBroadcastable", ["x", "y"], ["q"]), add("y", "q", "s"), ("multiply", ["s"], ["new"], {"alpha": 0.5}),
                 ("subtractBroadcastable", ["new", "y"], ["d"]), ("unary", ["d"], ["abs"], {"type": "ABS"}),
                 ("reduceMax", ["abs"], ["largest"], {"reduceAll": True}), copy("largest", "change"), copy("new", "y"))
    params = {"conditionNetwork": block(("greaterThan", ["change"], ["go"], {"alpha": 1e-3})), "conditionVar": "go", "bodyNetwork": body, "maxLoopIterations": 30}
    net = extend(Net().array("x", (3,)), copy("x", "y"), constant("one", 1), copy("one", "change"), ("loop", [], [], params))
    suite.save("loop-newton", net.output("y"), {"x": np.array([2.0, 9.0, 0.25])}, core=True)


@cases
def copies(suite):
    x = normal(seeded("copy"), (2, 3))
    net = extend(Net().array("x", (2, 3)), ("multiply", ["x"], ["a"], {"alpha": 2}), ("add", ["a"], ["b"], {"alpha": 1}), copy("x", "a"), add("a", "b", "y"))
    suite.save("copy-overwrites", net.output("y").output("a"), {"x": x}, core=True, notes="b was computed from the earlier a")
    net = extend(Net().array("x", (2, 3)), copy("x", "y"), ("add", ["y"], ["z"], {"alpha": 1}), copy("z", "y"), ("multiply", ["y"], ["w"], {"alpha": -1}))
    suite.save("copy-output-overwritten", net.output("y").output("w"), {"x": x}, core=True, notes="the output is the last value of its name")
