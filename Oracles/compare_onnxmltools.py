#!/usr/bin/env python3
"""Compares recorded cases of Core ML models with a second reading of the same files: onnxmltools converts the model to ONNX, and ONNX
Runtime runs it on the recorded inputs. Martlet runs the model itself.

  python Oracles/compare_onnxmltools.py --martlet PATH [--page Documentation/SecondReading.md] FOLDER...

FOLDERs hold folders of cases. Every difference needs an explanation, which states what the converter or ONNX Runtime reads instead, as a
change of the model or of a result. The script tries it: with that change Martlet must agree with ONNX Runtime. A difference without an
explanation, an explanation that does not hold, and one without a difference end the script with status 1.

Versions: onnxmltools 1.11.2, onnx 1.14.1, onnxruntime 1.17.3, coremltools 7.2, protobuf 3.20.3, numpy 1.26, scipy and pillow.
"""
import argparse
import collections
import copy
import glob
import json
import logging
import math
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import numpy as np
import onnxmltools
import onnxruntime
from coremltools.proto import FeatureTypes_pb2, Model_pb2
from PIL import Image
from scipy.special import expit, logit
from scipy.stats import norm

# ONNX Runtime computes in float32.
TOLERANCE = 1e-4
NUMBERS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
NETWORKS = ("neuralNetwork", "neuralNetworkClassifier", "neuralNetworkRegressor")
RECURRENT = ("simpleRecurrent", "gru", "uniDirectionalLSTM", "biDirectionalLSTM")
BGR = FeatureTypes_pb2.ImageFeatureType.BGR


class Case:
  """A recorded case: the model's message, and the inputs by name as arrays, numbers, texts and dictionaries."""

  def __init__(self, folder):
    record = json.loads((folder / "case.json").read_text())
    self.name = folder.name
    self.family = record["family"]
    self.model = Model_pb2.Model()
    self.model.ParseFromString((folder / record.get("model", "model.mlmodel")).read_bytes())
    self.inputs = {name: self.value(folder, entry) for name, entry in record["inputs"].items()}
    self.images = {
      feature.name: feature.type.imageType
      for feature in [*self.model.description.input, *self.model.description.output] if feature.type.WhichOneof("Type") == "imageType"}

  @staticmethod
  def value(folder, entry):
    if "file" in entry:
      return np.load(folder / entry["file"])
    if "image" in entry:
      return np.asarray(Image.open(folder / entry["image"]))
    if "dictionary" in entry:
      return {(int(key) if entry["keys"] == "int64" else key): value for key, value in entry["dictionary"].items()}
    return next(iter(entry.values()))

  def changed(self, change):
    """A copy that `change` has edited."""
    other = copy.copy(self)
    other.model, other.inputs = copy.deepcopy(self.model), dict(self.inputs)
    change(other)
    return other

  @property
  def kind(self):
    return self.model.WhichOneof("Type")

  @property
  def layers(self):
    return self.parameters.layers if self.kind in NETWORKS else []

  @property
  def parameters(self):
    return getattr(self.model, self.kind)


def martlet(tool, case):
  """The outputs by name: arrays, numbers, texts, dictionaries."""
  with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "model.mlmodel").write_bytes(case.model.SerializeToString())
    command = [tool, "run", str(folder / "model.mlmodel"), "--json", "--threads", "1", "--output", str(folder / "outputs")]
    for name, value in case.inputs.items():
      if isinstance(value, np.ndarray):
        file = folder / f"input{len(command)}"
        if name in case.images:
          file = file.with_suffix(".png")
          Image.fromarray(value).save(file)
        else:
          file = file.with_suffix(".npy")
          np.save(file, value)
        value = str(file)
      elif not isinstance(value, str):
        value = json.dumps(value)
      command += ["--input", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
      raise SystemExit(f"{case.name}: {done.stderr.strip() or done.stdout.strip()}")
    outputs = {}
    for output in json.loads(done.stdout)["outputs"]:
      name = output["name"]
      outputs[name] = np.load(folder / "outputs" / f"{name}.npy") if output["kind"] in ("tensor", "image") else output["value"]
    return outputs


# The second reading


def weights(message):
  """The values of a WeightParams message."""
  if message.float16Value:
    return np.frombuffer(message.float16Value, np.float16).astype(np.float64)
  quantization = message.quantization
  width = quantization.numberOfBits
  bits = np.unpackbits(np.frombuffer(message.rawValue, np.uint8))
  indices = (bits[: len(bits) // width * width].reshape(-1, width) * (1 << np.arange(width)[::-1])).sum(1)
  if quantization.WhichOneof("QuantizationType") == "lookupTableQuantization":
    return np.array(quantization.lookupTableQuantization.floatValue)[indices]
  linear = quantization.linearQuantization
  rows = indices[: len(indices) // len(linear.scale) * len(linear.scale)].reshape(len(linear.scale), -1)
  bias = np.array(linear.bias) if len(linear.bias) else np.zeros(1)
  return (rows * np.array(linear.scale)[:, None] + bias[:, None]).reshape(-1)


def expand(message):
  """Writes weights of other forms as float32, the only one that the converter reads."""
  for field, value in message.ListFields():
    if field.type != field.TYPE_MESSAGE:
      continue
    for part in value if field.label == field.LABEL_REPEATED else [value]:
      if part.DESCRIPTOR.name != "WeightParams":
        expand(part)
      elif not part.floatValue and (part.float16Value or part.rawValue):
        values = weights(part)
        part.Clear()
        part.floatValue.extend(values.tolist())


def legible(case):
  """Writes what the format implies and the converter does not know: weights as float32, defaults of numbers that are 0."""
  for layer in case.layers:
    kind = layer.WhichOneof("layer")
    parameters = getattr(layer, kind)
    expand(parameters)
    if kind in ("uniDirectionalLSTM", "biDirectionalLSTM"):
      parameters.params.cellClipThreshold = parameters.params.cellClipThreshold or 50
    elif kind == "lrn":
      parameters.k = parameters.k or 1
    elif kind == "sequenceRepeat":
      parameters.nRepetitions = parameters.nRepetitions or 1
    elif kind == "unary":
      parameters.scale = parameters.scale or 1


def converted(case):
  return onnxmltools.convert_coreml(case.changed(legible).model, "model").SerializeToString()


def tensor(case, name, value, variable):
  """An input in the form of the converted graph, which has one leading axis for all of samples, Seq and Batch."""
  if variable.type == "tensor(string)":
    return np.array(value, dtype=object).reshape(1, -1)
  value = np.asarray(value)
  rank = len(variable.shape)
  if name in case.images:
    value = value[None, None] if value.ndim == 2 else value.transpose(2, 0, 1)[None]
    if case.images[name].colorSpace == BGR:
      value = value[:, ::-1]
  elif value.ndim == 0:
    value = value.reshape([1] * rank)
  elif value.ndim == rank - 1:
    value = value[None]
  elif case.kind in NETWORKS and not case.parameters.arrayInputShapeMapping and (value.ndim, rank) in ((5, 4), (3, 2)):
    value = value.reshape(-1, *value.shape[2:])
  return value.astype(NUMBERS[variable.type])


def second_reading(case, graph):
  """ONNX Runtime's outputs by name. Recurrent layers of the converted graph take one sequence, so several run one after the other."""
  options = onnxruntime.SessionOptions()
  options.log_severity_level = 4
  options.intra_op_num_threads = 1
  session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
  variables = {variable.name: variable for variable in [*session.get_inputs(), *session.get_overridable_initializers()]}
  names = [variable.name for variable in session.get_outputs()]

  def run(inputs):
    feeds = {
      name: value if variables[name].type.startswith("map") else tensor(case, name, value, variables[name])
      for name, value in inputs.items() if name in variables}
    return dict(zip(names, session.run(None, feeds)))

  sequences = [name for name, value in case.inputs.items() if np.ndim(value) in (3, 5) and np.shape(value)[1] > 1]
  if sequences and any(layer.WhichOneof("layer") in RECURRENT for layer in case.layers):
    runs = [
      run({name: value[:, i : i + 1] for name, value in case.inputs.items()}) for i in range(case.inputs[sequences[0]].shape[1])]
    return {name: np.stack([part[name] for part in runs], 1) for name in names}
  outputs = run(case.inputs)
  for name in outputs:
    if name in case.images:
      samples = np.clip(np.rint(outputs[name][0]), 0, 255)
      if case.images[name].colorSpace == BGR:
        samples = samples[::-1]
      outputs[name] = samples.transpose(1, 2, 0)
  return outputs


# Comparison


def flat(value):
  return np.asarray(value, np.float64).reshape(-1)


def difference(ours, theirs):
  """The largest difference of numbers, relative to the largest number; infinity where values cannot be compared."""
  if isinstance(theirs, list):
    theirs = theirs[0]
  if isinstance(ours, dict):
    theirs = {str(key): value for key, value in theirs.items()} if isinstance(theirs, dict) else {}
    if set(ours) != set(theirs):
      return math.inf
    return difference([float("nan") if ours[key] is None else ours[key] for key in ours], np.array([theirs[key] for key in ours]))
  if isinstance(ours, str):
    return 0.0 if [ours] == [str(text) for text in np.asarray(theirs).reshape(-1)] else math.inf
  ours, theirs = flat(ours), flat(theirs)
  if ours.shape != theirs.shape:
    return math.inf
  apart = ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
  if not apart.any():
    return 0.0
  gap = np.abs(ours - theirs)[apart].max()
  return float(gap / np.abs(theirs[np.isfinite(theirs)]).max(initial=1e-6)) if np.isfinite(gap) else math.inf


def worst(ours, theirs):
  """Over the outputs of the converted graph, which lacks some of the file's."""
  return max(difference(ours[name], theirs[name]) for name in ours if name in theirs)


# Explanations

Explanation = collections.namedtuple("Explanation", "cases text reads result both")
EXPLANATIONS = []


def explains(text, *cases, reads=None, result=None, both=None):
  """States why cases differ, and how that is seen: `reads` edits a case to what the other side reads of it, `result` maps Martlet's outputs
  to those of the other side, `both` edits the case for both sides so that the point in question is out of play."""
  EXPLANATIONS.append(Explanation(cases, text, reads, result, both))


def each(function):
  """A result that maps every number."""

  def mapped(value):
    if isinstance(value, dict):
      return {key: float(function(np.float64(number))) for key, number in value.items()}
    return value if isinstance(value, str) else function(np.asarray(value, np.float64))

  return lambda ours, case: {name: mapped(value) for name, value in ours.items()}


def only_layer(case):
  layer, = case.layers
  return getattr(layer, layer.WhichOneof("layer"))


def without_transform(case):
  case.parameters.postEvaluationTransform = 0


def single_precision(case):
  for node in case.parameters.treeEnsemble.nodes:
    node.branchFeatureValue = float(np.float32(node.branchFeatureValue))
  case.inputs = {name: np.float64(np.float32(value)) for name, value in case.inputs.items()}


def missing_is_unequal(case):
  for node in case.parameters.treeEnsemble.nodes:
    if node.nodeBehavior == node.BranchOnValueNotEqual:
      node.missingValueTracksTrueChild = True


def declared_order(case):
  order = [feature.name for feature in case.model.description.input]
  columns = sorted(case.parameters.inputList, key=lambda column: order.index(column.inputColumn))
  columns = [copy.deepcopy(column) for column in columns]
  del case.parameters.inputList[:]
  case.parameters.inputList.extend(columns)


def without_epsilon(case):
  parameters = only_layer(case)
  parameters.shift -= parameters.epsilon or 1e-6


def one_sample(case):
  case.inputs = {name: value[:1, :1] for name, value in case.inputs.items()}


def sum_mode(case):
  only_layer(case).mode = only_layer(case).SUM


def unlimited(case):
  only_layer(case).params.cellClipThreshold = 0


def channel_norm(ours, case):
  square = np.float64(case.inputs["x"]) ** 2
  return {"y": ours["y"] * np.sqrt(square.sum((-3, -2, -1), keepdims=True) / square.sum(-3, keepdims=True))}


def bias_by_row(ours, case):
  parameters = only_layer(case)
  bias = np.float64(parameters.bias.floatValue)
  rows = np.float64(ours["y"]).reshape(-1, len(bias)) - bias
  return {"y": rows + bias[:, None, None]}


def nine_counted(ours, case):
  """The windows of the last row begin in row 5 of 6: two rows of three lie within the padded input."""
  result = np.float64(ours["y"])
  result[:, -1] *= 6 / 9
  return {"y": result}


explains(
  "ONNX Runtime keeps thresholds and inputs in float32. The format's are doubles, and an input on a threshold goes the other way.",
  "classic-random-forest-classifier-2", reads=single_precision)
explains(
  "At a branch on unequal values ONNX Runtime takes a missing value for unequal. In the format `missingValueTracksTrueChild` alone says "
  "where it goes, at every kind of branch.", "tree-regressor-0", "tree-regressor-1", "tree-regressor-2", reads=missing_is_unequal)
explains(
  "ONNX Runtime's regressors apply no logistic function, so it gives the sum.", "tree-regressor-logistic", reads=without_transform)
explains(
  "ONNX Runtime's linear regressor applies no logistic function, so it gives the sum.", "classic-glm-regressor-logit-0",
  result=each(logit))
explains(
  "ONNX Runtime's `SOFTMAX_ZERO` leaves the sum of a forest of two classes as it is and gives the other class its negative; in the "
  "format it is a logistic function.", "tree-classifier-binary-reference",
  result=lambda ours, case: {"label": ours["label"], "p": {key: logit(p) for key, p in ours["p"].items()}})
explains(
  "The format's probit is the distribution function of the normal distribution; ONNX Runtime computes its inverse, which outside of 0 "
  "to 1 is no number.", "classic-glm-regressor-probit-0", "classic-glm-classifier-ref-probit-0",
  result=each(lambda p: norm.ppf(norm.ppf(p))))
explains(
  "The converter ignores `outputSparse`: it gives all elements, the file asks for a dictionary of those that are not 0.",
  "classic-one-hot-int-sparse-0",
  result=lambda ours, case: {"y": [ours["y"].get(str(i), 0) for i in range(len(case.parameters.int64Categories.vector))]})
explains(
  "The converter joins features in the order of the model's inputs, the format in the order of `inputList`.", "featureVectorizer",
  reads=declared_order)
explains(
  "The converter leaves out the epsilon, which is 1e-6 if the file has 0.", "nn-numpy_nn_layers-Simple-unary_inverse-0",
  "unary-INVERSE-default-epsilon", "unary-RSQRT-default-epsilon", "unary-RSQRT-old", reads=without_epsilon)
explains(
  "The format's `LOGSUM` is the sum of logarithms, ONNX's `ReduceLogSum` the logarithm of the sum.", "reduce-LOGSUM-CHW-old",
  reads=sum_mode, result=each(np.log))
explains(
  "The converter adds the bias along the wrong axis, so that every row gets every bias.", "nnx-embedding-dev", "embedding-old-bias",
  result=bias_by_row)
explains(
  "`includeLastPixel` is Caffe's rule: the part of the last window that lies beyond the padded input is not counted. The converter pads "
  "with zeros, which count.", "pool-AVERAGE-last-pads-k33-s32-old", result=nine_counted)
explains(
  "The format divides by the norm over channels and pixels, the converted graph by the norm over channels.", "l2normalize-0-old",
  result=channel_norm)
explains(
  "ONNX's limit bounds what enters the activations, the format's `cellClipThreshold` the cell.", "lstm-clip-old", both=unlimited)
explains(
  "ONNX normalises over all samples at once, the format over each.", "mvn-01-0-old", "mvn-11-0-old", both=one_sample)
explains(
  "The converted graph has one axis for Seq and Batch, and so moves both where the file moves Seq.", "permute-3120-old", both=one_sample)


# The page


REASONS = [
  (r"Unsupported shape calculation for operator (\w+)", "The converter has no row for"),
  (r"Invalid rank for input|Got invalid dimensions for input|Expected \d+ but got|must be \[N, C, 1, 1\]|must be 3-element|"
   r"along C-axis|divisible by|Dimension mismatch|same shape|broadcast|only be one -1",
   "The converter takes an array for [C] or [C, H, W], and it is not."),
  (r"values does not match tensor's size", "Statistics, biases or weights that the file leaves out."),
  (r"^'\w+'$|'str' object has no attribute 'full_name'|'float' object|has no len|has no attribute '(?:coef0)'|list index out|object is not|cannot reshape",
   "The converter stops with an internal error."),
  (r"at most \d+ input|Unsupport|Categorical indexes|must be 1 but|not supported", "The converter refuses a parameter or a type."),
  (r"Unrecognized attribute|bilinear|does not exist in the graph|not in range|Type Error|size_ % 2|features_per_batch",
   "ONNX Runtime refuses the converted graph, which breaks rules of ONNX."),
]


def reason(error):
  """What the message of an exception means, and what it names."""
  text = str(error).strip().split("\n")[0]
  for pattern, meaning in REASONS:
    match = re.search(pattern, text)
    if match:
      return meaning, match[1] if match.groups() else None
  return "`" + re.sub(r"^\[ONNXRuntimeError\] : \d+ : |[|`]", "", text)[:140].strip() + "`", None


class Family:
  """The cases of a family, by what became of them."""

  def __init__(self):
    self.count, self.refused, self.stopped, self.agree, self.differ = 0, [], [], [], []

  def compare(self, case, tool):
    self.count += 1
    try:
      graph = converted(case)
    except Exception as error:
      return self.refused.append((case.name, error))
    try:
      theirs = second_reading(case, graph)
    except Exception as error:
      return self.stopped.append((case.name, error))
    gap = worst(martlet(tool, case), theirs)
    if gap <= TOLERANCE:
      self.agree.append(case.name)
    else:
      self.differ.append((case, gap, theirs))


def holds(tool, explanation, case, theirs):
  if explanation.both:
    case = case.changed(explanation.both)
    theirs = second_reading(case, converted(case))
  ours = martlet(tool, case.changed(explanation.reads) if explanation.reads else case)
  return worst(explanation.result(ours, case) if explanation.result else ours, theirs) <= TOLERANCE


def page(families, differ):
  lines = [
    "# A second reading of old models", "",
    "The recorded cases of neural networks and classic models once more, by others: onnxmltools 1.11.2 converts each model to ONNX, and",
    "ONNX Runtime 1.17.3 runs it on the recorded inputs. Martlet runs the model itself. Numbers agree if they differ by at most 1e-4 of",
    "the largest, since ONNX Runtime computes in float32. Generated by `Oracles/compare_onnxmltools.py`, which also tries each explanation",
    "below: with the model or the result changed as it says, Martlet agrees with ONNX Runtime.", "",
    "| family | cases | not converted | not run | agree | differ |", "|---|--:|--:|--:|--:|--:|"]
  for name, family in families.items():
    counts = [family.count, len(family.refused), len(family.stopped), len(family.agree), len(family.differ)]
    lines.append(" | ".join([f"| `{name}`", *map(str, counts)]) + " |")
  lines += ["", "## Differences", "", "| cases | what differs | largest, relative |", "|---|---|--:|"]
  for explanation in EXPLANATIONS:
    gap = max(differ[name][1] for name in explanation.cases)
    names = ", ".join(f"`{name}`" for name in explanation.cases)
    lines.append(f"| {names} | {explanation.text} | {f'{gap:.1g}' if math.isfinite(gap) else 'other values'} |")
  lines += [
    "", "## Not compared", "", "The converter dates from the time before arrays of any rank and the layers that came with them.", "",
    "| reason | cases |", "|---|--:|"]
  counts, named = collections.Counter(), collections.defaultdict(collections.Counter)
  for family in families.values():
    for _, error in family.refused + family.stopped:
      meaning, what = reason(error)
      counts[meaning] += 1
      if what:
        named[meaning][what] += 1
  for meaning, count in counts.most_common():
    names = "".join(f" `{what}`" for what in sorted(named[meaning]))
    lines.append(f"| {meaning}{names} | {count} |")
  return "\n".join(lines) + "\n"


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--martlet", required=True)
  parser.add_argument("--page", type=Path)
  parser.add_argument("folders", nargs="+", type=Path)
  options = parser.parse_args()
  families, faults = collections.defaultdict(Family), []
  for folder in options.folders:
    for file in sorted(folder.glob("*/case.json")):
      if (file.parent / "model.mlmodel").exists():
        case = Case(file.parent)
        families[case.family].compare(case, options.martlet)
  for name, family in families.items():
    print(f"{name}: {family.count} cases, {len(family.refused)} not converted, {len(family.stopped)} not run, {len(family.agree)} agree, "
          f"{len(family.differ)} differ")
  differ = {case.name: (case, gap, theirs) for family in families.values() for case, gap, theirs in family.differ}
  explained = {name: explanation for explanation in EXPLANATIONS for name in explanation.cases}
  for name, (case, gap, theirs) in differ.items():
    if name not in explained:
      faults.append(f"{name} differs by {gap:.2g}, without an explanation")
    elif not holds(options.martlet, explained[name], case, theirs):
      faults.append(f"{name} differs, but not as explained")
  faults += [f"{name} has an explanation, but no difference" for name in explained if name not in differ]
  print(*faults, sep="\n")
  if faults:
    sys.exit(1)
  if options.page:
    options.page.write_text(page(families, differ))


if __name__ == "__main__":
  main()
