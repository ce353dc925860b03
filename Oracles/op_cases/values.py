"""Deterministic tensors for the cases."""

import zlib

import torch

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
U8, I8, I16, I32, I64, BOOL = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool
FLOATS, INTS = [F32, F64, F16, BF16], [U8, I8, I16, I32, I64]
ALL = FLOATS + INTS + [BOOL]
SHORT = {F32: "f32", F64: "f64", F16: "f16", BF16: "bf16", U8: "u8", I8: "i8", I16: "i16", I32: "i32", I64: "i64", BOOL: "bool"}
SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e-30, -3e4, 3e4, 0.5, -0.5, 1.5, -1.5, 2.5, 1.0, -1.0]


class Values:
    """A source of tensors whose contents depend only on the operator's name, so that new operators do not change existing cases."""

    def __init__(self, name):
        self.generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def __call__(self, *shape, dtype=F32, low=None, high=None, nonzero=False, special=False, channels_last=False):
        """Normally distributed values (standard deviation 2) for floating point and -9...9 (0...18 unsigned) for integers, or uniform values
    in `low`...`high`."""
        if dtype is BOOL:
            result = torch.rand(shape, generator=self.generator) < 0.5
        elif dtype.is_floating_point:
            if low is None:
                result = torch.randn(shape, generator=self.generator, dtype=F64) * 2
            else:
                result = torch.rand(shape, generator=self.generator, dtype=F64) * (high - low) + low
            if special:
                flat = result.flatten()
                count = min(len(SPECIAL), flat.numel())
                flat[:count] = torch.tensor(SPECIAL[:count], dtype=F64)
                result = flat.reshape(shape)
            result = result.to(dtype)
        else:
            bottom = (0 if dtype is U8 else -9) if low is None else int(low)
            top = (18 if dtype is U8 else 9) if high is None else int(high)
            result = torch.randint(bottom, top + 1, shape, generator=self.generator).to(dtype)
        if nonzero:
            result = torch.where(result == 0, torch.ones_like(result), result)
        return result.contiguous(memory_format=torch.channels_last) if channels_last else result

    def permutation(self, count):
        return torch.randperm(count, generator=self.generator)
