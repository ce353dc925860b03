"""Fixes the conversion of torch's scalar casts in coremltools: NumPy 2.4 no longer converts arrays of one element to scalars."""
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.frontend.torch import ops as torch_ops


def cast(context, node, dtype, dtype_name):
    x = torch_ops._get_inputs(context, node, expected=1)[0]
    if x.can_be_folded_to_const():
        return context.add(mb.const(val=dtype(np.asarray(x.val).item()), name=node.name), node.name)
    if len(x.shape) > 0:
        x = mb.squeeze(x=x, name=node.name + "_item")
    context.add(mb.cast(x=x, dtype=dtype_name, name=node.name), node.name)


def repair():
    torch_ops._cast = cast
