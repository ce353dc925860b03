#!/usr/bin/env python3
"""Writes updatable networks with the weights and losses that PyTorch computes for them.

  python Oracles/make_training_cases.py FOLDER

In `FOLDER/training` each case is a folder: `model.mlmodel`, the samples `x.npy` with their expected values `y.npy`, the losses of 100 mini-batches before each
step (`losses.npy`), and the weights after the last one (`LAYER.weights.npy`, `LAYER.biases.npy`). Mini-batches are in order; the last one of
a pass is smaller.

`FOLDER/updatable` has further updatable models: classifiers by nearest neighbours, pipelines, and models that break a rule (`broken-…`).
"""
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from coremltools.proto import FeatureTypes_pb2 as types
from coremltools.proto import Model_pb2, NeuralNetwork_pb2

SAMPLES, BATCH, STEPS = 27, 8, 100


class Net:
  """A network as a specification and as PyTorch functions."""

  def __init__(self, name, shape, mapping="old", classes=None, updatable=True):
    self.name, self.shape, self.mapping = name, shape, mapping
    self.random = np.random.default_rng(sum(name.encode()))
    self.model = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
    self.classes = classes
    self.network = self.model.neuralNetworkClassifier if classes else self.model.neuralNetwork
    if mapping == "exact":
      self.network.arrayInputShapeMapping = NeuralNetwork_pb2.EXACT_ARRAY_MAPPING
    self.blob, self.functions, self.parameters, self.updatable = "x", [], {}, updatable
    declared = shape[-1:] if name.startswith("lstm") else shape
    for features in (self.model.description.input, self.model.description.trainingInput):
      self.array(features, "x", declared)

  @staticmethod
  def array(features, name, shape, dtype=types.ArrayFeatureType.FLOAT32):
    feature = features.add(name=name)
    feature.type.multiArrayType.shape.extend(shape)
    feature.type.multiArrayType.dataType = dtype

  def layer(self, kind, updatable=False, inputs=()):
    output = f"{kind}{len(self.network.layers)}"
    layer = self.network.layers.add(name=output, input=[self.blob, *inputs], output=[output], isUpdatable=updatable)
    self.blob = output
    return layer

  def values(self, *shape, scale=None):
    scale = scale or 1 / np.sqrt(np.prod(shape[1:]) or 1)
    return (self.random.standard_normal(shape) * scale).astype(np.float32)

  def weights(self, target, values, key=None):
    target.floatValue.extend(values.flatten().tolist())
    target.isUpdatable = key is not None
    tensor = torch.tensor(values)
    if key:
      tensor.requires_grad_()
      self.parameters[key] = tensor
    return tensor

  def product(self, outputs, inputs, updatable=None, bias=True):
    updatable = self.updatable if updatable is None else updatable
    layer = self.layer("product", updatable)
    p = layer.innerProduct
    p.inputChannels, p.outputChannels, p.hasBias = inputs, outputs, bias
    w = self.weights(p.weights, self.values(outputs, inputs), updatable and layer.name + ".weights")
    b = self.weights(p.bias, self.values(outputs, scale=0.1), updatable and layer.name + ".biases") if bias else None
    # A sequence keeps its steps.
    is_sequence = self.name.startswith("lstm")
    self.functions.append(lambda x: F.linear(x if x.dim() == 2 or is_sequence else x.reshape(len(x), -1), w, b))

  def conv(self, outputs, inputs, kernel=3, stride=1, pad=0, groups=1, dilation=1, same=False, transposed=False, updatable=None):
    updatable = self.updatable if updatable is None else updatable
    layer = self.layer("convolution", updatable)
    c = layer.convolution
    c.outputChannels, c.kernelChannels, c.nGroups, c.hasBias = outputs, inputs if transposed else inputs // groups, groups, True
    c.kernelSize.extend([kernel, kernel])
    c.stride.extend([stride, stride])
    c.dilationFactor.extend([dilation, dilation])
    c.isDeconvolution = transposed
    if same:
      c.same.SetInParent()
    else:
      for _ in range(2):
        edge = c.valid.paddingAmounts.borderAmounts.add()
        edge.startEdgeSize = edge.endEdgeSize = pad
    shape = (inputs, outputs // groups, kernel, kernel) if transposed else (outputs, inputs // groups, kernel, kernel)
    w = self.weights(c.weights, self.values(*shape), updatable and layer.name + ".weights")
    b = self.weights(c.bias, self.values(outputs, scale=0.1), updatable and layer.name + ".biases")

    def run(x):
      if transposed:
        return F.conv_transpose2d(x, w, b, stride, pad, 0, groups, dilation)
      if same:
        amounts = []
        for extent in (x.shape[3], x.shape[2]):
          total = max((-(-extent // stride) - 1) * stride + (kernel - 1) * dilation + 1 - extent, 0)
          amounts += [total // 2, total - total // 2]
        return F.conv2d(F.pad(x, amounts), w, b, stride, 0, dilation, groups)
      return F.conv2d(x, w, b, stride, pad, dilation, groups)

    self.functions.append(run)

  def activate(self, kind):
    getattr(self.layer("activation").activation, kind).SetInParent()
    self.functions.append({"ReLU": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}[kind])

  def pool(self, kind, kernel=2, stride=2, pad=0, exclude=False, whole=False):
    p = self.layer("pooling").pooling
    p.type = {"max": 0, "average": 1, "l2": 2}[kind]
    p.globalPooling = whole
    p.avgPoolExcludePadding = exclude
    if not whole:
      p.kernelSize.extend([kernel, kernel])
      p.stride.extend([stride, stride])
    for _ in range(2):
      edge = p.valid.paddingAmounts.borderAmounts.add()
      edge.startEdgeSize = edge.endEdgeSize = pad

    def run(x):
      k, s = (x.shape[2:], x.shape[2:]) if whole else (kernel, stride)
      if kind == "max":
        return F.max_pool2d(x, k, s, pad)
      if kind == "average":
        return F.avg_pool2d(x, k, s, pad, count_include_pad=not exclude)
      return F.lp_pool2d(x, 2, k, s)

    self.functions.append(run)

  def norm(self, channels):
    n = self.layer("batchnorm").batchnorm
    n.channels, n.epsilon = channels, 1e-3
    parts = [self.values(channels, scale=0.3) for _ in range(4)]
    gamma, beta, mean, variance = (
      self.weights(target, value)
      for target, value in zip(
        (n.gamma, n.beta, n.mean, n.variance), (1 + parts[0], parts[1], parts[2], 0.5 + np.abs(parts[3]))))
    self.functions.append(lambda x: F.batch_norm(x, mean, variance, gamma, beta, False, 0, 1e-3))

  def flatten(self):
    self.layer("flatten").flatten.SetInParent()
    self.functions.append(lambda x: x.reshape(len(x), -1))

  def lstm(self, size, inputs, updatable, sequence=False, peepholes=False):
    layer = self.layer("lstm", updatable)
    layer.output.extend([layer.name + "_hidden", layer.name + "_cell"])
    l = layer.uniDirectionalLSTM
    l.inputVectorSize, l.outputVectorSize = inputs, size
    for kind in ("sigmoid", "tanh", "tanh"):
      getattr(l.activations.add(), kind).SetInParent()
    l.params.hasBiasVectors, l.params.sequenceOutput, l.params.hasPeepholeVectors = True, sequence, peepholes
    l.params.cellClipThreshold = 50
    w, u, b, p = {}, {}, {}, {}
    for gate, word in zip("ifoz", ("input", "forget", "output", "block")):
      def target(kind):
        return getattr(l.weightParams, f"{word}Gate{kind}" if word != "block" else f"blockInput{kind}")

      key = updatable and f"{layer.name}.{gate}"
      w[gate] = self.weights(target("WeightMatrix"), self.values(size, inputs), key and key + ".w")
      u[gate] = self.weights(target("RecursionMatrix"), self.values(size, size), key and key + ".u")
      b[gate] = self.weights(target("BiasVector"), self.values(size, scale=0.1), key and key + ".b")
      if peepholes and gate != "z":
        p[gate] = self.weights(target("PeepholeVector"), self.values(size, scale=0.3), key and key + ".p")

    def run(x):
      # x: [batch, steps, inputs]
      h = c = torch.zeros(len(x), size)
      states = []
      for step in range(x.shape[1]):
        sums = {g: x[:, step] @ w[g].T + h @ u[g].T + b[g] for g in "ifoz"}
        i = torch.sigmoid(sums["i"] + (p["i"] * c if peepholes else 0))
        f = torch.sigmoid(sums["f"] + (p["f"] * c if peepholes else 0))
        c = f * c + i * torch.tanh(sums["z"])
        o = torch.sigmoid(sums["o"] + (p["o"] * c if peepholes else 0))
        h = o * torch.tanh(c)
        states.append(h)
      return torch.stack(states, 1) if sequence else h

    self.functions.append(run)

  # MARK: Training

  def finish(self, folder, loss, optimizer, outputs):
    update = self.network.updateParams
    entropy = loss == "entropy"
    if entropy:
      self.layer("softmax").softmax.SetInParent()
    description = self.model.description
    layer = update.lossLayers.add(name="loss")
    target = layer.categoricalCrossEntropyLossLayer if entropy else layer.meanSquaredErrorLossLayer
    target.input = self.blob
    if self.classes:
      output = description.output.add(name="probabilities")
      output.type.dictionaryType.stringKeyType.SetInParent()
      description.output.add(name="label").type.stringType.SetInParent()
      description.predictedFeatureName, description.predictedProbabilitiesName = "label", "probabilities"
      self.network.stringClassLabels.vector.extend(self.classes)
      self.network.labelProbabilityLayerName = self.blob
      description.trainingInput.add(name="label").type.stringType.SetInParent()
      target.target = "label"
    else:
      self.array(description.output, self.blob, [outputs])
      target.target = "y"
      if entropy:
        self.array(description.trainingInput, "y", [1], types.ArrayFeatureType.INT32)
      else:
        self.array(description.trainingInput, "y", [outputs])
    passes = STEPS // -(-SAMPLES // BATCH)
    update.epochs.defaultValue = passes
    update.epochs.range.minValue, update.epochs.range.maxValue = 1, 1000
    update.shuffle.defaultValue = False
    kind, settings = optimizer
    tensors = list(self.parameters.values())
    if kind == "sgd":
      o = update.optimizer.sgdOptimizer
      o.momentum.defaultValue = settings["momentum"]
      o.momentum.range.maxValue = 1
      torch_optimizer = torch.optim.SGD(tensors, lr=settings["lr"], momentum=settings["momentum"])
    else:
      o = update.optimizer.adamOptimizer
      o.beta1.defaultValue, o.beta2.defaultValue, o.eps.defaultValue = 0.9, 0.999, 1e-8
      for p in (o.beta1, o.beta2, o.eps):
        p.range.maxValue = 1
      torch_optimizer = torch.optim.Adam(tensors, lr=settings["lr"])
    o.learningRate.defaultValue = settings["lr"]
    o.learningRate.range.maxValue = 1
    o.miniBatchSize.defaultValue = BATCH
    o.miniBatchSize.set.values.extend([BATCH, 2 * BATCH])

    x = self.random.standard_normal((SAMPLES, *self.shape)).astype(np.float32)
    y = (
      self.random.integers(0, outputs, SAMPLES).astype(np.int64) if entropy
      else self.random.standard_normal((SAMPLES, outputs)).astype(np.float32))
    if folder is None:
      return
    folder = folder / self.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.mlmodel").write_bytes(self.model.SerializeToString())
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    inputs = torch.tensor(x)
    if self.mapping == "exact" and len(self.shape) == 4:
      inputs = inputs[:, 0]
    if self.name.startswith("lstm"):
      inputs = inputs[:, :, 0]
    expected = torch.tensor(y)
    losses = []
    for _ in range(passes):
      for start in range(0, SAMPLES, BATCH):
        value = inputs[start:start + BATCH]
        for function in self.functions:
          value = function(value)
        wanted = expected[start:start + BATCH]
        error = (
          F.cross_entropy(value.reshape(len(value), -1), wanted) if entropy else F.mse_loss(value.reshape(wanted.shape), wanted))
        torch_optimizer.zero_grad()
        error.backward()
        torch_optimizer.step()
        losses.append(error.item())
    assert len(losses) == STEPS, len(losses)
    np.save(folder / "losses.npy", np.array(losses, np.float64))
    for key, tensor in self.parameters.items():
      np.save(folder / f"{key}.npy", tensor.detach().numpy())
    print(f"{self.name}: loss {losses[0]:.4f} -> {losses[-1]:.4f}")


SGD, MOMENTUM, ADAM = ("sgd", dict(lr=0.05, momentum=0.0)), ("sgd", dict(lr=0.02, momentum=0.9)), ("adam", dict(lr=0.01))


def main(folder):
  net = Net("dense-sgd-entropy", [6])
  net.product(10, 6), net.activate("ReLU"), net.product(4, 10)
  net.finish(folder, "entropy", SGD, 4)

  net = Net("dense-momentum-squares", [6], "exact")
  net.product(8, 6), net.activate("sigmoid"), net.product(3, 8, bias=False)
  net.finish(folder, "squares", MOMENTUM, 3)

  net = Net("dense-adam-squares", [1, 6], "exact")
  net.product(9, 6), net.activate("tanh"), net.product(5, 9)
  net.finish(folder, "squares", ADAM, 5)

  net = Net("conv-max-classes", [2, 9, 8], classes=["cat", "dog", "owl"])
  net.conv(6, 2, pad=1), net.activate("ReLU"), net.pool("max", 3, 2, 1), net.conv(4, 6, stride=2, groups=2), net.activate("ReLU")
  net.flatten(), net.product(3, 8)
  net.finish(folder, "entropy", MOMENTUM, 3)

  net = Net("conv-same-average", [1, 3, 8, 8], "exact")
  net.conv(4, 3, stride=2, same=True), net.activate("tanh"), net.pool("average", 3, 1, 1, exclude=True)
  net.conv(4, 4, kernel=2, dilation=2), net.pool("average", 2, 2), net.flatten(), net.product(2, 4)
  net.finish(folder, "squares", ADAM, 2)

  net = Net("conv-norm-l2", [2, 6, 6])
  net.conv(4, 2), net.norm(4), net.activate("ReLU"), net.pool("l2", 2, 2), net.conv(3, 4, kernel=1), net.pool("average", whole=True)
  net.flatten(), net.product(4, 3)
  net.finish(folder, "entropy", ADAM, 4)

  net = Net("deconv-global-max", [3, 4, 4])
  net.conv(4, 3, kernel=3, stride=2, pad=1, transposed=True), net.activate("sigmoid"), net.norm(4), net.pool("max", whole=True)
  net.flatten(), net.product(2, 4)
  net.finish(folder, "squares", SGD, 2)

  net = Net("fixed-layers", [2, 6, 6])
  net.conv(4, 2, pad=1, updatable=False), net.activate("ReLU"), net.pool("max"), net.flatten(), net.product(6, 36, updatable=False)
  net.activate("tanh"), net.product(4, 6)
  net.finish(folder, "entropy", SGD, 4)

  net = Net("lstm-fixed", [5, 1, 4])
  net.product(4, 4), net.lstm(6, 4, False), net.product(3, 6)
  net.finish(folder, "entropy", ADAM, 3)

  net = Net("lstm-updatable", [5, 1, 4])
  net.lstm(6, 4, True, peepholes=True), net.product(3, 6)
  net.finish(folder, "entropy", MOMENTUM, 3)


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
  net.finish(None, "entropy", SGD, len(classes))
  return net.model


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
