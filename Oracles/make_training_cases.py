#!/usr/bin/env python3
"""Writes updatable networks with the weights and losses that PyTorch computes for them.

  python Oracles/make_training_cases.py FOLDER

In `FOLDER/training` each network of `training_networks.py` is a folder, with one of the combinations of loss, optimiser, size of
mini-batches and order that `compare_training.py` tries all of: `model.mlmodel`; `expected.mlmodel`, with its weights after at least 100
mini-batches; `samples.npz` with the samples `x` and their expected values `y`; and `losses.npy` with the loss before every tenth step.

`FOLDER/updatable` has further updatable models: classifiers by nearest neighbours, pipelines, and models that break a rule (`broken-…`).
"""
import itertools
import sys
from pathlib import Path

import numpy as np
import torch
from coremltools.proto import Model_pb2

from training_networks import ADAM, MOMENTUM, SGD, Net, variants

SAMPLES, STEPS = 7, 100
# Samples in a mini-batch, the second of which leave a smaller last one, and the seed of the orders.
BATCHES = ((7, None), (3, 7), (2, None), (4, -3))


def combinations():
  """Suffixes of names with loss, optimiser, size of a mini-batch and seed."""
  for loss, (kind, optimizer), (batch, seed) in itertools.product(
      ("entropy", "squares"), (("sgd", SGD), ("momentum", MOMENTUM), ("adam", ADAM)), BATCHES):
    yield f"-{loss}-{kind}-{batch}", loss, optimizer, batch, seed


def suits(make, loss):
  """True if a network can be trained with a loss."""
  return loss in getattr(make, "losses", [loss])


def finished(make, suffix, loss, optimizer, batch, seed):
  """A network with its training."""
  net, outputs = make(suffix, loss)
  return net.finish(loss, optimizer, outputs, batch, -(-STEPS // -(-SAMPLES // batch)), seed)


def main(folder):
  folder.mkdir(parents=True, exist_ok=True)
  torch.set_num_threads(1)
  # Neighbouring networks differ in every part of the combination.
  combos = list(combinations())
  for index, (name, make) in enumerate(variants()):
    first = index * 7 % len(combos)
    # The same optimiser with the other loss is half the list away.
    combo = next(c for c in (combos[first], combos[first - len(combos) // 2]) if suits(make, c[1]))
    net = finished(make, *combo)
    x, y = net.samples(SAMPLES)
    losses = net.train(x, y)
    case = folder / net.name
    case.mkdir(exist_ok=True)
    (case / "model.mlmodel").write_bytes(net.model.SerializeToString())
    net.store_parameters()
    (case / "expected.mlmodel").write_bytes(net.model.SerializeToString())
    targets = y.astype(np.int32).reshape(-1, 1) if net.entropy else y
    np.savez_compressed(case / "samples.npz", x=x, y=targets)
    np.save(case / "losses.npy", losses[::10].astype(np.float32))
    print(f"{net.name}: loss {losses[0]:.4f} -> {losses[-1]:.4f}")


def neighbors(model, inputs="x", samples=True):
  """A classifier by nearest neighbours of two numbers."""
  classifier = model.kNearestNeighborsClassifier
  index = classifier.nearestNeighborsIndex
  index.numberOfDimensions = 2
  index.linearIndex.SetInParent()
  index.squaredEuclideanDistance.SetInParent()
  classifier.uniformWeighting.SetInParent()
  classifier.numberOfNeighbors.defaultValue = 3
  classifier.numberOfNeighbors.range.minValue, classifier.numberOfNeighbors.range.maxValue = 1, 5
  classifier.stringClassLabels.SetInParent()
  classifier.defaultStringLabel = "none"
  if samples:
    for label, row in (("near", [0, 0]), ("near", [0, 1]), ("far", [9, 9]), ("far", [9, 8])):
      index.floatSamples.add().vector.extend(row)
      classifier.stringClassLabels.vector.append(label)
  describe(model, inputs)


def describe(model, input_, shape=(2,), label="label", probabilities="probabilities"):
  description = model.description
  Net.array(description.input, input_, shape)
  description.output.add(name=label).type.stringType.SetInParent()
  description.output.add(name=probabilities).type.dictionaryType.stringKeyType.SetInParent()
  description.predictedFeatureName, description.predictedProbabilitiesName = label, probabilities
  if model.isUpdatable:
    Net.array(description.trainingInput, input_, shape)
    description.trainingInput.add(name=label).type.stringType.SetInParent()


def dense(classes, name="dense"):
  """A small updatable network that is not trained here."""
  net = Net(name, [6], classes=classes)
  net.product(10, 6), net.activate("ReLU"), net.product(len(classes), 10)
  return net.finish("entropy", ("sgd", dict(lr=0.05, momentum=0.0)), len(classes), 8, 25).model


def embedding(output, rows):
  """A network of one product without training."""
  net = Net("embedding", [rows.shape[1]], updatable=False)
  product = net.layer("product").innerProduct
  net.network.layers[0].output[0] = output
  product.inputChannels, product.outputChannels = rows.shape[1], rows.shape[0]
  product.weights.floatValue.extend(rows.flatten().tolist())
  net.model.isUpdatable = False
  del net.model.description.trainingInput[:]
  Net.array(net.model.description.output, output, [rows.shape[0]])
  return net.model


def pictures():
  """A classifier of pictures of 12 x 10 pixels."""
  net = Net("pictures", [3, 10, 12], classes=["red", "green", "blue"])
  net.conv(4, 3, stride=2).activate("ReLU").pool("average", whole=True).flatten().product(3, 4)
  model = net.finish("entropy", ("adam", dict(lr=0.02)), 3, 4, 20).model
  for feature in (model.description.input[0], model.description.trainingInput[0]):
    image = feature.type.imageType
    image.width, image.height, image.colorSpace = 12, 10, 20
  network = model.neuralNetworkClassifier
  network.preprocessing.add(featureName="x").scaler.channelScale = 1 / 128
  scaler = network.preprocessing[0].scaler
  scaler.redBias = scaler.greenBias = scaler.blueBias = -1
  return model


def updatable(folder):
  folder.mkdir(parents=True, exist_ok=True)

  def write(name, model):
    (folder / f"{name}.mlmodel").write_bytes(model.SerializeToString())

  for name, samples in (("neighbors", True), ("neighbors-empty", False)):
    model = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
    neighbors(model, samples=samples)
    write(name, model)

  pipeline = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
  describe(pipeline, "x")
  pipeline.pipelineClassifier.pipeline.models.add().CopyFrom(embedding("point", np.array([[2, 0], [0, 2]], np.float32)))
  neighbors(pipeline.pipelineClassifier.pipeline.models.add(specificationVersion=4, isUpdatable=True), "point")
  pipeline.pipelineClassifier.pipeline.names.extend(["embedding", "neighbors"])
  write("neighbors-pipeline", pipeline)

  write("pictures", pictures())

  classes = ["ant", "bee", "cat"]
  network = dense(classes)
  write("dense", network)
  pipeline = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
  describe(pipeline, "start", (6,))
  first = embedding("x", np.eye(6, dtype=np.float32) * 2)
  first.description.input[0].name = "start"
  first.neuralNetwork.layers[0].input[0] = "start"
  pipeline.pipelineClassifier.pipeline.models.add().CopyFrom(first)
  pipeline.pipelineClassifier.pipeline.models.add().CopyFrom(network)
  pipeline.pipelineClassifier.pipeline.names.extend(["first", "dense"])
  write("dense-pipeline", pipeline)

  # Samples for those that can be trained.
  for name, feature, count, labels in (
      ("neighbors", "x", 2, "near far"), ("neighbors-empty", "x", 2, "near far"), ("neighbors-pipeline", "x", 2, "near far"),
      ("dense", "x", 6, "ant bee cat"), ("dense-pipeline", "start", 6, "ant bee cat")):
    lines = [",".join([f"{feature}[{i}]" for i in range(count)] + ["label"])]
    for row in range(6):
      label = labels.split()[row % len(labels.split())]
      lines.append(",".join([str((row * 7 + i * 3) % 11 - 5) for i in range(count)] + [label]))
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")

  def broken(name, change):
    model = Model_pb2.Model()
    model.CopyFrom(network)
    change(model, model.neuralNetworkClassifier)
    write(f"broken-{name}", model)

  def other_layer(model, net):
    net.layers[1].isUpdatable = True

  def no_derivative(model, net):
    net.layers[1].activation.leakyReLU.alpha = 0.1

  def flags(model, net):
    net.layers[0].innerProduct.weights.isUpdatable = False

  def half(model, net):
    weights = net.layers[0].innerProduct.weights
    weights.float16Value = np.array(weights.floatValue, np.float16).tobytes()
    del weights.floatValue[:]

  def no_softmax(model, net):
    net.updateParams.lossLayers[0].categoricalCrossEntropyLossLayer.input = net.layers[2].output[0]

  def two_losses(model, net):
    net.updateParams.lossLayers.add(name="other").meanSquaredErrorLossLayer.input = net.layers[2].output[0]

  def no_optimizer(model, net):
    net.updateParams.ClearField("optimizer")

  def no_rate(model, net):
    net.updateParams.optimizer.sgdOptimizer.ClearField("learningRate")

  def no_epochs(model, net):
    net.updateParams.ClearField("epochs")

  def no_target(model, net):
    del model.description.trainingInput[1]

  def same_names(model, net):
    net.layers[1].name = net.layers[0].name

  def version(model, net):
    model.specificationVersion = 3

  def nothing(model, net):
    for layer in net.layers:
      layer.isUpdatable = False

  for change in (
    other_layer, no_derivative, flags, half, no_softmax, two_losses, no_optimizer, no_rate, no_epochs, no_target, same_names, version,
    nothing):
    broken(change.__name__.replace("_", "-"), change)
  pipeline.pipelineClassifier.pipeline.models[1].isUpdatable = False
  write("broken-last-stage", pipeline)
  pipeline.pipelineClassifier.pipeline.models[1].isUpdatable = True
  pipeline.pipelineClassifier.pipeline.models[0].isUpdatable = True
  write("broken-first-stage", pipeline)


if __name__ == "__main__":
  main(Path(sys.argv[1]) / "training")
  updatable(Path(sys.argv[1]) / "updatable")
