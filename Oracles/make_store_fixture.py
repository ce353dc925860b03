"""Makes the package that the tests of compiled models and of the model store use: a convolution, an activation and a linear layer.

    python Oracles/make_store_fixture.py Tests/MartletTests/Fixtures/network.mlpackage
"""

import sys

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb

random = np.random.default_rng(7)


@mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8, 8))], opset_version=ct.target.iOS17)
def network(image):
  """The weights are too large to be stored in the program itself."""
  weight = random.standard_normal((16, 3, 3, 3)).astype(np.float32)
  x = mb.conv(x=image, weight=weight, bias=random.standard_normal(16).astype(np.float32), pad_type="same", name="features")
  x = mb.relu(x=x)
  x = mb.reduce_mean(x=x, axes=[2, 3], keep_dims=False)
  matrix = random.standard_normal((5, 16)).astype(np.float32)
  return mb.linear(x=x, weight=matrix, bias=random.standard_normal(5).astype(np.float32), name="scores")


model = ct.convert(
  network, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32, minimum_deployment_target=ct.target.iOS17)
model.save(sys.argv[1])
