#!/usr/bin/env python3
"""Writes neural networks of Core ML (shapes of five axes, Seq = Batch = 1) as ONNX, layer by layer, to compare numbers and speed with
ONNX Runtime.

  python Oracles/network_to_onnx.py NETWORK.mlmodel... --out FOLDER

Covers the layers of image networks of 2017 to 2019; any other layer ends the script with its name. Pictures are float32 arrays
[1, channels, height, width] of samples from 0 to 255.
"""
import argparse
from pathlib import Path

import numpy as np
import onnx
from coremltools.proto import Model_pb2
from onnx import TensorProto, helper, numpy_helper


def weights(message, count):
  """The values of a WeightParams message in float32."""
  if message.floatValue:
    return np.array(message.floatValue, np.float32)
  if message.float16Value:
    return np.frombuffer(message.float16Value, np.float16).astype(np.float32)
  width = message.quantization.numberOfBits
  bits = np.unpackbits(np.frombuffer(message.rawValue, np.uint8))[: count * width].reshape(count, width)
  indices = (bits * (1 << np.arange(width)[::-1])).sum(1)
  if message.quantization.WhichOneof("QuantizationType") == "lookupTableQuantization":
    return np.array(message.quantization.lookupTableQuantization.floatValue, np.float32)[indices]
  linear = message.quantization.linearQuantization
  scale, bias = np.array(linear.scale, np.float32), np.array(linear.bias, np.float32)
  return (indices.reshape(len(scale), -1) * scale[:, None] + bias[:, None]).astype(np.float32).reshape(-1)


class Writer:
  def __init__(self, path):
    self.model = Model_pb2.Model()
    self.model.ParseFromString(path.read_bytes())
    self.network = getattr(self.model, self.model.WhichOneof("Type"))
    self.nodes, self.constants, self.names = [], [], {}

  def constant(self, array):
    name = f"constant_{len(self.constants)}"
    self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
    return name

  def node(self, op, inputs, output, **attributes):
    self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
    return output

  def write(self, path):
    feature = self.model.description.input[0]
    kind = feature.type.WhichOneof("Type")
    if kind == "imageType":
      image = feature.type.imageType
      shape = [1, 1 if image.colorSpace == 10 else 3, image.height, image.width]
    else:
      shape = [1, *feature.type.multiArrayType.shape]
    for step in self.network.preprocessing:
      self.scale(feature.name, step.scaler, shape[1])
    for layer in self.network.layers:
      kind = layer.WhichOneof("layer")
      row = getattr(self, kind, None)
      if row is None:
        raise SystemExit(f"{path}: the layer {layer.name} is of the kind {kind}, which this script does not write")
      inputs = [self.names.get(name, name) for name in layer.input]
      self.names.pop(layer.output[0], None)
      row(getattr(layer, kind), inputs, layer.output[0])
    outputs = [output.name for output in self.model.description.output]
    if self.model.WhichOneof("Type") == "neuralNetworkClassifier":
      outputs = [self.network.labelProbabilityLayerName or self.network.layers[-1].output[0]]
    graph = helper.make_graph(
      self.nodes, path.stem, [helper.make_tensor_value_info(feature.name, TensorProto.FLOAT, shape)],
      [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs], self.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)

  def scale(self, name, scaler, channels):
    bias = [scaler.grayBias] if channels == 1 else [scaler.redBias, scaler.greenBias, scaler.blueBias]
    if scaler.channelScale == 1 and not any(bias):
      return
    scaled = self.node("Mul", [name, self.constant(np.float32(scaler.channelScale))], name + "_scaled")
    bias = self.constant(np.array(bias, np.float32).reshape(1, -1, 1, 1))
    self.names[name] = self.node("Add", [scaled, bias], name + "_biased")

  # One method for each kind of layer.

  def convolution(self, p, inputs, output):
    assert not p.isDeconvolution
    kernel = list(p.kernelSize) or [3, 3]
    shape = (p.outputChannels, p.kernelChannels, *kernel)
    attributes = dict(
      kernel_shape=kernel, strides=list(p.stride) or [1, 1], dilations=list(p.dilationFactor) or [1, 1], group=max(p.nGroups, 1))
    if p.WhichOneof("ConvolutionPaddingType") == "same":
      attributes["auto_pad"] = "SAME_UPPER" if p.same.asymmetryMode == 0 else "SAME_LOWER"
    else:
      attributes["pads"] = self.borders(p.valid.paddingAmounts.borderAmounts)
    operands = [inputs[0], self.constant(weights(p.weights, int(np.prod(shape))).reshape(shape))]
    if p.hasBias:
      operands.append(self.constant(weights(p.bias, p.outputChannels)))
    self.node("Conv", operands, output, **attributes)

  @staticmethod
  def borders(amounts):
    if not amounts:
      return [0, 0, 0, 0]
    return [amounts[0].startEdgeSize, amounts[1].startEdgeSize, amounts[0].endEdgeSize, amounts[1].endEdgeSize]

  def activation(self, p, inputs, output):
    kind = p.WhichOneof("NonlinearityType")
    if kind in ("ReLU", "sigmoid", "tanh"):
      self.node({"ReLU": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh"}[kind], inputs, output)
    elif kind == "linear":
      factor = [inputs[0], self.constant(np.float32(p.linear.alpha))]
      if p.linear.beta == 0:
        self.node("Mul", factor, output)
      else:
        self.node("Add", [self.node("Mul", factor, output + "_product"), self.constant(np.float32(p.linear.beta))], output)
    else:
      raise SystemExit(f"the activation {kind} is not written by this script")

  def unary(self, p, inputs, output):
    assert p.type == p.THRESHOLD and p.scale in (0, 1) and p.shift == 0
    self.node("Max", [inputs[0], self.constant(np.float32(p.alpha))], output)

  def add(self, p, inputs, output):
    self.binary("Add", p.alpha, inputs, output)

  def multiply(self, p, inputs, output):
    self.binary("Mul", p.alpha, inputs, output)

  def binary(self, op, number, inputs, output):
    operands = inputs if len(inputs) > 1 else [inputs[0], self.constant(np.float32(number))]
    for position, operand in enumerate(operands[1:-1]):
      operands[0] = self.node(op, [operands[0], operand], f"{output}_{position}")
    self.node(op, [operands[0], operands[-1]], output)

  def batchnorm(self, p, inputs, output):
    parameters = [self.constant(weights(values, p.channels)) for values in (p.gamma, p.beta, p.mean, p.variance)]
    self.node("BatchNormalization", [inputs[0], *parameters], output, epsilon=p.epsilon or 1e-5)

  def concat(self, p, inputs, output):
    self.node("Concat", inputs, output, axis=1)

  def loadConstant(self, p, inputs, output):
    shape = [1, *p.shape]
    self.node("Identity", [self.constant(weights(p.data, int(np.prod(shape))).reshape(shape))], output)

  def pooling(self, p, inputs, output):
    is_average = p.type == p.AVERAGE
    if p.globalPooling:
      self.node("GlobalAveragePool" if is_average else "GlobalMaxPool", inputs, output)
      return
    attributes = dict(kernel_shape=list(p.kernelSize) or [3, 3], strides=list(p.stride) or [1, 1])
    if is_average:
      attributes["count_include_pad"] = 0 if p.avgPoolExcludePadding else 1
    if p.WhichOneof("PoolingPaddingType") == "same":
      attributes["auto_pad"] = "SAME_UPPER"
    else:
      attributes["pads"] = self.borders(p.valid.paddingAmounts.borderAmounts)
    self.node("AveragePool" if is_average else "MaxPool", inputs, output, **attributes)

  def padding(self, p, inputs, output):
    top, left, bottom, right = self.borders(p.paddingAmounts.borderAmounts)
    amounts = self.constant(np.array([0, 0, top, left, 0, 0, bottom, right], np.int64))
    self.node("Pad", [inputs[0], amounts, self.constant(np.float32(p.constant.value))], output)

  def upsample(self, p, inputs, output):
    factors = self.constant(np.array([1, 1, *(list(p.scalingFactor) or [1, 1])], np.float32))
    attributes = dict(mode="nearest", nearest_mode="floor") if p.mode == p.NN else dict(mode="linear")
    assert p.mode == p.NN or p.linearUpsampleMode == p.DEFAULT
    self.node("Resize", [inputs[0], "", factors], output, coordinate_transformation_mode="asymmetric", **attributes)

  def resizeBilinear(self, p, inputs, output):
    grid = {0: "align_corners", 1: "align_corners", 2: "asymmetric", 3: "half_pixel"}[p.mode.samplingMethod]
    shape = self.node("Shape", inputs, output + "_shape", start=0, end=2)
    shape = self.node("Concat", [shape, self.constant(np.array(p.targetSize, np.int64))], output + "_size", axis=0)
    self.node("Resize", [inputs[0], "", "", shape], output, mode="linear", coordinate_transformation_mode=grid)

  def reduce(self, p, inputs, output):
    assert p.mode == p.ARGMAX and p.axis == p.C
    self.node("Cast", [self.node("ArgMax", inputs, output + "_index", axis=1, keepdims=1)], output, to=TensorProto.FLOAT)

  def softmax(self, p, inputs, output):
    self.node("Softmax", inputs, output, axis=1)

  def flatten(self, p, inputs, output):
    x = inputs[0]
    if p.mode == p.CHANNEL_LAST:
      x = self.node("Transpose", [x], output + "_planes", perm=[0, 2, 3, 1])
    self.node("Reshape", [x, self.constant(np.array([1, -1, 1, 1]))], output)

  def innerProduct(self, p, inputs, output):
    x = self.node("Reshape", [inputs[0], self.constant(np.array([1, -1]))], output + "_vector")
    shape = (p.outputChannels, p.inputChannels)
    operands = [x, self.constant(weights(p.weights, int(np.prod(shape))).reshape(shape))]
    if p.hasBias:
      operands.append(self.constant(weights(p.bias, p.outputChannels)))
    y = self.node("Gemm", operands, output + "_product", transB=1)
    self.node("Reshape", [y, self.constant(np.array([1, -1, 1, 1]))], output)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("networks", nargs="+", type=Path)
  parser.add_argument("--out", type=Path, required=True)
  arguments = parser.parse_args()
  arguments.out.mkdir(parents=True, exist_ok=True)
  for path in arguments.networks:
    Writer(path).write(arguments.out / (path.stem + ".onnx"))


if __name__ == "__main__":
  main()
