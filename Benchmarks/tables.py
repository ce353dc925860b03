"""Times classic models over tables in Martlet and in other runtimes side by side.

  python tables.py --models DIRECTORY [--martlet COMMAND] [--only A,B] [--threads 1,2] [--rounds 8] [--seconds 0.3] [--realtime]
                   [--out FILE.json]

The models are made in DIRECTORY with fixed seeds, and kept. Peers run and alternate as in compare.py. A forest is also compared with a
walk in double precision: the results must be equal bit by bit. README.md lists the tasks and what their ratios should be.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from peers import Peer
from workers import serve

ROWS, COLUMNS = 10_000, 50
SAMPLES, FEATURES, QUERIES = 4_000, 100, 2_000


# Models


def rows(seed, count, width):
    import numpy as np

    return np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)


class Forest:
    """Trees of a Core ML message as arrays."""

    def __init__(self, ensemble):
        import numpy as np

        nodes = list(ensemble.nodes)
        place = {(node.treeId, node.nodeId): index for index, node in enumerate(nodes)}
        children = {child for node in nodes if node.nodeBehavior != 6 for child in (
            place[node.treeId, node.trueChildNodeId], place[node.treeId, node.falseChildNodeId])}
        self.roots = [index for index in range(len(nodes)) if index not in children]
        self.mode = np.array([node.nodeBehavior for node in nodes])
        self.column = np.array([node.branchFeatureIndex for node in nodes])
        self.threshold = np.array([node.branchFeatureValue for node in nodes])
        self.on_true = np.array([place.get((node.treeId, node.trueChildNodeId), 0) for node in nodes])
        self.on_false = np.array([place.get((node.treeId, node.falseChildNodeId), 0) for node in nodes])
        self.base = np.array(ensemble.basePredictionValue)
        self.values = np.zeros((len(nodes), ensemble.numPredictionDimensions))
        for index, node in enumerate(nodes):
            for entry in node.evaluationInfo:
                self.values[index, entry.evaluationIndex] = entry.evaluationValue

    def sums(self, x):
        """The sums of the trees in order, in double precision."""
        import numpy as np

        x = np.float64(x)
        result = np.tile(self.base, (len(x), 1))
        everything = np.arange(len(x))
        for root in self.roots:
            at = np.full(len(x), root)
            while (self.mode[at] != 6).any():
                number, threshold = x[everything, self.column[at]], self.threshold[at]
                holds = np.where(self.mode[at] == 0, number <= threshold, number < threshold)
                at = np.where(self.mode[at] == 6, at, np.where(holds, self.on_true[at], self.on_false[at]))
            result += self.values[at]
        return result


def array_input(description, name, count):
    from coremltools.proto import FeatureTypes_pb2

    del description.input[:]
    feature = description.input.add(name=name)
    feature.type.multiArrayType.shape.append(count)
    feature.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.FLOAT32


def number_output(description, name):
    description.output.add(name=name).type.doubleType.SetInParent()
    description.predictedFeatureName = name


def class_outputs(description, count):
    description.output.add(name="label").type.int64Type.SetInParent()
    description.output.add(name="p").type.dictionaryType.int64KeyType.SetInParent()
    description.predictedFeatureName, description.predictedProbabilitiesName = "label", "p"


def new_model():
    from coremltools.proto import Model_pb2

    return Model_pb2.Model(specificationVersion=4)


def save(model, path):
    path.write_bytes(model.SerializeToString())


def onnx_forest(ensemble, path, classes=0):
    """The same trees as ONNX."""
    import onnx
    from onnx import TensorProto, helper

    names = {0: "BRANCH_LEQ", 1: "BRANCH_LT", 6: "LEAF"}
    nodes = list(ensemble.nodes)
    leaves = [(node, entry) for node in nodes if node.nodeBehavior == 6 for entry in node.evaluationInfo]
    target = "class" if classes else "target"
    attributes = {
        "nodes_treeids": [n.treeId for n in nodes], "nodes_nodeids": [n.nodeId for n in nodes],
        "nodes_featureids": [n.branchFeatureIndex for n in nodes], "nodes_values": [n.branchFeatureValue for n in nodes],
        "nodes_modes": [names[n.nodeBehavior] for n in nodes], "nodes_truenodeids": [n.trueChildNodeId for n in nodes],
        "nodes_falsenodeids": [n.falseChildNodeId for n in nodes], f"{target}_treeids": [n.treeId for n, _ in leaves],
        f"{target}_nodeids": [n.nodeId for n, _ in leaves], f"{target}_ids": [e.evaluationIndex for _, e in leaves],
        f"{target}_weights": [e.evaluationValue for _, e in leaves], "base_values": list(ensemble.basePredictionValue)}
    if classes:
        attributes["classlabels_int64s"] = list(range(classes))
        outputs = [("label", TensorProto.INT64, [None]), ("y", TensorProto.FLOAT, [None, classes])]
    else:
        attributes["n_targets"] = 1
        outputs = [("y", TensorProto.FLOAT, [None, 1])]
    kind = "TreeEnsembleClassifier" if classes else "TreeEnsembleRegressor"
    node = helper.make_node(kind, ["x"], [name for name, _, _ in outputs], domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node], "forest", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, COLUMNS])],
        [helper.make_tensor_value_info(*output) for output in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 1), helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)


def make_boosted(folder):
    """500 trees of depth 6: one booster for all peers but LightGBM, which trains trees of the same shape."""
    import coremltools
    import lightgbm
    import numpy as np
    import tl2cgen
    import treelite
    import xgboost

    x = rows(1, ROWS, COLUMNS)
    y = (x[:, :10] ** 2).sum(1) + 3 * np.sin(x[:, 10:20]).sum(1) + np.random.default_rng(2).standard_normal(ROWS)
    np.save(folder / "rows.npy", rows(3, ROWS, COLUMNS))
    np.save(folder / "row.npy", rows(4, 1, COLUMNS))
    settings = {"max_depth": 6, "eta": 0.05, "tree_method": "hist", "max_bin": 64, "min_child_weight": 1, "nthread": 1, "base_score": 0.0}
    booster = xgboost.train(settings, xgboost.DMatrix(x, y), 500)
    booster.save_model(folder / "boosted.json")
    names = [f"f{i}" for i in range(COLUMNS)]
    named = coremltools.converters.xgboost.convert(booster, feature_names=names, mode="regressor", force_32bit_float=False).get_spec()
    named.treeEnsembleRegressor.treeEnsemble.basePredictionValue[:] = [0.0]
    save(named, folder / "boosted-named.mlmodel")
    array_input(named.description, "x", COLUMNS)
    save(named, folder / "boosted.mlmodel")
    onnx_forest(named.treeEnsembleRegressor.treeEnsemble, folder / "boosted.onnx")

    pipeline = new_model()
    pipeline.description.CopyFrom(named.description)
    scaler, trees = pipeline.pipelineRegressor.pipeline.models.add(), pipeline.pipelineRegressor.pipeline.models.add()
    scaler.specificationVersion = 4
    array_input(scaler.description, "x", COLUMNS)
    scaled = scaler.description.output.add(name="scaled")
    scaled.type.CopyFrom(scaler.description.input[0].type)
    scaler.scaler.shiftValue.extend([0.25] * COLUMNS)
    scaler.scaler.scaleValue.extend([0.75] * COLUMNS)
    trees.CopyFrom(named)
    trees.description.input[0].name = "scaled"
    save(pipeline, folder / "boosted-pipeline.mlmodel")

    model = treelite.frontend.from_xgboost(booster)
    model.serialize(str(folder / "boosted.treelite"))
    tl2cgen.export_lib(model, toolchain="gcc", libpath=str(folder / "boosted.so"), params={"parallel_comp": 8}, verbose=False)
    other = lightgbm.train(
        {"objective": "regression", "num_leaves": 64, "max_depth": 6, "learning_rate": 0.05, "num_threads": 1, "verbose": -1, "seed": 1,
         "deterministic": True, "min_data_in_leaf": 5},
        lightgbm.Dataset(x, y), 500)
    other.save_model(str(folder / "boosted.lightgbm"))


def make_random(folder):
    """200 trees of depth 12 with 5 classes."""
    import pickle

    import numpy as np
    from sklearn.ensemble import RandomForestClassifier

    x = rows(5, ROWS, COLUMNS)
    y = np.digitize((x[:, :8] ** 2).sum(1) + 2 * x[:, 8], [4.5, 6.5, 8.5, 11])
    forest = RandomForestClassifier(200, max_depth=12, random_state=1).fit(x, y)
    (folder / "random.pickle").write_bytes(pickle.dumps(forest))
    model = new_model()
    array_input(model.description, "x", COLUMNS)
    class_outputs(model.description, 5)
    classifier = model.treeEnsembleClassifier
    classifier.int64ClassLabels.vector.extend(range(5))
    classifier.treeEnsemble.numPredictionDimensions = 5
    classifier.treeEnsemble.basePredictionValue.extend([0.0] * 5)
    for index, estimator in enumerate(forest.estimators_):
        tree = estimator.tree_
        for node in range(tree.node_count):
            entry = classifier.treeEnsemble.nodes.add(treeId=index, nodeId=node)
            if tree.children_left[node] < 0:
                entry.nodeBehavior = 6
                for k, value in enumerate(tree.value[node, 0] / tree.value[node, 0].sum()):
                    entry.evaluationInfo.add(evaluationIndex=k, evaluationValue=value / 200)
            else:
                entry.branchFeatureIndex, entry.branchFeatureValue = tree.feature[node], tree.threshold[node]
                entry.trueChildNodeId, entry.falseChildNodeId = tree.children_left[node], tree.children_right[node]
    save(model, folder / "random.mlmodel")
    onnx_forest(classifier.treeEnsemble, folder / "random.onnx", classes=5)


def make_vectors(folder):
    """A machine of 4,000 vectors, and 4,000 samples with 5 classes."""
    import pickle

    import numpy as np
    from sklearn.svm import SVR

    x = rows(6, SAMPLES, FEATURES)
    np.save(folder / "queries.npy", rows(7, QUERIES, FEATURES))
    machine = SVR(C=10, epsilon=1e-9, gamma=0.01, max_iter=200_000).fit(x, np.sin(x[:, 0]) + x[:, 1] ** 2)
    (folder / "vectors.pickle").write_bytes(pickle.dumps(machine))
    model = new_model()
    array_input(model.description, "x", FEATURES)
    number_output(model.description, "y")
    regressor = model.supportVectorRegressor
    regressor.kernel.rbfKernel.gamma = 0.01
    for vector in machine.support_vectors_:
        regressor.denseSupportVectors.vectors.add().values.extend(vector.tolist())
    regressor.coefficients.alpha.extend(machine.dual_coef_[0].tolist())
    regressor.rho = -machine.intercept_[0]
    save(model, folder / "vectors.mlmodel")

    labels = np.digitize((x[:, :8] ** 2).sum(1), [4.5, 6.5, 8.5, 11])
    np.savez(folder / "samples.npz", x=x, y=labels)
    model = new_model()
    array_input(model.description, "x", FEATURES)
    class_outputs(model.description, 5)
    neighbors = model.kNearestNeighborsClassifier
    index = neighbors.nearestNeighborsIndex
    index.numberOfDimensions = FEATURES
    for sample in x:
        index.floatSamples.add().vector.extend(sample.tolist())
    index.linearIndex.SetInParent()
    index.squaredEuclideanDistance.SetInParent()
    neighbors.numberOfNeighbors.defaultValue = 5
    neighbors.numberOfNeighbors.range.minValue, neighbors.numberOfNeighbors.range.maxValue = 1, 100
    neighbors.int64ClassLabels.vector.extend(labels.tolist())
    neighbors.uniformWeighting.SetInParent()
    save(model, folder / "neighbors.mlmodel")


MAKERS = {"boosted.mlmodel": make_boosted, "random.mlmodel": make_random, "neighbors.mlmodel": make_vectors}


# Peers: each loads a model and returns a call that predicts all rows.


def xgboost(path, values, threads):
    import xgboost as runtime

    def load():
        booster = runtime.Booster({"nthread": threads}, model_file=path)
        return lambda: booster.inplace_predict(values[0])

    return load


def onnxruntime(path, values, threads):
    import onnxruntime as runtime

    def load():
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, {"x": values[0]})

    return load


def treelite_compiled(path, values, threads):
    import tl2cgen

    def load():
        predictor = tl2cgen.Predictor(path, nthread=threads)
        matrix = tl2cgen.DMatrix(values[0], dtype="float32")
        return lambda: predictor.predict(matrix)

    return load


def treelite_interpreted(path, values, threads):
    import treelite

    def load():
        model = treelite.Model.deserialize(path)
        return lambda: treelite.gtil.predict(model, values[0], nthread=threads)

    return load


def lightgbm(path, values, threads):
    import lightgbm as runtime

    def load():
        booster = runtime.Booster(model_file=path)
        return lambda: booster.predict(values[0], num_threads=threads)

    return load


def scikit_forest(path, values, threads):
    import pickle

    def load():
        forest = pickle.loads(pathlib.Path(path).read_bytes())
        forest.n_jobs = threads
        return lambda: forest.predict_proba(values[0])

    return load


def libsvm(path, values, threads):
    import pickle

    def load():
        machine = pickle.loads(pathlib.Path(path).read_bytes())
        return lambda: machine.predict(values[0])

    return load


def scikit_neighbors(path, values, threads, algorithm="brute"):
    import numpy as np
    import threadpoolctl
    from sklearn.neighbors import KNeighborsClassifier

    def load():
        samples = np.load(path)
        threadpoolctl.threadpool_limits(threads)
        model = KNeighborsClassifier(5, algorithm=algorithm, n_jobs=threads).fit(samples["x"], samples["y"])
        return lambda: model.predict(values[0])

    return load


def scikit_neighbors_auto(path, values, threads):
    return scikit_neighbors(path, values, threads, "auto")


RUNTIMES = {
    "xgboost": xgboost, "onnxruntime": onnxruntime, "treelite": treelite_compiled,
    "treelite-gtil": treelite_interpreted, "lightgbm": lightgbm, "scikit-forest": scikit_forest, "libsvm": libsvm,
    "scikit-brute": scikit_neighbors, "scikit-auto": scikit_neighbors_auto,
}
BOOSTED = {
    "xgboost": "boosted.json", "onnxruntime": "boosted.onnx", "treelite": "boosted.so",
    "treelite-gtil": "boosted.treelite", "lightgbm": "boosted.lightgbm"}


class Task:
    """`peers` maps runtimes to model files; one that begins with martlet is Martlet with another model. `limit` bounds the ratio of
    Martlet's time to that of the fastest of `references`, or of all peers."""

    def __init__(self, model, table, peers, limit, references=None):
        self.model, self.table, self.peers, self.limit = model, table, peers, limit
        self.references = references or list(peers)


TASKS = {
    "boosted": Task("boosted.mlmodel", "rows.npy", BOOSTED, 0.6),
    "boosted-row": Task("boosted.mlmodel", "row.npy", BOOSTED, 0.6, ["onnxruntime"]),
    "random": Task("random.mlmodel", "rows.npy", {"scikit-forest": "random.pickle", "onnxruntime": "random.onnx"}, 0.5, ["scikit-forest"]),
    "vectors": Task("vectors.mlmodel", "queries.npy", {"libsvm": "vectors.pickle"}, 0.4),
    "neighbors": Task("neighbors.mlmodel", "queries.npy", {"scikit-brute": "samples.npz", "scikit-auto": "samples.npz"}, 0.8),
    "pipeline": Task("boosted-pipeline.mlmodel", "rows.npy", {"martlet-trees": "boosted.mlmodel"}, 1.1),
}


def check(martlet, folder):
    """Compares forests with the walk in doubles: bit by bit."""
    import numpy as np
    from coremltools.proto import Model_pb2

    results = {}
    for name in ("boosted", "random"):
        model = Model_pb2.Model()
        model.ParseFromString((folder / f"{name}.mlmodel").read_bytes())
        kind = getattr(model, model.WhichOneof("Type"))
        expected = Forest(kind.treeEnsemble).sums(np.load(folder / "rows.npy"))
        with tempfile.TemporaryDirectory() as temporary:
            output = pathlib.Path(temporary) / "out.npz"
            command = [*martlet, "run", str(folder / f"{name}.mlmodel"), "--table", str(folder / "rows.npy"), "--output", str(output)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            arrays = np.load(output)
            found = [arrays[key] for key in arrays.files if arrays[key].dtype == np.float64]
        found = np.stack([a.reshape(len(expected), -1) for a in found], 1).reshape(expected.shape) if found else np.zeros(0)
        results[name] = bool(found.shape == expected.shape and (found == expected).all())
        print(f"{name}: {'equal to' if results[name] else 'DIFFERS from'} the walk in doubles, {expected.size} sums")
    return results


def measure(name, task, threads, arguments):
    processor = max(os.sched_getaffinity(0)) if threads == 1 else None
    ours = [*shlex.split(arguments.martlet), "bench", "--threads", str(threads)]
    table = str(arguments.models / task.table)
    workers = []
    for peer, file in {"martlet": task.model, **task.peers}.items():
        path = str(arguments.models / file)
        if peer.startswith("martlet"):
            command = [*ours, "--worker", path, "--table", table]
        else:
            command = [sys.executable, __file__, "--worker", peer, path, table, str(threads)]
        worker = Peer(peer, (["chrt", "-r", "5"] if arguments.realtime else []) + command, processor)
        try:
            worker.wait_until_started()
            worker.load()
            worker.expected = min(worker.run(3))
            worker.stop()
            workers.append(worker)
        except RuntimeError as error:
            print(f"{name}: {peer} fails: {error}", file=sys.stderr)
            worker.end()
    for _ in range(arguments.rounds):
        for worker in workers:
            worker.resume()
            worker.run(2)
            times = worker.run(max(3, min(20_000, round(arguments.seconds / worker.expected))))
            worker.stop()
            worker.times += times
            worker.expected = min(worker.expected, *times)
    for worker in workers:
        worker.end()
    return {worker.name: {"min_ms": min(worker.times) * 1e3, "median_ms": statistics.median(worker.times) * 1e3} for worker in workers}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--martlet", default="martlet")
    parser.add_argument("--only", default=",".join(TASKS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.models.mkdir(parents=True, exist_ok=True)
    for file, make in MAKERS.items():
        if not (arguments.models / file).exists():
            print(f"making {file}", file=sys.stderr)
            make(arguments.models)
    report = {"equal": check(shlex.split(arguments.martlet), arguments.models), "tasks": {}}
    counts = [int(count) for count in arguments.threads.split(",")]
    print("\n| task | threads | martlet, ms | peers, ms (smallest / median) | ratio | should be | 1 thread by 2 |")
    print("|---|--:|--:|---|--:|--:|--:|")
    for name in arguments.only.split(","):
        task = TASKS[name]
        single = None
        for threads in counts:
            result = measure(name, task, threads, arguments)
            report["tasks"][f"{name}-{threads}"] = result
            own = result["martlet"]["min_ms"]
            ratio = own / min(result[peer]["min_ms"] for peer in task.references if peer in result)
            peers = ", ".join(f"{p} {r['min_ms']:.3g} / {r['median_ms']:.3g}" for p, r in result.items() if p != "martlet")
            gain = f"{single / own:.2f}" if single and threads == 2 else ""
            single = own if threads == 1 else single
            ours = f"{own:.3g} / {result['martlet']['median_ms']:.3g}"
            print(f"| {name} | {threads} | {ours} | {peers} | {ratio:.2f} | ≤ {task.limit} | {gain} |", flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        runtime, path, table, threads = sys.argv[2:]
        serve(RUNTIMES[runtime], path, [table], int(threads))
    else:
        main()
