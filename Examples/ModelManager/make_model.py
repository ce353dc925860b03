"""Trains Sources/Fruit/Ripeness.mlmodel: a logistic regression of two measurements, on fruits that are drawn at random.

    python make_model.py
"""

import pathlib

import numpy as np
from coremltools.proto import Model_pb2 as model_pb2

LABELS = ["ripe", "unripe"]

random = np.random.default_rng(7)
firmness = random.uniform(0, 10, 2000)
hue = random.uniform(0, 120, 2000)
ripe = (firmness * 8 + hue + random.normal(0, 10, 2000) < 90).astype(float)

# Gradient descent on standardised inputs; afterwards the weights are those of the original ones.
inputs = np.stack([firmness, hue], axis=1)
mean, scale = inputs.mean(axis=0), inputs.std(axis=0)
standard = (inputs - mean) / scale
weights, offset = np.zeros(2), 0.0
for _ in range(2000):
    error = 1 / (1 + np.exp(-(standard @ weights + offset))) - ripe
    weights -= 0.5 * standard.T @ error / len(error)
    offset -= 0.5 * error.mean()
weights, offset = weights / scale, offset - (weights * mean / scale).sum()

model = model_pb2.Model(specificationVersion=1)
description = model.description
description.metadata.shortDescription = "Tells ripe fruits from unripe ones."
array = description.input.add(name="measurements", shortDescription="Firmness in newtons and hue in degrees")
array.type.multiArrayType.dataType = 65600
array.type.multiArrayType.shape.append(2)
label = description.output.add(name="label", shortDescription="The more probable class")
label.type.stringType.SetInParent()
probabilities = description.output.add(name="probabilities", shortDescription="Probability of each class")
probabilities.type.dictionaryType.stringKeyType.SetInParent()
description.predictedFeatureName, description.predictedProbabilitiesName = "label", "probabilities"
classifier = model.glmClassifier
classifier.weights.add(value=-weights)
classifier.offset.append(-offset)
classifier.stringClassLabels.vector.extend(LABELS)
path = pathlib.Path(__file__).parent / "Sources/Fruit/Ripeness.mlmodel"
path.write_bytes(model.SerializeToString(deterministic=True))
print(f"{path.name}: accuracy {((standard @ (weights * scale) + offset + (weights * mean).sum() > 0) == (ripe > 0)).mean():.3f}")
