"""Makes the models with which the snippets of the two guides for iOS run in tests.

  python make_guide_fixtures.py [--root REPOSITORY]

Writes to Tests/GuideTests/Fixtures, with the names that the snippets have:

  mv3.pte, model.pte          scores of an image [1, 3, 224, 224]: the means of its channels and a linear layer
  methods.pte                 forward: the sum of all elements of two tensors of up to four; another_method: twice such a tensor
  MyImageClassifier.mlpackage, MyModel.mlpackage, LargeModel.mlpackage
                              a class of an image [1, 3, 8, 8] by the channel with the largest mean
  Words.mlpackage             a class of the sum of all frames so far, which is its state
  Preprocessor, Main, Postprocessor.mlpackage
                              a chain: x to y = 2 x, y to z = y + 1, z to its total
"""
import argparse
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import torch
from coremltools.converters.mil import Builder as mb
from executorch.exir import EdgeCompileConfig, to_edge
from torch import nn

from make_page_fixtures import Image


class Sum(nn.Module):
    def forward(self, a, b):
        return a.sum(0, keepdim=True) + b.sum(0, keepdim=True)


class Double(nn.Module):
    def forward(self, a):
        return a * 2


def program(modules):
    methods = {}
    for name, (module, inputs) in modules.items():
        # Separate extents, so that each input may have another number of elements.
        shapes = tuple({0: torch.export.Dim(f"{name}{index}", min=1, max=4)} if x.dim() == 1 else None for index, x in enumerate(inputs))
        methods[name] = torch.export.export(module.eval(), inputs, dynamic_shapes=shapes, strict=False)
    return to_edge(methods, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch().buffer


def convert(built, target, **settings):
    return ct.convert(
        built, convert_to="mlprogram", minimum_deployment_target=target, compute_precision=ct.precision.FLOAT32,
        compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True, **settings)


def save(model, path):
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))


def image_classifier():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 8, 8))], opset_version=ct.target.iOS16)
    def built(image):
        means = mb.reduce_mean(x=image, axes=[2, 3], keep_dims=False)
        return mb.softmax(x=mb.mul(x=means, y=0.1), axis=-1, name="scores")

    model = convert(
        built, ct.target.iOS16, inputs=[ct.ImageType("image", shape=(1, 3, 8, 8), color_layout=ct.colorlayout.RGB)],
        classifier_config=ct.ClassifierConfig(["apple", "leaf", "sky"], predicted_feature_name="classLabel"))
    return renamed(model, "classLabel_probs", "classLabelProbs")


def words():
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 3)), mb.StateTensorSpec(shape=(1, 3), dtype=ct.converters.mil.mil.types.fp16)],
        opset_version=ct.target.iOS18)
    def built(audio_features, heard):
        before = mb.read_state(input=heard)
        after = mb.add(x=before, y=mb.cast(x=audio_features, dtype="fp16"))
        mb.coreml_update_state(state=heard, value=after)
        return mb.cast(x=after, dtype="fp32", name="scores")

    return convert(
        built, ct.target.iOS18, classifier_config=ct.ClassifierConfig(["yes", "no", "quiet"], predicted_feature_name="label"))


def stage(input_name, output_name, operation):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3))], opset_version=ct.target.iOS16)
    def built(x):
        return operation(x, output_name)

    return renamed(convert(built, ct.target.iOS16, inputs=[ct.TensorType("x", shape=(1, 3))]), "x", input_name)


def renamed(model, old, new):
    specification = model.get_spec()
    ct.utils.rename_feature(specification, old, new)
    return ct.models.MLModel(specification, weights_dir=model.weights_dir, skip_model_load=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    folder = parser.parse_args().root / "Tests/GuideTests/Fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ["mv3", "model"]:
        (folder / f"{name}.pte").write_bytes(program({"forward": (Image(), (torch.full((1, 3, 224, 224), 0.5),))}))
    pair = (torch.ones(2), torch.ones(2))
    (folder / "methods.pte").write_bytes(program({"forward": (Sum(), pair), "another_method": (Double(), pair[:1])}))
    for name in ["MyImageClassifier", "MyModel", "LargeModel"]:
        save(image_classifier(), folder / f"{name}.mlpackage")
    save(words(), folder / "Words.mlpackage")
    save(stage("x", "y", lambda x, name: mb.mul(x=x, y=2.0, name=name)), folder / "Preprocessor.mlpackage")
    save(stage("y", "z", lambda x, name: mb.add(x=x, y=1.0, name=name)), folder / "Main.mlpackage")
    save(stage("z", "total", lambda x, name: mb.reduce_sum(x=x, axes=[1], keep_dims=True, name=name)), folder / "Postprocessor.mlpackage")


if __name__ == "__main__":
    main()
