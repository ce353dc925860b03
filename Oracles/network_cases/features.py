"""What stands around the layers: images, sizes, optional inputs, types, labels."""

import numpy as np

from .building import EXACT, F32, F64, I32, OLD, Net, Weights, cases, normal, seeded
from .windows import convolution, same, valid


def picture(rng, color, width, height):
    shape = (height, width) if color == "gray" else (height, width, 3)
    return rng.integers(0, 256, shape).astype(np.uint8)


def scaler(net, name, **fields):
    step = net.network.preprocessing.add(featureName=name)
    step.scaler.SetInParent()
    for key, value in fields.items():
        setattr(step.scaler, key, value)
    return net


SCALES = {"channelScale": 1 / 127.5, "redBias": -1.0, "greenBias": -0.5, "blueBias": 0.25, "grayBias": -0.75}


@cases
def images(suite):
    for mapping, rank4, label in ((OLD, False, "old"), (EXACT, True, "rank4"), (EXACT, False, "rank5")):
        for color in ("rgb", "bgr", "gray"):
            channels = 1 if color == "gray" else 3
            rng = seeded(color)
            image = picture(rng, color, 6, 5)
            net = Net(mapping, image_rank4=rank4).image("image", 6, 5, color).layer("activation", ["image"], ["y"], {"linear": {"alpha": 0.5, "beta": 1}})
            suite.save(f"image-{color}-{label}", net.output("y"), {"image": image}, core=True, notes="pixels from 0 to 255, in the declared order")
            net = scaler(Net(mapping, image_rank4=rank4).image("image", 6, 5, color), "image", **SCALES)
            net.layer("convolution", ["image"], ["y"], convolution(rng, channels, 2, (3, 3), **same()))
            suite.save(f"image-{color}-{label}-scaler", net.output("y"), {"image": image}, core=True, notes="the bias belongs to the colour, not to the position")
            net = Net(mapping, image_rank4=rank4).image("image", 6, 5, color)
            net.network.preprocessing.add(featureName="image").meanImage.meanImage.extend(normal(rng, (channels, 5, 6), 50, 150).reshape(-1).tolist())
            net.layer("activation", ["image"], ["y"], {"linear": {"alpha": 0.25}})
            suite.save(f"image-{color}-{label}-mean", net.output("y"), {"image": image}, core=True, notes="the mean image is subtracted")
            net = Net(mapping, image_rank4=rank4).image("image", 6, 5, color)
            net.layer("activation", ["image"], ["out"], {"linear": {"alpha": -1, "beta": 255}})
            suite.save(f"image-{color}-{label}-output", net.image_output("out", 6, 5, color), {"image": image}, core=label != "rank5", notes="an image as output")
        rng = seeded(label)
        net = Net(mapping, image_rank4=rank4).image("first", 4, 3, "rgb").image("second", 4, 3, "bgr")
        scaler(scaler(net, "second", channelScale=0.5, redBias=10, greenBias=20, blueBias=30), "first", channelScale=0.25, redBias=1, greenBias=2, blueBias=3)
        net.layer("add", ["first", "second"], ["y"])
        suite.save(f"image-two-{label}", net.output("y"), {"first": picture(rng, "rgb", 4, 3), "second": picture(rng, "bgr", 4, 3)}, core=True)
        net = Net(mapping, image_rank4=rank4).image("image", 4, 3, "rgb").layer("activation", ["image"], ["out"], {"linear": {"alpha": 2, "beta": -100}})
        suite.save(f"image-output-clamped-{label}", net.image_output("out", 4, 3, "rgb"), {"image": picture(rng, "rgb", 4, 3)}, core=label == "old",
                   notes="values past 0 and 255 are clamped")


@cases
def sizes(suite):
    rng = seeded("sizes")
    for mapping in (OLD, EXACT):
        params = convolution(rng, 3, 2, (3, 3), stride=(2, 2), **same())

        def network(**options):
            net = scaler(Net(mapping).image("image", 6, 5, "rgb", **options), "image", channelScale=1 / 255)
            return net.layer("convolution", ["image"], ["c"], params).layer("activation", ["c"], ["y"], {"ReLU": {}}).output("y")

        for label, options, choices in (("range", {"ranges": ((4, 12), (3, -1))}, ((6, 5), (12, 3), (4, 9))),
                                        ("enumerated", {"enumerated": ((6, 5), (8, 4), (5, 10))}, ((6, 5), (8, 4), (5, 10)))):
            first = None
            for width, height in choices:
                name = f"size-image-{label}-{mapping}-{width}x{height}"
                suite.save(name, network(**options), {"image": picture(rng, "rgb", width, height)}, core=True, model_of=first)
                first = first or name
        shapes = ((2, 4, 5), (2, 7, 3), (2, 2, 9))

        def arrays(**options):
            net = Net(mapping).array("x", shapes[0], **options)
            if mapping == EXACT:
                net.layer("expandDims", ["x"], ["e"], {"axes": (0,)}).layer("pooling", ["e"], ["p"], {"type": "MAX", "kernelSize": (2, 2), "stride": (2, 2), **same()})
                return net.layer("squeeze", ["p"], ["y"], {"axes": (0,)}).output("y")
            return net.layer("pooling", ["x"], ["y"], {"type": "MAX", "kernelSize": (2, 2), "stride": (2, 2), **same()}).output("y")

        for label, options in (("range", {"ranges": ((2, 2), (1, 10), (1, -1))}), ("enumerated", {"enumerated": shapes})):
            first = None
            for shape in shapes:
                name = f"size-array-{label}-{mapping}-{'x'.join(map(str, shape))}"
                suite.save(name, arrays(**options), {"x": normal(rng, shape)}, core=True, model_of=first)
                first = first or name
    for length in (1, 4, 9):
        net = Net(EXACT).array("x", (4, 3), ranges=((1, 20), (3, 3)))
        net.layer("batchedMatmul", ["x"], ["m"], {"weightMatrixFirstDimension": 3, "weightMatrixSecondDimension": 2, "weights": Weights(normal(seeded("m"), (2, 3)))})
        net.layer("softmaxND", ["m"], ["s"], {"axis": 0}).layer("reduceMean", ["s"], ["y"], {"axes": (-1,), "keepDims": False})
        net.layer("getShape", ["x"], ["shape"])
        suite.save(f"size-sequence-{length}", net.output("y").output("shape"), {"x": normal(rng, (length, 3))}, core=True)
    # Under the old mapping Seq and Batch are open without being declared.
    for seq, batch in ((1, 1), (1, 3), (4, 1), (2, 3)):
        net = Net(OLD).array("x", (2, 4, 4))
        net.layer("convolution", ["x"], ["c"], convolution(seeded("open"), 2, 3, (3, 3), **valid())).layer("activation", ["c"], ["a"], {"ReLU": {}})
        net.layer("pooling", ["a"], ["p"], {"type": "AVERAGE", "globalPooling": True, "valid": {}})
        net.layer("innerProduct", ["p"], ["f"], {"inputChannels": 3, "outputChannels": 4, "weights": Weights(normal(seeded("open2"), (4, 3)))})
        net.layer("softmax", ["f"], ["y"])
        suite.save(f"old-network-{seq}x{batch}", net.output("y", (4,)), {"x": normal(rng, (seq, batch, 2, 4, 4))}, core=True,
                   notes="the declared output has room for one result; more come as [Seq, Batch, C, H, W]")


@cases
def optional_inputs(suite):
    rng = seeded("optional")
    x = normal(rng, (2, 3))
    for dtype, value in ((F32, 0.5), (F64, -1.25), (I32, 3)):
        for given in (False, True):
            net = Net(EXACT).array("x", (2, 3)).array("extra", (1, 3), dtype, optional=value).layer("addBroadcastable", ["x", "extra"], ["y"]).output("y")
            inputs = {"x": x} | ({"extra": np.array([[1, 2, 4]])} if given else {})
            suite.save(f"optional-{dtype}-{'given' if given else 'absent'}", net, inputs, core=True, notes="an absent input is filled with its default value")
    net = Net(EXACT).array("x", (2, 3)).array("extra", (2, 3), optional=True).layer("addBroadcastable", ["x", "extra"], ["y"]).output("y")
    suite.save("optional-no-default", net, {"x": x}, notes="no default value: zeros")


@cases
def types(suite):
    rng = seeded("types")
    whole = rng.integers(-5, 6, (2, 3))
    for source in (F32, F64, I32):
        for target in (F32, F64, I32):
            for mapping in (EXACT, OLD):
                shape = (2, 3) if mapping == EXACT else (1, 2, 3)
                net = Net(mapping).array("x", shape, source).layer("multiply", ["x"], ["y"], {"alpha": 3}).output("y", shape, target)
                suite.save(f"type-{source}-{target}-{mapping}", net, {"x": whole.reshape(shape)}, core=source != target)
    # Outputs under the old mapping have the declared shape where the counts agree.
    x = normal(rng, (2, 3, 4))
    for label, shape in (("none", ()), ("flat", (24,)), ("same", (2, 3, 4)), ("other", (4, 6, 1)), ("mismatch", (5,))):
        net = Net(OLD).array("x", (2, 3, 4)).layer("activation", ["x"], ["y"], {"ReLU": {}}).output("y", shape)
        suite.save(f"old-output-{label}", net, {"x": x}, core=True, notes="declared output shape " + (str(shape) if shape else "absent"))
    for label, value, declared in (("rank1", normal(rng, (4,)), (4,)), ("sequence", normal(rng, (3, 2, 4)), (4,)), ("rank5", normal(rng, (3, 2, 4, 1, 1)), (4,)),
                                   ("map", x, (2, 3, 4)), ("map-rank5", normal(rng, (2, 2, 2, 3, 4)), (2, 3, 4)), ("map-batch", normal(rng, (1, 3, 2, 3, 4)), (2, 3, 4))):
        net = Net(OLD).array("x", declared).layer("activation", ["x"], ["y"], {"tanh": {}}).output("y")
        suite.save(f"old-input-{label}", net, {"x": value}, core=True)


@cases
def labels(suite):
    rng = seeded("labels")
    weights = normal(rng, (3, 4))
    for mapping in (OLD, EXACT):
        for keys in ("string", "int64"):
            for named in (True, False):
                net = Net(mapping, "neuralNetworkClassifier").array("x", (4,))
                net.layer("innerProduct", ["x"], ["scores"], {"inputChannels": 4, "outputChannels": 3, "weights": Weights(weights)})
                if mapping == OLD:
                    net.layer("softmax", ["scores"], ["probabilities"])
                else:
                    net.layer("softmaxND", ["scores"], ["probabilities"], {"axis": -1})
                classifier = net.network
                if keys == "string":
                    classifier.stringClassLabels.vector.extend(["cat", "dög", "a b"])
                else:
                    classifier.int64ClassLabels.vector.extend([7, -3, 1 << 40])
                if named:
                    classifier.labelProbabilityLayerName = "probabilities"
                description = net.model.description
                label = description.output.add(name="label")
                chances = description.output.add(name="chances")
                (label.type.stringType if keys == "string" else label.type.int64Type).SetInParent()
                (chances.type.dictionaryType.stringKeyType if keys == "string" else chances.type.dictionaryType.int64KeyType).SetInParent()
                description.predictedFeatureName, description.predictedProbabilitiesName = "label", "chances"
                suite.save(f"classifier-{mapping}-{keys}{'' if named else '-last'}", net, {"x": normal(rng, (4,))}, core=True,
                           notes="" if named else "no name of the probabilities: the output of the last layer")
        net = Net(mapping, "neuralNetworkRegressor").array("x", (4,))
        net.layer("innerProduct", ["x"], ["y"], {"inputChannels": 4, "outputChannels": 1, "hasBias": True, "weights": Weights(weights[:1]), "bias": Weights([0.5])})
        net.output("y", (1,), F64)
        net.model.description.predictedFeatureName = "y"
        suite.save(f"regressor-{mapping}", net, {"x": normal(rng, (4,))}, core=True)


@cases
def networks(suite):
    """Small networks of several layers, as old converters wrote them."""
    rng = seeded("networks")
    for mapping in (OLD, EXACT):
        def start():
            return Net(mapping).array("x", (2, 6, 6) if mapping == OLD else (1, 2, 6, 6))

        x = normal(rng, (2, 6, 6) if mapping == OLD else (1, 2, 6, 6))
        net = start().layer("activation", ["x"], ["r"], {"ReLU": {}}).layer("activation", ["r"], ["n"], {"linear": {"alpha": -1}})
        net.layer("unary", ["n"], ["t"], {"type": "THRESHOLD", "alpha": -0.75}).layer("activation", ["t"], ["y"], {"linear": {"alpha": -1}})
        suite.save(f"network-clamp-{mapping}", net.output("y"), {"x": x}, core=True, notes="ReLU, x -1, threshold, x -1: a clamp")
        net = start().layer("convolution", ["x"], ["c"], convolution(rng, 2, 4, (3, 3), **same()))
        net.layer("activation", ["c"], ["l"], {"linear": {"alpha": 0.5, "beta": 0.25}}).layer("activation", ["l"], ["m"], {"linear": {"alpha": -2, "beta": 1}})
        net.layer("batchnorm", ["m"], ["b"], {"channels": 4, **{n: Weights(normal(rng, 4, 0.5, 2)) for n in ("gamma", "beta", "mean", "variance")}})
        net.layer("activation", ["b"], ["y"], {"ReLU": {}})
        suite.save(f"network-linear-chain-{mapping}", net.output("y"), {"x": x}, core=True, rtol=5e-4)
        net = start().layer("convolution", ["x"], ["c"], convolution(rng, 2, 3, (3, 3), **same())).layer("activation", ["c"], ["a"], {"leakyReLU": {"alpha": 0.1}})
        net.layer("pooling", ["a"], ["p"], {"type": "MAX", "kernelSize": (2, 2), "stride": (2, 2), **valid()})
        net.layer("upsample", ["p"], ["u"], {"scalingFactor": (2, 2)}).layer("concat", ["u", "x"], ["k"])
        net.layer("convolution", ["k"], ["y"], convolution(rng, 5, 2, (2, 2), deconvolution=True, stride=(2, 2), **valid()))
        suite.save(f"network-unet-{mapping}", net.output("y"), {"x": x}, core=True, rtol=5e-4)
        net = start().layer("add", ["x"], ["y"], {"alpha": 1})
        suite.save(f"network-input-as-output-{mapping}", net.output("y").output("x"), {"x": x}, notes="an input that is an output too")
