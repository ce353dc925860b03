#!/usr/bin/env python3
"""Writes neural networks for the tests of inspection, compiled folders, plans and the command-line tool.

  python Oracles/make_network_fixtures.py FOLDER

`picture_classifier.mlmodel` classifies a picture; its weights have three encodings, and one of its layers can be trained.
`network_pipeline.mlmodel` is a network with a branch and a dense one behind it.
`custom_layer.mlmodel` has a layer that a program must provide.
"""
import sys
from pathlib import Path

import numpy as np
from coremltools.proto import FeatureTypes_pb2 as types
from coremltools.proto import Model_pb2

random = np.random.default_rng(17)


def feature(list_, name, *shape):
  item = list_.add()
  item.name = name
  item.type.multiArrayType.shape.extend(shape)
  item.type.multiArrayType.dataType = types.ArrayFeatureType.FLOAT32
  return item


def values(*shape):
  return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


def layer(network, name, inputs, outputs):
  item = network.layers.add()
  item.name = name
  item.input.extend(inputs)
  item.output.extend(outputs)
  return item


def product(network, name, input_, output, rows, columns):
  parameters = layer(network, name, [input_], [output]).innerProduct
  parameters.inputChannels, parameters.outputChannels, parameters.hasBias = columns, rows, True
  parameters.bias.floatValue.extend(values(rows))
  return parameters


def picture_classifier():
  model = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
  picture = model.description.input.add(name="picture").type.imageType
  picture.width, picture.height, picture.colorSpace = 16, 12, types.ImageFeatureType.RGB
  bonus = feature(model.description.input, "bonus", 8 * 10 * 14)
  bonus.type.isOptional = True
  probabilities = model.description.output.add(name="probabilities")
  probabilities.type.dictionaryType.stringKeyType.SetInParent()
  model.description.output.add(name="label").type.stringType.SetInParent()
  model.description.predictedFeatureName = "label"
  model.description.predictedProbabilitiesName = "probabilities"
  training = model.description.trainingInput
  training.add(name="picture").type.imageType.CopyFrom(picture)
  training.add(name="label").type.stringType.SetInParent()

  network = model.neuralNetworkClassifier
  network.stringClassLabels.vector.extend(["ant", "bee", "cat", "dog", "eel", "fox"])
  network.labelProbabilityLayerName = "probabilities"
  step = network.preprocessing.add(featureName="picture")
  step.scaler.channelScale = 1 / 127.5
  step.scaler.redBias, step.scaler.greenBias, step.scaler.blueBias = -1, -0.5, -0.25

  convolution = layer(network, "edges", ["picture"], ["edges"]).convolution
  convolution.outputChannels, convolution.kernelChannels, convolution.nGroups = 8, 3, 1
  convolution.kernelSize.extend([3, 3])
  convolution.stride.extend([1, 1])
  convolution.valid.SetInParent()
  convolution.weights.float16Value = values(8, 3, 3, 3).astype(np.float16).tobytes()
  layer(network, "relu", ["edges"], ["active"]).activation.ReLU.SetInParent()
  flat = layer(network, "flat", ["active"], ["flat"])
  flat.flatten.SetInParent()
  # More than 64 KiB, so that the weight is found again by its place only.
  layer(network, "more", ["flat", "bonus"], ["sum"]).add.SetInParent()
  hidden = product(network, "hidden", "sum", "hidden", 40, 8 * 10 * 14)
  hidden.weights.floatValue.extend(values(40, 8 * 10 * 14).ravel())
  network.layers[-1].isUpdatable = True
  hidden.weights.isUpdatable = hidden.bias.isUpdatable = True
  scores = product(network, "scores", "hidden", "scores", 6, 40)
  scores.weights.rawValue = bytes(random.integers(0, 256, 6 * 40 // 2, dtype=np.uint8))
  scores.weights.quantization.numberOfBits = 4
  scores.weights.quantization.linearQuantization.scale.append(0.05)
  scores.weights.quantization.linearQuantization.bias.append(-0.4)
  layer(network, "softmax", ["scores"], ["probabilities"]).softmax.SetInParent()

  update = network.updateParams
  loss = update.lossLayers.add(name="loss").categoricalCrossEntropyLossLayer
  loss.input, loss.target = "probabilities", "label"
  optimizer = update.optimizer.sgdOptimizer
  optimizer.learningRate.defaultValue = 0.25
  optimizer.learningRate.range.minValue, optimizer.learningRate.range.maxValue = 0, 1
  optimizer.miniBatchSize.defaultValue = 4
  optimizer.miniBatchSize.set.values.extend([4, 8])
  optimizer.momentum.defaultValue = 0.5
  update.epochs.defaultValue = 3
  update.epochs.set.values.extend([3])
  return model


def branching(input_, output):
  model = Model_pb2.Model(specificationVersion=4)
  feature(model.description.input, input_, 4)
  feature(model.description.output, output, 4)
  network = model.neuralNetwork
  network.arrayInputShapeMapping = 1
  total = layer(network, "total", [input_], ["total"]).reduceSum
  total.reduceAll = True
  branch = layer(network, "choice", ["total"], []).branch
  layer(branch.ifBranch, "negate", [input_], [output]).activation.linear.alpha = -1
  layer(branch.elseBranch, "same", [input_], [output]).copy.SetInParent()
  return model


def dense(input_, output):
  model = Model_pb2.Model(specificationVersion=4)
  feature(model.description.input, input_, 4)
  feature(model.description.output, output, 3)
  model.neuralNetwork.arrayInputShapeMapping = 1
  product(model.neuralNetwork, "dense", input_, output, 3, 4).weights.floatValue.extend(values(3, 4).ravel())
  return model


def pipeline():
  model = Model_pb2.Model(specificationVersion=4)
  feature(model.description.input, "x", 4)
  feature(model.description.output, "y", 3)
  model.pipeline.names.extend(["first", "second"])
  model.pipeline.models.extend([branching("x", "h"), dense("h", "y")])
  return model


def custom():
  model = Model_pb2.Model(specificationVersion=4)
  feature(model.description.input, "x", 4)
  feature(model.description.output, "y", 4)
  model.neuralNetwork.arrayInputShapeMapping = 1
  parameters = layer(model.neuralNetwork, "mine", ["x"], ["y"]).custom
  parameters.className = "Swirl"
  parameters.parameters["angle"].doubleValue = 0.5
  parameters.parameters["mode"].stringValue = "left"
  parameters.weights.add().floatValue.extend([1, 2, 3])
  return model


folder = Path(sys.argv[1])
for name, model in [("picture_classifier", picture_classifier()), ("network_pipeline", pipeline()), ("custom_layer", custom())]:
  (folder / f"{name}.mlmodel").write_bytes(model.SerializeToString(deterministic=True))
