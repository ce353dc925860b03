#!/usr/bin/env python3
"""Compares networks that Apple's compiler made, as public apps contain them, with the interpreter of espresso.py.

  python Oracles/compare_compiled_networks.py --martlet MARTLET --out FOLDER NETWORK.mlmodelc...

A folder without weights, which many repositories keep elsewhere, gets random ones in a copy in the folder of --out: shapes, layers and their
meaning are then those of the public file, numbers are not. Inputs are random. A network that the engine refuses is reported with its reason.
"""
import argparse
import json
import subprocess
from pathlib import Path
from shutil import copytree, ignore_patterns

import espresso
import numpy as np

TOLERANCE = 1e-4


def sizes(layer):
  """The sections that a layer refers to: number and count of values, in float16 or float32."""
  kind = layer["type"]
  if kind == "convolution":
    count = layer["C"] * (layer["K"] // layer["n_groups"]) * layer["Nx"] * layer["Ny"]
  elif kind == "deconvolution":
    count = layer["K"] * (layer["C"] // layer["n_groups"]) * layer["Nx"] * layer["Ny"]
  elif kind == "inner_product":
    count = layer["nB"] * layer["nC"]
  channels = layer.get("nC", layer.get("C"))
  for field, half in [("blob_weights", False), ("blob_weights_f16", True)]:
    if field in layer:
      yield layer[field], count, half
  if layer.get("has_biases"):
    yield layer["blob_biases"], channels, False
  if "blob_batchnorm_params" in layer:
    yield layer["blob_batchnorm_params"], 4 * channels, False


def add_weights(path, generator):
  """Writes random weights for the network of a folder."""
  net = json.loads((path / "model.espresso.net").read_text())
  folder = espresso.Folder()
  for layer in net["layers"]:
    inputs = sum(1 for _ in sizes(layer)) and np.sqrt(layer.get("nB", layer.get("K", 1) * layer.get("Nx", 1) * layer.get("Ny", 1)))
    for number, count, half in sizes(layer):
      values = generator.standard_normal(count) / max(inputs, 1)
      if layer["type"] == "batchnorm":
        # Factor, summand, mean and variance of each channel.
        values = np.stack([1 + values[::4] / 4, values[1::4], values[2::4], np.abs(values[3::4]) + 0.5], 1).reshape(-1)
      folder.blobs[number] = values.astype("<f2" if half else "<f4").tobytes()
  (path / net["storage"]).write_bytes(folder.weights())


def features(martlet, path):
  """The method's inputs as `inspect --json` has them."""
  text = subprocess.run([martlet, "inspect", "--json", path], capture_output=True, text=True, check=True).stdout
  return json.loads(text)["methods"][0]["inputs"]


def compare(path, martlet, out):
  """Runs a network both ways. Returns false if the results differ."""
  generator = np.random.default_rng(0)
  own = out / path.name
  is_complete = (path / "model.espresso.weights").exists()
  copytree(path, own, dirs_exist_ok=True, ignore=ignore_patterns("__MACOSX"))
  if not is_complete:
    add_weights(own, generator)
  interpreter = espresso.Interpreter(own)
  layers = sorted({layer["type"] for layer in interpreter.net["layers"]})
  print(f"{path.name}: {len(interpreter.net['layers'])} layers of {', '.join(layers)}{'' if is_complete else '; random weights'}")
  inputs, pixels, command = {}, [], [martlet, "run", own, "--json", "--output", out / "outputs"]
  for feature in features(martlet, own):
    name, blob = feature["name"], interpreter.shapes[feature["name"]]
    if feature["kind"] == "image":
      from PIL import Image
      extents = (blob["h"], blob["w"], blob["k"])
      samples = generator.integers(0, 256, extents).astype(np.uint8)
      Image.fromarray(samples if extents[2] > 1 else samples[..., 0]).save(out / f"{name}.png")
      inputs[name] = samples.transpose(2, 0, 1).astype(np.float64)
      pixels.append(name)
      command += ["--input", f"{name}={out / name}.png"]
    else:
      values = generator.random(feature.get("defaultShape", feature["shape"])).astype(np.float32)
      np.save(out / f"{name}.npy", values)
      inputs[name] = values
      command += ["--input", f"{name}={out / name}.npy"]
  run = subprocess.run(command, capture_output=True, text=True)
  if run.returncode:
    print("  refused: " + run.stderr.strip().removeprefix("martlet: "))
    return True
  blobs = interpreter.run(inputs, pixels)
  equal = True
  for output in json.loads(run.stdout)["outputs"]:
    name = output["name"]
    if output["kind"] == "string":
      continue
    if output["kind"] == "dictionary":
      # Probabilities by label; the order of labels is that of the file, which is not compared.
      found, expected = np.sort(list(output["value"].values())), np.sort(blobs[interpreter.net["layers"][-1]["top"]], None)
    else:
      found, expected = np.load(out / "outputs" / f"{name}.npy"), blobs[name]
      if output["kind"] == "image":
        # [height, width, channels], rounded; a number between two samples may become either.
        found, expected = found.reshape(*found.shape[:2], -1).transpose(2, 0, 1), np.clip(np.rint(expected), 0, 255)
    found, expected = found.astype(np.float64).reshape(-1), expected.reshape(-1)
    assert found.shape == expected.shape, (name, found.shape, expected.shape)
    difference, largest = np.abs(found - expected).max(), np.abs(expected).max()
    print(f"  {name}: {found.size} values to {largest:.4g}, largest difference {difference:.3g}")
    equal = equal and difference <= (1 if output["kind"] == "image" else TOLERANCE * largest)
  return equal


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("networks", nargs="+", type=Path)
  parser.add_argument("--martlet", type=Path, required=True)
  parser.add_argument("--out", type=Path, required=True)
  arguments = parser.parse_args()
  arguments.out.mkdir(parents=True, exist_ok=True)
  # All of them, before the exit.
  raise SystemExit(not all([compare(path, arguments.martlet, arguments.out) for path in arguments.networks]))


if __name__ == "__main__":
  main()
