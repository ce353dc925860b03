"""Updatable networks, each as a specification and as PyTorch functions."""
import numpy as np
import torch
import torch.nn.functional as F
from coremltools.proto import FeatureTypes_pb2 as types
from coremltools.proto import Model_pb2, NeuralNetwork_pb2

SGD, MOMENTUM, ADAM = ("sgd", dict(lr=0.01, momentum=0.0)), ("sgd", dict(lr=0.005, momentum=0.9)), ("adam", dict(lr=0.005))


def pair(value):
  return (value, value) if isinstance(value, int) else tuple(value)


def edges_of(pad):
  """Padding as ((top, bottom), (left, right)), for one number, one for each axis, or all four."""
  if isinstance(pad, int):
    return ((pad, pad), (pad, pad))
  return tuple((p, p) if isinstance(p, int) else tuple(p) for p in pad)


def same_edges(extents, spans, strides, top_left):
  result = []
  for extent, span, stride in zip(extents, spans, strides):
    total = max((-(-extent // stride) - 1) * stride + span - extent, 0)
    small, large = total // 2, total - total // 2
    result.append((large, small) if top_left else (small, large))
  return tuple(result)


def padded(x, edges, value=0.0):
  """`x` with more elements around it, or fewer where an amount is negative."""
  (top, bottom), (left, right) = edges
  return F.pad(x, (left, right, top, bottom), value=value)


class Net:
  """A network as a specification and as PyTorch functions."""

  def __init__(self, name, shape, mapping="old", classes=None, updatable=True, sequence=False):
    self.name, self.shape, self.mapping, self.sequence = name, shape, mapping, sequence
    self.random = np.random.default_rng(sum(name.encode()))
    self.model = Model_pb2.Model(specificationVersion=4, isUpdatable=True)
    self.classes = classes
    self.network = self.model.neuralNetworkClassifier if classes else self.model.neuralNetwork
    if mapping == "exact":
      self.network.arrayInputShapeMapping = NeuralNetwork_pb2.EXACT_ARRAY_MAPPING
    self.blob, self.functions, self.parameters, self.targets, self.updatable = "x", [], {}, {}, updatable
    declared = shape[-1:] if sequence else shape
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
      self.parameters[key], self.targets[key] = tensor, target
    return tensor

  # MARK: Layers

  def product(self, outputs, inputs, updatable=None, bias=True):
    updatable = self.updatable if updatable is None else updatable
    layer = self.layer("product", updatable)
    p = layer.innerProduct
    p.inputChannels, p.outputChannels, p.hasBias = inputs, outputs, bias
    w = self.weights(p.weights, self.values(outputs, inputs), updatable and layer.name + ".weights")
    b = self.weights(p.bias, self.values(outputs, scale=0.1), updatable and layer.name + ".biases") if bias else None
    # A sequence keeps its steps.
    self.functions.append(lambda x: F.linear(x if x.dim() == 2 or self.sequence else x.reshape(len(x), -1), w, b))
    return self

  def conv(
    self, outputs, inputs, kernel=3, stride=1, pad=0, groups=1, dilation=1, same=None, transposed=False, bias=True, size=None,
    updatable=None):
    """`same`: "end" or "start", where the larger part of the padding is. `size`: the extents of the result of a transposed convolution."""
    updatable = self.updatable if updatable is None else updatable
    kernel, stride, dilation, edges = pair(kernel), pair(stride), pair(dilation), edges_of(pad)
    layer = self.layer("convolution", updatable)
    c = layer.convolution
    c.outputChannels, c.kernelChannels, c.nGroups, c.hasBias = outputs, inputs if transposed else inputs // groups, groups, bias
    c.kernelSize.extend(kernel)
    c.stride.extend(stride)
    c.dilationFactor.extend(dilation)
    c.isDeconvolution = transposed
    c.outputShape.extend(size or ())
    if same:
      c.same.asymmetryMode = 1 if same == "start" else 0
    else:
      for start, end in edges:
        edge = c.valid.paddingAmounts.borderAmounts.add()
        edge.startEdgeSize, edge.endEdgeSize = start, end
    shape = (inputs, outputs // groups, *kernel) if transposed else (outputs, inputs // groups, *kernel)
    w = self.weights(c.weights, self.values(*shape), updatable and layer.name + ".weights")
    b = self.weights(c.bias, self.values(outputs, scale=0.1), updatable and layer.name + ".biases") if bias else None
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]

    def convolve(x):
      amounts = same_edges(x.shape[2:], spans, stride, same == "start") if same else edges
      return F.conv2d(padded(x, amounts), w, b, stride, 0, dilation, groups)

    def deconvolve(x):
      full = F.conv_transpose2d(x, w, b, stride, 0, 0, groups, dilation)
      amounts = edges
      if same or size:
        extents = size or [e * s for e, s in zip(x.shape[2:], stride)]
        totals = [f - e for f, e in zip(full.shape[2:], extents)]
        starts = [max(t, 0) // 2 if same != "start" else max(t, 0) - max(t, 0) // 2 for t in totals]
        amounts = [(s, t - s) for s, t in zip(starts, totals)]
        if size and any(map(any, edges)):
          amounts = [(start, t - start) for (start, _), t in zip(edges, totals)]
      return padded(full, [(-a, -b) for a, b in amounts])

    self.functions.append(deconvolve if transposed else convolve)
    return self

  def activate(self, kind):
    getattr(self.layer("activation").activation, kind).SetInParent()
    self.functions.append({"ReLU": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}[kind])
    return self

  def pool(self, kind, kernel=2, stride=2, pad=0, same=None, last_pixel=False, exclude=False, whole=False):
    kernel, stride, edges = pair(kernel), pair(stride), edges_of(pad)
    p = self.layer("pooling").pooling
    p.type = {"max": 0, "average": 1, "l2": 2}[kind]
    p.globalPooling, p.avgPoolExcludePadding = whole, exclude
    if not whole:
      p.kernelSize.extend(kernel)
      p.stride.extend(stride)
    if same:
      p.same.asymmetryMode = 1 if same == "start" else 0
    elif last_pixel:
      p.includeLastPixel.paddingAmounts.extend(start for start, _ in edges)
    else:
      for start, end in edges:
        edge = p.valid.paddingAmounts.borderAmounts.add()
        edge.startEdgeSize, edge.endEdgeSize = start, end

    def run(x):
      extents = x.shape[2:]
      k, s, amounts = (extents, extents, ((0, 0), (0, 0))) if whole else (kernel, stride, edges)
      if same:
        amounts = same_edges(extents, k, s, same == "start")
      counts = [(e + a + b - n) // t + 1 for e, (a, b), n, t in zip(extents, amounts, k, s)]
      if last_pixel:
        counts = []
        for e, (a, _), n, t in zip(extents, edges, k, s):
          count = -(-(e + 2 * a - n) // t) + 1
          counts.append(count - 1 if any(map(any, edges)) and (count - 1) * t >= e + a else count)
      # What the windows cover, which may be more or less than what the padding makes.
      covered = [(a, (c - 1) * t + n - e - a) for e, (a, _), n, t, c in zip(extents, amounts, k, s, counts)]
      if kind == "max":
        return F.max_pool2d(padded(x, covered, -torch.inf), k, s)
      area = k[0] * k[1]
      if kind == "l2":
        return torch.sqrt(F.avg_pool2d(padded(x * x, covered), k, s) * area)
      ones = torch.ones(1, 1, *extents)
      if not exclude:
        ones = padded(ones, amounts, 1.0)
      rest = covered if exclude else [(0, b - d) for (_, b), (_, d) in zip(covered, amounts)]
      return F.avg_pool2d(padded(x, covered), k, s) / F.avg_pool2d(padded(ones, rest), k, s)

    self.functions.append(run)
    return self

  def norm(self, channels, epsilon=1e-3):
    n = self.layer("batchnorm").batchnorm
    n.channels, n.epsilon = channels, epsilon
    parts = [self.values(channels, scale=0.3) for _ in range(4)]
    gamma, beta, mean, variance = (
      self.weights(target, value)
      for target, value in zip(
        (n.gamma, n.beta, n.mean, n.variance), (1 + parts[0], parts[1], parts[2], 0.5 + np.abs(parts[3]))))
    self.functions.append(lambda x: F.batch_norm(x, mean, variance, gamma, beta, False, 0, epsilon))
    return self

  def flatten(self, channels_last=False):
    self.layer("flatten").flatten.mode = 1 if channels_last else 0
    self.functions.append(lambda x: (x.permute(0, 2, 3, 1) if channels_last else x).reshape(len(x), -1))
    return self

  RECURRENT = {
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "ReLU": torch.relu, "linear": lambda x: x,
    "sigmoidHard": lambda x: (x * 0.2 + 0.5).clamp(0, 1), "scaledTanh": lambda x: 1.7159 * torch.tanh(x * 2 / 3),
  }

  def lstm(
    self, size, inputs, updatable=None, sequence=False, peepholes=False, reverse=False, coupled=False, forget_bias=False, bias=True,
    functions=("sigmoid", "tanh", "tanh")):
    updatable = self.updatable if updatable is None else updatable
    layer = self.layer("lstm", updatable)
    layer.output.extend([layer.name + "_hidden", layer.name + "_cell"])
    l = layer.uniDirectionalLSTM
    l.inputVectorSize, l.outputVectorSize, l.reverseInput = inputs, size, reverse
    for kind in functions:
      activation = l.activations.add()
      getattr(activation, kind).SetInParent()
      # The constants that the format's comments give.
      if kind == "sigmoidHard":
        activation.sigmoidHard.alpha, activation.sigmoidHard.beta = 0.2, 0.5
      if kind == "scaledTanh":
        activation.scaledTanh.alpha, activation.scaledTanh.beta = 1.7159, 2 / 3
    gate_function, cell_function, output_function = (self.RECURRENT[kind] for kind in functions)
    l.params.hasBiasVectors, l.params.sequenceOutput, l.params.hasPeepholeVectors = bias, sequence, peepholes
    l.params.coupledInputAndForgetGate, l.params.forgetBias = coupled, forget_bias
    l.params.cellClipThreshold = 50
    w, u, b, p = {}, {}, {}, {}
    for gate, word in zip("ifoz", ("input", "forget", "output", "block")):
      def target(kind):
        return getattr(l.weightParams, f"{word}Gate{kind}" if word != "block" else f"blockInput{kind}")

      if gate == "f" and coupled:
        # The forget gate's weights are in the file, but nothing depends on them.
        for kind, count, is_there in (
            ("WeightMatrix", size * inputs, True), ("RecursionMatrix", size * size, True), ("BiasVector", size, bias),
            ("PeepholeVector", size, peepholes)):
          if is_there:
            self.weights(target(kind), np.zeros(count, np.float32))
        continue
      key = updatable and f"{layer.name}.{gate}"
      w[gate] = self.weights(target("WeightMatrix"), self.values(size, inputs), key and key + ".w")
      u[gate] = self.weights(target("RecursionMatrix"), self.values(size, size), key and key + ".u")
      b[gate] = self.weights(target("BiasVector"), self.values(size, scale=0.1), key and key + ".b") if bias else 0
      if peepholes and gate != "z":
        p[gate] = self.weights(target("PeepholeVector"), self.values(size, scale=0.3), key and key + ".p")

    def run(x):
      # x: [batch, steps, inputs]
      h = c = torch.zeros(len(x), size)
      states = []
      steps = range(x.shape[1])
      for step in reversed(steps) if reverse else steps:
        sums = {g: x[:, step] @ w[g].T + h @ u[g].T + b[g] for g in w}
        i = gate_function(sums["i"] + (p["i"] * c if peepholes else 0))
        f = 1 - i if coupled else gate_function(sums["f"] + (p["f"] * c if peepholes else 0))
        c = (f * c + i * cell_function(sums["z"])).clamp(-50, 50)
        o = gate_function(sums["o"] + (p["o"] * c if peepholes else 0))
        h = o * output_function(c)
        states.append(h)
      return torch.stack(states, 1) if sequence else h

    self.functions.append(run)
    return self

  # MARK: Training

  def finish(self, loss, optimizer, outputs, batch, epochs, seed=None):
    """Adds the loss and the optimiser. `outputs` is the number of elements that the loss gets for a sample, or their shape."""
    self.entropy = loss == "entropy"
    if self.entropy:
      self.layer("softmax").softmax.SetInParent()
    shape = [outputs] if isinstance(outputs, int) else list(outputs)
    self.outputs, self.batch, self.epochs, self.seed = shape, batch, epochs, seed
    update, description = self.network.updateParams, self.model.description
    layer = update.lossLayers.add(name="loss")
    target = layer.categoricalCrossEntropyLossLayer if self.entropy else layer.meanSquaredErrorLossLayer
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
      # With the exact mapping the result keeps the four axes of a picture.
      is_picture = self.mapping == "exact" and len(self.shape) == 4
      self.array(description.output, self.blob, [1, *shape, 1, 1] if is_picture and len(shape) == 1 else shape)
      target.target = "y"
      if self.entropy:
        self.array(description.trainingInput, "y", [1], types.ArrayFeatureType.INT32)
      else:
        self.array(description.trainingInput, "y", shape)
    update.epochs.defaultValue = epochs
    update.epochs.range.minValue, update.epochs.range.maxValue = 1, 1000
    update.shuffle.defaultValue = seed is not None
    if seed is not None:
      update.seed.defaultValue = seed
    kind, settings = optimizer
    if kind == "sgd":
      o = update.optimizer.sgdOptimizer
      o.momentum.defaultValue = settings["momentum"]
      o.momentum.range.maxValue = 1
    else:
      o = update.optimizer.adamOptimizer
      o.beta1.defaultValue, o.beta2.defaultValue, o.eps.defaultValue = 0.9, 0.999, 1e-8
      for p in (o.beta1, o.beta2, o.eps):
        p.range.maxValue = 1
    self.optimizer = optimizer
    o.learningRate.defaultValue = settings["lr"]
    o.learningRate.range.maxValue = 1
    o.miniBatchSize.defaultValue = batch
    o.miniBatchSize.set.values.extend([batch, 2 * batch])
    return self

  def samples(self, count):
    """Random samples, in multiples of 1/16, with their expected values."""
    x = np.clip(np.round(self.random.standard_normal((count, *self.shape)) * 16) / 16, -4, 4).astype(np.float32)
    if self.entropy:
      return x, self.random.integers(0, int(np.prod(self.outputs)), count).astype(np.int64)
    return x, np.round(self.random.standard_normal((count, *self.outputs)) * 16).astype(np.float32) / 16

  def train(self, x, y):
    """The losses before each step as PyTorch computes them; the parameters have their last values."""
    kind, settings = self.optimizer
    tensors = list(self.parameters.values())
    optimizer = (torch.optim.SGD if kind == "sgd" else torch.optim.Adam)(tensors, **settings)
    inputs, expected = torch.tensor(x), torch.tensor(y)
    if self.mapping == "exact" and len(self.shape) == 4:
      inputs = inputs[:, 0]
    if self.sequence:
      inputs = inputs[:, :, 0]
    losses = []
    for epoch in range(self.epochs):
      order = np.arange(len(x)) if self.seed is None else shuffled(len(x), self.seed, epoch)
      for start in range(0, len(x), self.batch):
        positions = torch.tensor(order[start:start + self.batch])
        value = inputs[positions]
        for function in self.functions:
          value = function(value)
        wanted = expected[positions]
        error = (
          F.cross_entropy(value.reshape(len(value), -1), wanted) if self.entropy
          else F.mse_loss(value.reshape(wanted.shape), wanted))
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        losses.append(error.item())
    return np.array(losses, np.float64)

  def store_parameters(self):
    """Writes the parameters' present values into the model."""
    for key, tensor in self.parameters.items():
      self.targets[key].floatValue[:] = tensor.detach().numpy().flatten().tolist()


# MARK: Shuffling


def philox(key, position):
  """Philox 4x32-10: four words for a key of 64 bits and a position."""
  c = [position & 0xFFFFFFFF, position >> 32, 0, 0]
  k = [key & 0xFFFFFFFF, key >> 32]
  for _ in range(10):
    a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
    c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
    k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
  return c


def shuffled(count, seed, epoch):
  """The order of samples in a pass."""
  order = np.arange(count)
  for last in range(count - 1, 0, -1):
    bits = philox(seed & 0xFFFFFFFFFFFFFFFF, epoch << 32 | last)
    place = ((bits[0] << 32 | bits[1]) * (last + 1)) >> 64
    order[[last, place]] = order[[place, last]]
  return order


# MARK: Networks


def image(name, outputs, build, *, shape=(2, 7, 6), exact=False, classes=None):
  """A network of the layers that `build` makes, and a product of their results. `outputs`: the number of elements of these."""
  def make(name_suffix, loss):
    mapping = "exact" if exact else "old"
    net = Net(name + name_suffix, [1, *shape] if exact else list(shape), mapping, classes=classes if loss == "entropy" else None)
    build(net)
    return net.product(2, outputs), 2

  return name, make


def variants():
  """Each name with a function of a suffix and a loss that gives the network and the number of elements for the loss."""
  owls = ["cat", "owl"]
  result = []

  def add(name, outputs, build, **options):
    result.append(image(name, outputs, build, **options))

  # Convolutions of [2, 7, 6].
  conv = lambda **o: lambda n: n.conv(3, 2, **o).activate("tanh").flatten()
  add("conv", 60, conv())
  add("conv-exact", 60, conv(), exact=True, classes=owls)
  add("conv-stride", 3 * 3 * 2, conv(stride=2))
  add("conv-strides", 3 * 5 * 2, conv(stride=(1, 2)))
  add("conv-pad", 3 * 7 * 6, conv(pad=1))
  add("conv-pad-uneven", 3 * 8 * 5, conv(pad=((2, 1), (0, 1))), classes=owls)
  add("conv-pad-stride", 3 * 5 * 3, conv(pad=((2, 2), (1, 0)), stride=2))
  add("conv-same", 3 * 7 * 6, conv(same="end"))
  add("conv-same-even", 3 * 7 * 6, conv(kernel=(2, 4), same="end"))
  add("conv-same-start", 3 * 4 * 3, conv(kernel=(3, 4), stride=2, same="start"), exact=True)
  add("conv-same-stride", 3 * 4 * 2, conv(stride=(2, 3), same="end"))
  add("conv-dilation", 3 * 3 * 2, conv(dilation=2))
  add("conv-dilations", 3 * 7 * 2, conv(dilation=(3, 2), kernel=3, pad=((3, 3), (0, 0))))
  add("conv-same-dilation", 3 * 7 * 6, conv(dilation=2, same="end"))
  add("conv-no-bias", 3 * 5 * 4, conv(bias=False))
  add("conv-one", 3 * 7 * 6, conv(kernel=1))
  add("conv-one-stride", 3 * 4 * 2, conv(kernel=1, stride=(2, 3)))
  add("conv-row", 3 * 7 * 4, conv(kernel=(1, 3)))
  add("conv-column", 3 * 5 * 6, conv(kernel=(3, 1)))
  add("conv-large", 3 * 1 * 1, conv(kernel=(7, 6)))
  add("conv-groups", 4 * 5 * 4, lambda n: n.conv(4, 2, groups=2).activate("sigmoid").flatten(), classes=owls)
  add("conv-groups-stride", 6 * 4 * 3, lambda n: n.conv(6, 4, groups=2, stride=2, pad=1).activate("tanh").flatten(), shape=(4, 7, 6))
  add("conv-depthwise", 4 * 5 * 4, lambda n: n.conv(4, 4, groups=4).activate("tanh").flatten(), shape=(4, 7, 6))
  add("conv-depthwise-double", 4 * 7 * 6, lambda n: n.conv(4, 2, groups=2, same="end", bias=False).activate("ReLU").flatten())
  add(
    "conv-many-groups", 18 * 2 * 1,
    lambda n: n.conv(18, 2, kernel=1).conv(18, 18, groups=18, stride=(2, 3), bias=False).activate("tanh").flatten(), shape=(2, 5, 4))
  add(
    "conv-chain", 3 * 2 * 1,
    lambda n: n.conv(3, 2, pad=1).activate("ReLU").conv(4, 3, stride=2).activate("tanh").conv(3, 4, kernel=2).flatten())
  add("conv-fixed", 3 * 3 * 2, lambda n: n.conv(4, 2, updatable=False).activate("tanh").conv(3, 4).flatten())
  add("conv-then-fixed", 3 * 3 * 2, lambda n: n.conv(4, 2).activate("tanh").conv(3, 4, updatable=False).flatten())

  # Transposed convolutions of [2, 4, 3].
  def deconv(name, outputs, inputs=2, channels=3, **options):
    add(
      name, outputs, lambda n: n.conv(channels, inputs, transposed=True, **options).activate("tanh").flatten(), shape=(inputs, 4, 3))

  deconv("deconv", 3 * 6 * 5)
  deconv("deconv-stride", 3 * 9 * 7, stride=2)
  deconv("deconv-pad", 3 * 7 * 5, stride=2, pad=1)
  deconv("deconv-pad-uneven", 3 * 7 * 5, stride=2, pad=((2, 0), (1, 1)))
  deconv("deconv-same", 3 * 8 * 6, stride=2, same="end")
  deconv("deconv-same-start", 3 * 8 * 6, stride=2, same="start")
  deconv("deconv-size", 3 * 8 * 6, stride=2, size=(8, 6), pad=((1, 0), (1, 0)))
  deconv("deconv-groups", 4 * 9 * 7, inputs=4, channels=4, stride=2, groups=2)
  deconv("deconv-dilation", 3 * 8 * 7, dilation=2)
  deconv("deconv-no-bias", 3 * 4 * 6, kernel=(1, 2), stride=(1, 2), bias=False)

  # Pooling after a convolution of [2, 7, 6] to [3, 7, 6].
  def pool(name, size, **options):
    add(name, 3 * size[0] * size[1], lambda n: n.conv(3, 2, pad=1).pool(**options).activate("tanh").flatten())

  for kind in ("max", "average", "l2"):
    pool(f"pool-{kind}-square", (3, 3), kind=kind)
    pool(f"pool-{kind}-overlap", (5, 4), kind=kind, kernel=3, stride=1)
    pool(f"pool-{kind}-gap", (3, 2), kind=kind, kernel=(1, 2), stride=(3, 3))
    pool(f"pool-{kind}-pad", (4, 3), kind=kind, kernel=3, stride=2, pad=((1, 1), (1, 0)))
    pool(f"pool-{kind}-same", (4, 3), kind=kind, kernel=(3, 4), stride=2, same="end")
    pool(f"pool-{kind}-same-start", (7, 6), kind=kind, kernel=(2, 4), stride=1, same="start")
    pool(f"pool-{kind}-last-pixel", (4, 3), kind=kind, kernel=2, stride=2, last_pixel=True)
    pool(f"pool-{kind}-last-pixel-pad", (4, 4), kind=kind, kernel=3, stride=2, pad=1, last_pixel=True)
    pool(f"pool-{kind}-global", (1, 1), kind=kind, whole=True)
  pool("pool-average-exclude", (4, 3), kind="average", kernel=3, stride=2, pad=((1, 1), (1, 0)), exclude=True)
  pool("pool-average-exclude-same", (4, 3), kind="average", kernel=(3, 4), stride=2, same="end", exclude=True)
  pool("pool-average-exclude-last-pixel", (4, 4), kind="average", kernel=3, stride=2, pad=1, last_pixel=True, exclude=True)

  # Others on images.
  add("norm", 60, lambda n: n.conv(3, 2).norm(3).activate("ReLU").flatten())
  add("norm-epsilon", 60, lambda n: n.conv(3, 2).activate("tanh").norm(3, epsilon=0.3).flatten(), exact=True)
  add("flatten-last", 60, lambda n: n.conv(3, 2).activate("sigmoid").flatten(channels_last=True))
  add("no-flatten", 60, lambda n: n.conv(3, 2).activate("tanh"))
  add(
    "deep", 3, lambda n: n.conv(4, 2, pad=1).activate("ReLU").pool("max", 3, 2, 1).conv(6, 4, groups=2).norm(6).activate("ReLU")
    .conv(3, 6, kernel=1).pool("average", whole=True).flatten(), classes=owls, shape=(2, 9, 8))

  def only(name_suffix, loss):
    # Without a product: the loss compares images, or one vector of channels.
    net = Net("conv-only" + name_suffix, [2, 6, 6])
    net.conv(4, 2, stride=2).activate("tanh").conv(3, 4, kernel=2)
    if loss == "entropy":
      net.flatten()
    return net, (3 if loss == "entropy" else (3, 1, 1))

  result.append(("conv-only", only))

  # Products.
  def dense(name, shape, build, mapping="old", classes=None):
    def make(name_suffix, loss):
      net = Net(name + name_suffix, shape, mapping, classes=classes if loss == "entropy" else None)
      build(net)
      return net, 2

    # A softmax, which a cross entropy needs, is for three axes or more.
    if mapping == "exact":
      make.losses = ["squares"]
    result.append((name, make))

  dense("product", [6], lambda n: n.product(2, 6))
  dense("product-no-bias", [6], lambda n: n.product(2, 6, bias=False), classes=owls)
  dense("product-relu", [6], lambda n: n.product(9, 6).activate("ReLU").product(2, 9))
  dense("product-sigmoid", [6], lambda n: n.product(9, 6).activate("sigmoid").product(2, 9, bias=False), "exact")
  dense("product-tanh", [1, 6], lambda n: n.product(9, 6).activate("tanh").product(2, 9), "exact")
  dense("product-deep", [5], lambda n: n.product(8, 5).activate("ReLU").product(7, 8).activate("tanh").product(2, 7), classes=owls)
  dense("product-fixed", [6], lambda n: n.product(9, 6, updatable=False).activate("ReLU").product(2, 9))
  dense("product-then-fixed", [6], lambda n: n.product(9, 6).activate("tanh").product(2, 9, updatable=False))
  dense("product-image", [2, 3, 4], lambda n: n.flatten().product(2, 24))

  # LSTMs of 5 steps.
  def recurrent(name, build, size=4):
    def make(name_suffix, loss):
      net = Net(name + name_suffix, [5, 1, 4], sequence=True)
      build(net)
      net.product(2, size)
      return net, 2

    result.append((name, make))

  recurrent("lstm", lambda n: n.lstm(4, 4))
  recurrent("lstm-no-bias", lambda n: n.lstm(4, 4, bias=False))
  recurrent("lstm-peepholes", lambda n: n.lstm(4, 4, peepholes=True))
  recurrent("lstm-reverse", lambda n: n.lstm(4, 4, reverse=True))
  recurrent("lstm-coupled", lambda n: n.lstm(4, 4, coupled=True))
  recurrent("lstm-forget-bias", lambda n: n.lstm(4, 4, forget_bias=True))
  recurrent("lstm-hard", lambda n: n.lstm(4, 4, functions=("sigmoidHard", "scaledTanh", "linear")))
  recurrent("lstm-linear", lambda n: n.lstm(4, 4, functions=("sigmoid", "ReLU", "tanh")))
  recurrent("lstm-twice", lambda n: n.lstm(5, 4, sequence=True).lstm(4, 5))
  recurrent("lstm-reverse-twice", lambda n: n.lstm(5, 4, sequence=True, reverse=True).lstm(4, 5, reverse=True))
  recurrent("lstm-fixed", lambda n: n.product(4, 4).lstm(4, 4, updatable=False))
  recurrent("lstm-first-fixed", lambda n: n.lstm(4, 4, updatable=False, sequence=True).lstm(4, 4))
  return result
