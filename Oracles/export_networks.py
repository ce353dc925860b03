"""Exports the benchmark networks, with seeded random weights, as ExecuTorch programs and for the other runtimes of the comparison.

  python export_networks.py --out DIRECTORY [--only NAME,NAME] [--half]

For every network NAME: NAME.portable.pte (portable operators), NAME.xnnpack.pte (XNNPACK delegate), NAME.input0.npy, NAME.output0.npy
(torch eager), NAME.onnx, NAME.pt2 (torch.export) and NAME.json (`macs`: multiply-accumulates of one inference; parameters; input and output shapes and dtypes).
Speed does not depend on weights, but results do. Convolutions have He initialisation, and the statistics of every batch norm come from a
pass over random images, so that activations stay in a reasonable range and the outputs can be compared.

With --half, the programs compute in float16 with float32 inputs and outputs, as Core ML programs do. The other files are made from the
float32 network with the same weights (rounded to float16). They give the expected results and the models of the other runtimes.
"""

import argparse
import copy
import json
import pathlib
import sys
import types
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# The networks need only the declarations of torchvision's compiled operators. The operators do not load with another build of torch,
# so the module that checks for them is skipped.
sys.modules["torchvision._meta_registrations"] = types.ModuleType("torchvision._meta_registrations")
import torchvision

SEED = 20260401


class TransformerLayer(nn.Module):
    """Multi-head self-attention and a GELU feed-forward layer with residuals. `norm_first` is true in vision transformers, false in BERT."""

    def __init__(self, width, heads, hidden, epsilon, norm_first):
        super().__init__()
        self.heads, self.norm_first = heads, norm_first
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.expand, self.reduce = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=epsilon), nn.LayerNorm(width, eps=epsilon)

    def attention(self, x):
        batch, length, width = x.shape
        split = lambda y: y.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        weights = torch.softmax(query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5, -1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))

    def feed_forward(self, x):
        return self.reduce(F.gelu(self.expand(x)))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))


class VisionTransformer(nn.Module):
    """DeiT-tiny: 16 x 16 patches of a 224 x 224 image, 12 layers, 192 wide, 3 heads."""

    def __init__(self, width=192, layers=12, heads=3, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.5)
        self.positions = nn.Parameter(torch.randn(1, 197, width) * 0.5)
        self.layers = nn.ModuleList(TransformerLayer(width, heads, 4 * width, 1e-6, True) for _ in range(layers))
        self.norm, self.classifier = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.classifier(self.norm(x)[:, 0])


class TextEncoder(nn.Module):
    """A BERT encoder of MiniLM's shape: 6 layers, 384 wide, 12 heads, feed-forward 1536; int64 ids to one mean-pooled embedding."""

    def __init__(self, vocabulary=30522, length=128, width=384, layers=6, heads=12):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Parameter(torch.randn(length, width) * 0.5)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(TransformerLayer(width, heads, 4 * width, 1e-12, False) for _ in range(layers))

    def forward(self, ids):
        x = self.norm(self.words(ids) + self.positions[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x)
        return x.mean(1)


class SmallUNet(nn.Module):
    """A U-Net on [1,3,128,128] with channels 16 to 128, transposed-convolution upsampling and a one-channel map as output."""

    def __init__(self, channels=(16, 32, 64, 128)):
        super().__init__()
        stage = lambda i, o: nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU()
        )
        self.down = nn.ModuleList(stage(i, o) for i, o in zip((3,) + channels[:-1], channels))
        self.raise_ = nn.ModuleList(nn.ConvTranspose2d(i, o, 2, 2) for i, o in zip(channels[:0:-1], channels[-2::-1]))
        self.up = nn.ModuleList(stage(2 * o, o) for o in channels[-2::-1])
        self.out = nn.Conv2d(channels[0], 1, 1)

    def forward(self, x):
        skipped = []
        for stage in self.down[:-1]:
            x = stage(x)
            skipped.append(x)
            x = F.max_pool2d(x, 2, 2)
        x = self.down[-1](x)
        for raise_, stage, skip in zip(self.raise_, self.up, reversed(skipped)):
            x = stage(torch.cat([skip, raise_(x)], 1))
        return self.out(x)


class HalfNetwork(nn.Module):
    """A float16 network with float32 inputs and outputs. Token ids are not converted."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x.half() if x.is_floating_point() else x).float()


def vision(name):
    return lambda: getattr(torchvision.models, name)(weights=None), lambda: torch.randn(1, 3, 224, 224)


NETWORKS = {
    "mobilenet_v2": vision("mobilenet_v2"),
    "mobilenet_v3_small": vision("mobilenet_v3_small"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "resnet18": vision("resnet18"),
    "resnet50": vision("resnet50"),
    "deit_tiny": (VisionTransformer, lambda: torch.randn(1, 3, 224, 224)),
    "minilm_128": (TextEncoder, lambda: torch.randint(0, 30522, (1, 128))),
    "minilm_dynamic": (lambda: TextEncoder(length=512), lambda: torch.randint(0, 30522, (1, 100))),
    "unet_small": (SmallUNet, lambda: torch.randn(1, 3, 128, 128)),
}


# Dynamic axes of the input, with their upper bounds.
DYNAMIC = {"minilm_dynamic": {1: torch.export.Dim("length", min=2, max=512)}}


def condition(model, make_input):
    """Initialises convolutions with He weights, and batch norms with the statistics of four random inputs in the network."""
    norms = []
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        elif isinstance(module, nn.BatchNorm2d):
            module.momentum = None
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.uniform_(module.bias, -0.3, 0.3)
            norms.append(module)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
    model.eval()
    if norms:
        for norm in norms:
            norm.train()
        with torch.no_grad():
            model(torch.cat([make_input() for _ in range(4)]))
    return model.eval()


def export(model, example, dynamic, delegate):
    """The bytes of a program and the names of its backends."""
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    with torch.no_grad():
        program = to_edge_transform_and_lower(
            torch.export.export(model, (example,), dynamic_shapes=(dynamic,)),
            partitioner=[XnnpackPartitioner()] if delegate else [],
            compile_config=EdgeCompileConfig(_check_ir_validity=False),
        ).to_executorch()
    plan = program.executorch_program.execution_plan[0]
    return program.buffer, sorted({d.id for d in plan.delegates}), sorted({f"{o.name}.{o.overload}" for o in plan.operators})


def export_for_peers(model, example, dynamic, stem):
    """Writes `stem`.onnx and `stem`.pt2."""
    with torch.no_grad():
        program = torch.export.export(model, (example,), dynamic_shapes=(dynamic,))
        torch.export.save(program, f"{stem}.pt2")
        shapes = None if dynamic is None else (dynamic,)
        torch.onnx.export(model, (example,), f"{stem}.onnx", dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="comma-separated names")
    parser.add_argument("--half", action="store_true", help="programs in float16")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    from torch.utils.flop_counter import FlopCounterMode

    for name in arguments.only.split(",") if arguments.only else NETWORKS:
        torch.manual_seed(SEED)
        make_model, make_input = NETWORKS[name]
        model, x = condition(make_model(), make_input), make_input()
        program_model = model
        if arguments.half:
            model = model.half().float()
            program_model = HalfNetwork(copy.deepcopy(model).half())
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            y = model(x)
        np.save(arguments.out / f"{name}.input0.npy", x.numpy())
        np.save(arguments.out / f"{name}.output0.npy", y.numpy())
        describe = lambda t: {"shape": list(t.shape), "dtype": str(t.dtype).removeprefix("torch.")}
        record = {
            "name": name,
            "macs": counter.get_total_flops() // 2,
            "parameters": sum(p.numel() for p in model.parameters()),
            "inputs": [describe(x)],
            "outputs": [describe(y)],
        }
        for kind in ("portable", "xnnpack"):
            data, backends, operators = export(program_model, x, DYNAMIC.get(name), kind == "xnnpack")
            (arguments.out / f"{name}.{kind}.pte").write_bytes(data)
            record[kind] = {"bytes": len(data), "backends": backends, "operators": operators}
        export_for_peers(model, x, DYNAMIC.get(name), arguments.out / name)
        (arguments.out / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
        print(
            f"{name}: {record['macs'] / 1e6:.0f} million multiply-accumulates, output mean {y.mean():.3f} deviation {y.std():.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
