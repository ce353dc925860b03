#!/usr/bin/env python3
"""Compares neural networks of public apps with ONNX Runtime.

  python Oracles/compare_public_models.py --checkouts FOLDER --martlet MARTLET --out FOLDER [--picture FILE]
  python Oracles/compare_public_models.py --styled NETWORK.mlmodel PICTURE STYLED.ppm

The first form takes the networks of NETWORKS from checkouts in FOLDER, each in a folder with the repository's name, writes them as ONNX by
network_to_onnx.py and runs both on a picture (default: Tests/Fixtures/photos/chelsea.jpg), resized to the network's input here so that both get
the same samples. Networks, .onnx files and pictures stay in the folder of --out.

The second form compares the picture that a network of devorblackbeard/MachineLearningWithCoreML made, run by
Tests/Upstream/run-coreml-custom-layers.sh. Its custom layers are written from the formulas in the client's comments and code.
"""
import argparse
import json
import subprocess
from pathlib import Path
from shutil import copyfile

import numpy as np
import onnxruntime
from network_to_onnx import Writer
from PIL import Image

# The file in its repository, and the tolerance relative to the largest magnitude.
NETWORKS = [
  ("iOS-CoreML-MNIST/nnet/mnistCNN.mlmodel", 1e-5),
  ("PoseEstimation-CoreML/models/cpm_model/model.mlmodel", 1e-4),
  ("PoseEstimation-CoreML/models/hourglass_model/model.mlmodel", 1e-4),
  ("SemanticSegmentation-CoreML/SemanticSegmentation-CoreML/mlmodel/DeepLabV3Int8LUT.mlmodel", 0),
]
NAMES = {"cpm_model": "model_cpm", "hourglass_model": "model_hourglass"}
PHOTO = Path(__file__).resolve().parent.parent / "Tests/Fixtures/photos/chelsea.jpg"


class StyleWriter(Writer):
  """Writes also the custom layers of the style transfer."""

  def custom(self, p, inputs, output):
    {"ResCropBlockLambda": self.crop, "RescaleOutputLambda": self.rescale}[p.className](inputs, output)

  def crop(self, inputs, output):
    """Removes two rows and columns at each edge. The class's loops end one early: the last row and column stay zero."""
    edges = [self.constant(np.array(values, np.int64)) for values in ([2, 2], [-3, -3], [2, 3])]
    inner = self.node("Slice", [inputs[0], *edges], output + "_inner")
    border = self.constant(np.array([0, 0, 0, 0, 0, 0, 1, 1], np.int64))
    self.node("Pad", [inner, border, self.constant(np.float32(0))], output)

  def rescale(self, inputs, output):
    one = self.node("Add", [inputs[0], self.constant(np.float32(1))], output + "_sum")
    self.node("Mul", [one, self.constant(np.float32(127.5))], output)


def written(network, path, writer=Writer):
  """Writes a network as ONNX. Returns its session, and the input's shape."""
  writer(network).write(path)
  session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
  return session, session.get_inputs()[0].shape


def samples(picture, shape):
  """A picture as an array [1, channels, height, width] of samples from 0 to 255."""
  pixels = np.asarray(picture, np.float32)
  return np.ascontiguousarray(pixels.reshape(shape[2], shape[3], shape[1]).transpose(2, 0, 1)[None])


def results(session, picture, shape):
  return session.run(None, {session.get_inputs()[0].name: samples(picture, shape)})[0]


def compare(network, tolerance, photo, martlet, out):
  """Runs a network both ways. Returns false if the results differ."""
  session, shape = written(network, network.with_suffix(".onnx"))
  picture = Image.open(photo).convert("L" if shape[1] == 1 else "RGB").resize((shape[3], shape[2]), Image.LANCZOS)
  picture.save(network.with_suffix(".png"))
  expected = results(session, picture, shape)
  folder = out / (network.stem + "-outputs")
  command = [
    martlet, "run", network, "--json", "--input", f"{session.get_inputs()[0].name}={network.with_suffix('.png')}", "--output", folder]
  output = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["outputs"][0]
  if output["kind"] == "dictionary":
    # Probabilities by label. The labels of the digits are in their order.
    found = np.array([output["value"][label] for label in sorted(output["value"])])
  else:
    found = np.load(folder / (output["name"] + ".npy"))
  expected, found = expected.reshape(-1).astype(np.float64), found.reshape(-1).astype(np.float64)
  assert expected.shape == found.shape, (expected.shape, found.shape)
  largest, difference = np.abs(expected).max(), np.abs(expected - found).max()
  wrong = np.count_nonzero(np.abs(expected - found) > tolerance * largest)
  print(f"{network.stem}: {found.size} values to {largest:.4g}, largest difference {difference:.3g}, {wrong} beyond the tolerance")
  return wrong == 0


def compare_styled(network, photo, styled):
  """Compares a picture that the style transfer made. Returns false if it differs."""
  network = Path(network)
  session, shape = written(network, Path(styled).with_suffix(".onnx"), StyleWriter)
  picture = Image.open(photo).convert("RGB")
  assert picture.size == (shape[3], shape[2]), f"the picture must have {shape[3]} x {shape[2]} pixels"
  # Samples of an output picture are rounded and limited.
  expected = np.clip(np.rint(results(session, picture, shape)[0].transpose(1, 2, 0)), 0, 255)
  found = np.asarray(Image.open(styled).convert("RGB"), np.float32)
  difference = np.abs(expected - found)
  print(f"{network.stem}: {found.size} samples, {np.count_nonzero(difference)} differ, by at most {difference.max():g}")
  return difference.max() <= 1 and np.count_nonzero(difference) <= found.size // 1000


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--checkouts", type=Path)
  parser.add_argument("--martlet", type=Path)
  parser.add_argument("--out", type=Path)
  parser.add_argument("--picture", type=Path, default=PHOTO)
  parser.add_argument("--styled", nargs=3)
  arguments = parser.parse_args()
  if arguments.styled:
    raise SystemExit(not compare_styled(*arguments.styled))
  arguments.out.mkdir(parents=True, exist_ok=True)
  equal = True
  for file, tolerance in NETWORKS:
    source = arguments.checkouts / file
    network = arguments.out / (NAMES.get(source.parent.name, source.stem) + ".mlmodel")
    copyfile(source, network)
    equal = compare(network, tolerance, arguments.picture, arguments.martlet, arguments.out) and equal
  raise SystemExit(not equal)


if __name__ == "__main__":
  main()
