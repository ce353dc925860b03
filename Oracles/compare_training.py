#!/usr/bin/env python3
"""Trains every network of `training_networks.py` with every loss, optimiser, size of mini-batches and order, and compares with PyTorch.

  python Oracles/compare_training.py MARTLET [--only TEXT] [--every N] [--keep FOLDER] [--set NAME=VALUE ...]

MARTLET is the command line. A combination agrees if all weights that `martlet train` writes after at least 100 mini-batches are within 1e-4
of PyTorch's, relative to values above 1. Exits with 1 if one does not.
"""
import argparse
import collections
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from coremltools.proto import Model_pb2

from make_training_cases import SAMPLES, combinations, finished, suits
from training_networks import variants


def written(path):
  """The weights of a model by the names that `Net` gives them."""
  model = Model_pb2.Model.FromString(path.read_bytes())
  network = model.neuralNetworkClassifier if model.WhichOneof("Type") == "neuralNetworkClassifier" else model.neuralNetwork
  result = {}
  for layer in network.layers:
    kind = layer.WhichOneof("layer")
    if kind in ("convolution", "innerProduct"):
      own = getattr(layer, kind)
      result[layer.name + ".weights"], result[layer.name + ".biases"] = own.weights, own.bias
    elif kind == "uniDirectionalLSTM":
      for gate, word in zip("ifoz", ("inputGate", "forgetGate", "outputGate", "blockInput")):
        for part, field in (("w", "WeightMatrix"), ("u", "RecursionMatrix"), ("b", "BiasVector"), ("p", "PeepholeVector")):
          if hasattr(layer.uniDirectionalLSTM.weightParams, word + field):
            result[f"{layer.name}.{gate}.{part}"] = getattr(layer.uniDirectionalLSTM.weightParams, word + field)
  return {key: np.array(value.floatValue, np.float32) for key, value in result.items()}


def write_samples(folder, net, x, y):
  if not net.classes:
    path = folder / "samples.npz"
    np.savez(path, x=x, y=y.astype(np.int32).reshape(-1, 1) if net.entropy else y)
    return path
  path = folder / "samples.csv"
  with path.open("w", newline="") as file:
    table = csv.writer(file)
    flat = x.reshape(len(x), -1)
    table.writerow([f"x[{i}]" for i in range(flat.shape[1])] + ["label"])
    for row, label in zip(flat, y):
      table.writerow([repr(float(value)) for value in row] + [net.classes[label]])
  return path


def compare(martlet, folder, net, settings):
  """The largest difference of a weight, or the reason why there is none."""
  x, y = net.samples(SAMPLES)
  before = {key: tensor.detach().numpy().copy() for key, tensor in net.parameters.items()}
  net.train(x, y)
  (folder / "model.mlmodel").write_bytes(net.model.SerializeToString())
  output = folder / "trained.mlmodel"
  output.unlink(missing_ok=True)
  command = [martlet, "train", folder / "model.mlmodel", "--data", write_samples(folder, net, x, y), "--output", output, "--threads", "2"]
  for setting in settings:
    command += ["--set", setting]
  run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
  if run.returncode:
    return run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"status {run.returncode}"
  found = written(output)
  worst, moved = 0.0, 0.0
  for key, tensor in net.parameters.items():
    wanted = tensor.detach().numpy().reshape(-1)
    if found[key].shape != wanted.shape:
      return f"{key} has {found[key].size} values instead of {wanted.size}"
    difference = np.abs(found[key] - wanted) / np.maximum(1, np.abs(wanted))
    if not np.isfinite(difference).all():
      return f"{key} is not finite"
    worst = max(worst, float(difference.max()))
    moved = max(moved, float(np.abs(wanted - before[key].reshape(-1)).max()))
  return worst if moved > 1e-3 else "the weights hardly change"


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("martlet")
  parser.add_argument("--only", default="", help="networks whose name contains this")
  parser.add_argument("--every", type=int, default=1, help="only every Nth combination, from another one on for each network")
  parser.add_argument("--set", action="append", default=[], help="a parameter, for all")
  parser.add_argument("--keep", type=Path, help="where combinations that differ are kept")
  arguments = parser.parse_args()
  torch.set_num_threads(1)
  counts, differing, largest = collections.Counter(), [], collections.defaultdict(float)
  with tempfile.TemporaryDirectory() as name:
    for index, (variant, make) in enumerate(variants()):
      if arguments.only not in variant:
        continue
      for combination in list(combinations())[index % arguments.every::arguments.every]:
        if not suits(make, combination[1]):
          continue
        net = finished(make, *combination)
        result = compare(arguments.martlet, Path(name), net, arguments.set)
        agrees = isinstance(result, float) and result < 1e-4
        counts[agrees] += 1
        if isinstance(result, float):
          largest[variant] = max(largest[variant], result)
        if not agrees:
          differing.append((net.name, result))
          print(f"{net.name}: {result}", flush=True)
          if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            (arguments.keep / f"{net.name}.mlmodel").write_bytes(net.model.SerializeToString())
      print(f"{variant}: largest difference {largest[variant]:.2g}", flush=True)
  print(f"{counts[True]} of {sum(counts.values())} combinations agree, largest difference {max(largest.values(), default=0):.2g}")
  sys.exit(1 if differing else 0)


if __name__ == "__main__":
  main()
