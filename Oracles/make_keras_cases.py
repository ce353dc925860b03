"""Writes recorded cases of recurrent Keras models as coremltools converts them: loops over lists of tensors of open shape.

  python make_keras_cases.py [--out DIRECTORY]

What is expected is what TensorFlow computes. coremltools reads TensorFlow models of up to version 2.12, which needs a NumPy older than that
of the other scripts, so this script has an environment of its own:

  pip install tensorflow-cpu==2.12.1 coremltools==9.0 "numpy<1.24" "cattrs<24"
"""
import argparse
import json
import pathlib
import shutil

import coremltools as ct
import numpy as np
import tensorflow as tf

layers = tf.keras.layers
TIMES, FEATURES, UNITS = 3, 4, 5


def stacked_lstm():
    """Two layers with their states as inputs and outputs, for batches of one or two."""
    batch = ct.RangeDim(1, 2, default=1)
    x = tf.keras.Input((TIMES, FEATURES), name="x")
    states = [tf.keras.Input((UNITS,), name=name) for name in ("h1", "c1", "h2", "c2")]
    y, *first = layers.LSTM(UNITS, return_sequences=True, return_state=True)(x, initial_state=states[:2])
    y, *second = layers.LSTM(UNITS, return_sequences=True, return_state=True)(y, initial_state=states[2:])
    shapes = {"x": (batch, TIMES, FEATURES)} | {name: (batch, UNITS) for name in ("h1", "c1", "h2", "c2")}
    return tf.keras.Model([x, *states], [y, *first, *second]), shapes, [{batch: 1}, {batch: 2}, {batch: 1}]


def gru_of_any_length():
    """A layer in each direction over batches of one or two sequences of one to six steps."""
    batch, length = ct.RangeDim(1, 2, default=1), ct.RangeDim(1, 6, default=2)
    x = tf.keras.Input((None, FEATURES), name="x")
    y = layers.Bidirectional(layers.GRU(UNITS, return_sequences=True))(x)
    steps = [{batch: 1, length: 2}, {batch: 2, length: 6}, {batch: 2, length: 1}]
    return tf.keras.Model([x], [y, y[:, 0]]), {"x": (batch, length, FEATURES)}, steps


def write(folder, make, seed):
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(seed)
    model, shapes, steps = make()
    specifications = [ct.TensorType(name=name, shape=shape) for name, shape in shapes.items()]
    converted = ct.convert(
        model, inputs=specifications, minimum_deployment_target=ct.target.iOS15, compute_precision=ct.precision.FLOAT32)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    package = folder / "model.mlpackage"
    converted.save(str(package))
    # Identifiers of a package's items are random; the files are as the readers' other fixtures have them.
    root, weights = "5C1FB1A8-95C0-4E74-8A83-58F8A9B4D3B1", "0D6A3C5B-4F0E-4A55-9B0D-2C3D1F2A7E10"
    entries = {
        root: {"author": "com.apple.CoreML", "description": "CoreML Model Specification", "name": "model.mlmodel", "path": "com.apple.CoreML/model.mlmodel"},
        weights: {"author": "com.apple.CoreML", "description": "CoreML Model Weights", "name": "weights", "path": "com.apple.CoreML/weights"},
    }
    manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": entries, "rootModelIdentifier": root}
    (package / "Manifest.json").write_text(json.dumps(manifest, indent=4) + "\n")
    names = [feature.name for feature in converted.get_spec().description.output]
    random, content = np.random.default_rng(seed), []
    for index, step in enumerate(steps):
        given = {name: random.uniform(-1, 1, [step.get(e, e) for e in shape]).astype(np.float32) for name, shape in shapes.items()}
        results = model(list(given.values()) if len(given) > 1 else given["x"])
        files = {"inputs": {}, "outputs": {}}
        for kind, values in (("inputs", given), ("outputs", dict(zip(names, [r.numpy() for r in results], strict=True)))):
            for name, value in values.items():
                files[kind][name] = {"file": f"step{index}_{kind[:-1]}_{name}.npy"}
                np.save(folder / files[kind][name]["file"], value)
        content.append(files)
    case = {"name": folder.name, "family": "mil-fixture", "model": "model.mlpackage", "steps": content, "rtol": 1e-4, "atol": 1e-5}
    case["oracle"] = f"TensorFlow {tf.__version__}"
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/mil")
    arguments = parser.parse_args()
    for seed, make in enumerate((stacked_lstm, gru_of_any_length)):
        write(arguments.out / ("keras-" + make.__name__.replace("_", "-")), make, seed)


if __name__ == "__main__":
    main()
