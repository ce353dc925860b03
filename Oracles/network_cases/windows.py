"""Convolution and pooling."""

import numpy as np

from .building import OLD, F32, F64, I32, Weights, by_rank, cases, normal, seeded, single


def valid(top=0, bottom=0, left=0, right=0):
    if not (top or bottom or left or right):
        return {"valid": {}}
    return {"valid": {"paddingAmounts": {"borderAmounts": [{"startEdgeSize": top, "endEdgeSize": bottom},
                                                           {"startEdgeSize": left, "endEdgeSize": right}]}}}


def same(mode="BOTTOM_RIGHT_HEAVY"):
    return {"same": {"asymmetryMode": mode}}


CONVOLUTION_PADDINGS = {"valid": valid(), "pads": valid(1, 2, 0, 3), "same": same(), "same-top": same("TOP_LEFT_HEAVY")}


def convolution(rng, inputs, outputs, kernel=(3, 3), groups=1, deconvolution=False, bias=True, form="f32", **fields):
    shape = (inputs, outputs // groups, *kernel) if deconvolution else (outputs, inputs // groups, *kernel)
    params = {"outputChannels": outputs, "kernelChannels": shape[0] if deconvolution else shape[1], "nGroups": groups,
              "kernelSize": kernel, "isDeconvolution": deconvolution, "hasBias": bias,
              "weights": Weights(normal(rng, shape, -1, 1), form, shape, outputs, rng)}
    if bias:
        params["bias"] = Weights(normal(rng, outputs), form if form in ("f32", "f16") else "f32")
    return params | fields


@cases
def convolutions(suite):
    for padding, fields in CONVOLUTION_PADDINGS.items():
        for stride, dilation, kernel in (((1, 1), (1, 1), (3, 3)), ((2, 3), (1, 1), (3, 2)), ((1, 1), (2, 1), (2, 3)), ((2, 1), (1, 2), (4, 2))):
            name = f"conv-{padding}-k{kernel[0]}{kernel[1]}-s{stride[0]}{stride[1]}-d{dilation[0]}{dilation[1]}"
            rng = seeded(name)
            params = convolution(rng, 2, 3, kernel, stride=stride, dilationFactor=dilation, **fields)
            x = normal(rng, (1, 2, 6, 7))
            single(suite, name, "convolution", [x], params, core=stride == (2, 3))
            single(suite, name + "-old", "convolution", [x[0]], params, mapping=OLD, core=padding == "same-top" and stride == (2, 3))
    rng = seeded("convolution options")
    x = normal(rng, (2, 4, 5, 5))
    for groups in (1, 2, 4):
        for bias in (True, False):
            params = convolution(rng, 4, 8, (3, 3), groups, bias=bias, **same())
            single(suite, f"conv-groups{groups}-{'bias' if bias else 'plain'}", "convolution", [x], params, core=groups == 2 and bias)
            single(suite, f"conv-groups{groups}-{'bias' if bias else 'plain'}-old", "convolution", [x[None]], params, mapping=OLD)
    params = convolution(rng, 4, 3, (3, 3), **same())
    del params["kernelSize"], params["nGroups"]
    single(suite, "conv-defaults", "convolution", [x], params, notes="kernel 3 x 3, stride 1, one group when not set", core=True)
    single(suite, "conv-rank5", "convolution", [normal(rng, (2, 3, 2, 4, 5))], convolution(rng, 2, 3, (2, 2), **valid()), core=True,
           notes="leading axes are all batch")
    single(suite, "conv-old-seq-batch", "convolution", [normal(rng, (2, 3, 2, 4, 5))], convolution(rng, 2, 3, (2, 2), **valid()), mapping=OLD,
           core=True)
    single(suite, "conv-1x1", "convolution", [x], convolution(rng, 4, 5, (1, 1), **valid()))
    single(suite, "conv-old-vector", "convolution", [normal(rng, (4,))], convolution(rng, 4, 5, (1, 1), **valid()), mapping=OLD, out_shape=(5,),
           notes="a declared [C] is C x 1 x 1")
    for dtype in (F64, I32):
        single(suite, f"conv-{dtype}", "convolution", {"x": np.round(normal(rng, (1, 2, 4, 4), -4, 4))}, convolution(rng, 2, 2, **valid()),
               dtypes={"x": dtype}, out_dtype=F64 if dtype == F64 else F32)
    # Weights as the second input.
    for padding, fields in CONVOLUTION_PADDINGS.items():
        for groups in (1, 2):
            w = normal(rng, (4, 4 // groups, 3, 2), -1, 1)
            params = {"outputChannels": 4, "kernelChannels": 4 // groups, "kernelSize": (3, 2), "nGroups": groups, "stride": (2, 1), **fields}
            single(suite, f"conv-weight-input-{padding}-g{groups}", "convolution", [x, w], params, core=padding == "same" and groups == 2)


@cases
def deconvolutions(suite):
    for padding, fields in CONVOLUTION_PADDINGS.items():
        for stride, kernel in (((1, 1), (3, 3)), ((2, 2), (3, 3)), ((2, 3), (4, 2)), ((3, 1), (2, 5))):
            name = f"deconv-{padding}-k{kernel[0]}{kernel[1]}-s{stride[0]}{stride[1]}"
            rng = seeded(name)
            params = convolution(rng, 2, 3, kernel, deconvolution=True, stride=stride, **fields)
            x = normal(rng, (1, 2, 4, 5))
            single(suite, name, "convolution", [x], params, core=stride == (2, 3))
            single(suite, name + "-old", "convolution", [x[None]], params, mapping=OLD, core=padding == "same" and stride == (2, 2))
    rng = seeded("deconvolution options")
    x = normal(rng, (2, 4, 3, 4))
    for groups in (2, 4):
        for bias in (True, False):
            params = convolution(rng, 4, 8, (3, 2), groups, True, bias, stride=(2, 2), **valid())
            single(suite, f"deconv-groups{groups}-{'bias' if bias else 'plain'}", "convolution", [x], params, core=groups == 2 and bias)
    for label, shape in (("full", (7, 9)), ("smaller", (6, 8)), ("even", (5, 7))):
        params = convolution(rng, 4, 2, (3, 3), deconvolution=True, stride=(2, 2), outputShape=shape, **valid(1, 0, 1, 0))
        single(suite, f"deconv-outputShape-{label}", "convolution", [x], params, core=True, notes="outputShape replaces the padding")
        single(suite, f"deconv-outputShape-{label}-old", "convolution", [x[0]], params, mapping=OLD)
    params = convolution(rng, 4, 2, (3, 3), deconvolution=True, stride=(2, 2), dilationFactor=(2, 2), **valid())
    single(suite, "deconv-dilation", "convolution", [x], params, core=True)
    params = convolution(rng, 4, 2, (3, 2), deconvolution=True, dilationFactor=(1, 3), **same())
    single(suite, "deconv-dilation-same-old", "convolution", [x[0]], params, mapping=OLD)
    for form in ("f16", ("linear", 8, True, True), ("linear", 5, False, False), ("table", 4)):
        label = form if isinstance(form, str) else "-".join(str(v) for v in form[:2])
        params = convolution(rng, 4, 6, (2, 3), 2, True, True, form, stride=(2, 1), **valid())
        if isinstance(form, tuple) and form[0] == "linear" and form[2]:
            params = convolution(rng, 4, 6, (2, 3), 1, True, True, form, stride=(2, 1), **valid())
        single(suite, f"deconv-weights-{label}", "convolution", [x], params, core=True)


@cases
def convolutions_3d(suite):
    def params3(rng, inputs, outputs, kernel=(2, 3, 2), stride=(1, 1, 1), dilation=(1, 1, 1), groups=1, padding="VALID", edges=(0,) * 6,
                bias=True, deconvolution=False, form="f32", **fields):
        shape = (outputs // groups, inputs, *kernel) if deconvolution else (outputs, inputs // groups, *kernel)
        params = {"outputChannels": outputs, "inputChannels": inputs, "nGroups": groups, "hasBias": bias, "paddingType": padding,
                  "isDeconvolution": deconvolution, "weights": Weights(normal(rng, shape, -1, 1), form, shape, outputs, rng)}
        for stem, values in (("kernel", kernel), ("stride", stride), ("dilation", dilation)):
            params |= {stem + axis: value for axis, value in zip(("Depth", "Height", "Width"), values)}
        params |= {"customPadding" + side: value for side, value in zip(("Front", "Back", "Top", "Bottom", "Left", "Right"), edges)}
        if bias:
            params["bias"] = Weights(normal(rng, outputs), "f16" if form == "f16" else "f32")
        return params | fields

    for padding, edges in (("VALID", (0,) * 6), ("SAME", (0,) * 6), ("CUSTOM", (1, 0, 2, 1, 0, 1))):
        for stride, dilation in (((1, 1, 1), (1, 1, 1)), ((2, 1, 3), (1, 1, 1)), ((1, 1, 1), (1, 2, 2)), ((2, 2, 2), (2, 1, 1))):
            name = f"conv3d-{padding}-s{''.join(map(str, stride))}-d{''.join(map(str, dilation))}"
            rng = seeded(name)
            single(suite, name, "convolution3d", [normal(rng, (1, 2, 4, 5, 5))],
                   params3(rng, 2, 2, stride=stride, dilation=dilation, padding=padding, edges=edges), core=stride == (2, 1, 3))
    rng = seeded("conv3d")
    x = normal(rng, (2, 4, 3, 4, 4))
    single(suite, "conv3d-groups", "convolution3d", [x], params3(rng, 4, 4, (2, 2, 2), groups=2), core=True)
    single(suite, "conv3d-depthwise", "convolution3d", [x], params3(rng, 4, 8, (2, 2, 2), groups=4, bias=False))
    for form in ("f16", ("linear", 8, True, True), ("table", 4)):
        label = form if isinstance(form, str) else form[0]
        single(suite, f"conv3d-weights-{label}", "convolution3d", [x], params3(rng, 4, 2, (2, 2, 2), form=form))
    x = normal(rng, (1, 2, 3, 3, 2))
    for padding, edges in (("VALID", (0,) * 6), ("CUSTOM", (1, 0, 0, 1, 1, 1))):
        single(suite, f"deconv3d-{padding}", "convolution3d", [x],
               params3(rng, 2, 3, (2, 3, 3), (2, 1, 2), padding=padding, edges=edges, deconvolution=True), core=True)
    single(suite, "deconv3d-SAME", "convolution3d", [x], params3(rng, 2, 3, (3, 3, 3), (2, 2, 2), padding="SAME", deconvolution=True))
    single(suite, "deconv3d-groups", "convolution3d", [normal(rng, (1, 4, 2, 3, 2))],
           params3(rng, 4, 4, (2, 2, 2), (1, 2, 1), groups=2, deconvolution=True))
    single(suite, "deconv3d-outputShape", "convolution3d", [x],
           params3(rng, 2, 2, (2, 2, 2), (2, 2, 2), deconvolution=True, outputShape=(6, 6, 4)))


@cases
def pooling(suite):
    paddings = dict(CONVOLUTION_PADDINGS)
    paddings["pads"] = valid(1, 1, 0, 1)
    paddings |= {"last": {"includeLastPixel": {}}, "last-pads": {"includeLastPixel": {"paddingAmounts": (1, 1)}}}
    for kind in ("MAX", "AVERAGE", "L2"):
        for padding, fields in paddings.items():
            for exclude in (False, True) if kind == "AVERAGE" else (False,):
                for kernel, stride in (((2, 3), (2, 2)), ((3, 3), (1, 3)), ((3, 3), (3, 2))):
                    name = f"pool-{kind}{'-exclude' if exclude else ''}-{padding}-k{kernel[0]}{kernel[1]}-s{stride[0]}{stride[1]}"
                    rng = seeded(name)
                    params = {"type": kind, "kernelSize": kernel, "stride": stride, "avgPoolExcludePadding": exclude, **fields}
                    x = normal(rng, (1, 2, 6, 7), -3, -0.25) if kind == "MAX" else normal(rng, (1, 2, 6, 7))
                    single(suite, name, "pooling", [x], params, core=stride == (2, 2))
                    single(suite, name + "-old", "pooling", [x[0]], params, mapping=OLD, core=stride == (3, 2) and padding == "last-pads")
        rng = seeded(kind)
        by_rank(suite, f"pool-{kind}-global", "pooling", {"type": kind, "globalPooling": True, "valid": {}}, ranks=(4, 5),
                shapes={4: (2, 3, 4, 5), 5: (2, 1, 3, 4, 2)}, core=True)
        single(suite, f"pool-{kind}-global-old", "pooling", [normal(rng, (3, 4, 5))], {"type": kind, "globalPooling": True, "valid": {}},
               mapping=OLD, core=kind == "L2")
        single(suite, f"pool-{kind}-old-batch", "pooling", [normal(rng, (2, 2, 2, 4, 4))],
               {"type": kind, "kernelSize": (2, 2), "stride": (2, 2), **valid()}, mapping=OLD)
        single(suite, f"pool-{kind}-rank5", "pooling", [normal(rng, (2, 2, 1, 4, 4))],
               {"type": kind, "kernelSize": (2, 2), "stride": (2, 2), **valid()})
        single(suite, f"pool-{kind}-defaults", "pooling", [normal(rng, (1, 2, 5, 5))], {"type": kind, "valid": {}},
               notes="kernel 3 x 3 and stride 1 when not set", core=True)
    for kind in ("MAX", "AVERAGE"):
        for padding, edges in (("VALID", (0,) * 6), ("SAME", (0,) * 6), ("CUSTOM", (1, 0, 1, 1, 0, 1))):
            for exclude in (False, True) if kind == "AVERAGE" else (False,):
                for stride in ((1, 1, 1), (2, 1, 2), (2, 3, 1)):
                    name = f"pool3d-{kind}{'-exclude' if exclude else ''}-{padding}-s{''.join(map(str, stride))}"
                    rng = seeded(name)
                    params = {"type": kind, "paddingType": padding, "countExcludePadding": exclude}
                    for stem, values in (("kernel", (2, 3, 2)), ("stride", stride)):
                        params |= {stem + axis: value for axis, value in zip(("Depth", "Height", "Width"), values)}
                    params |= {"customPadding" + s: v for s, v in zip(("Front", "Back", "Top", "Bottom", "Left", "Right"), edges)}
                    single(suite, name, "pooling3d", [normal(rng, (1, 2, 4, 5, 3), -3, 1)], params, core=stride == (2, 1, 2))
        single(suite, f"globalPool3d-{kind}", "globalPooling3d", [normal(seeded(kind), (2, 3, 2, 3, 4))], {"type": kind}, core=True)
        single(suite, f"globalPool3d-{kind}-batch1", "globalPooling3d", [normal(seeded(kind), (1, 1, 2, 3, 3))], {"type": kind})
