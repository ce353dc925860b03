"""Normalization."""

import numpy as np

from .building import OLD, Weights, by_rank, cases, normal, seeded, shapes_of_ranks, single


@cases
def normalization(suite):
    shapes = {3: (3, 2, 4), 4: (2, 3, 2, 4), 5: (2, 2, 3, 2, 2)}
    for label, fields in (("stored", {}), ("instance", {"computeMeanVar": True, "instanceNormalization": True}), ("batch", {"computeMeanVar": True})):
        for epsilon in (0, 0.125):
            name = f"batchnorm-{label}-{epsilon}"
            rng = seeded(name)
            params = {"channels": 3, "epsilon": epsilon, "gamma": Weights(normal(rng, 3)), "beta": Weights(normal(rng, 3)), **fields}
            if label == "stored":
                params |= {"mean": Weights(normal(rng, 3)), "variance": Weights(normal(rng, 3, 0.25, 2))}
            by_rank(suite, name, "batchnorm", params, ranks=(3, 4, 5), shapes=shapes, core=epsilon == 0)
            single(suite, name + "-old", "batchnorm", [normal(rng, (3, 2, 4))], params, mapping=OLD)
            single(suite, name + "-old-batch", "batchnorm", [normal(rng, (2, 2, 3, 2, 2))], params, mapping=OLD, core=epsilon == 0)
    rng = seeded("batchnorm small variance")
    params = {"channels": 2, "gamma": Weights([1, 2]), "beta": Weights([0, 1]), "mean": Weights([0, 0.5]), "variance": Weights([0, 1e-5])}
    single(suite, "batchnorm-default-epsilon", "batchnorm", [normal(rng, (2, 2, 2), -0.01, 0.01)], params, notes="an epsilon of 0 means 1e-5")
    params = {"channels": 3} | {n: Weights(normal(rng, 3, 0.5, 2), "f16") for n in ("gamma", "beta", "mean", "variance")}
    single(suite, "batchnorm-f16", "batchnorm", [normal(rng, (3, 2, 2))], params)
    for across in (False, True):
        for variance in (False, True):
            for epsilon in (0, 0.25):
                name = f"mvn-{int(across)}{int(variance)}-{epsilon}"
                params = {"acrossChannels": across, "normalizeVariance": variance, "epsilon": epsilon}
                by_rank(suite, name, "mvn", params, ranks=(3, 4, 5), shapes=shapes, core=epsilon == 0)
                single(suite, name + "-old", "mvn", [normal(seeded(name), (2, 2, 3, 2, 2))], params, mapping=OLD, core=epsilon == 0 and variance)
    for epsilon in (0, 0.5):
        by_rank(suite, f"l2normalize-{epsilon}", "l2normalize", {"epsilon": epsilon}, ranks=(3, 4, 5), shapes=shapes, core=True)
        single(suite, f"l2normalize-{epsilon}-old", "l2normalize", [normal(seeded("l2"), (2, 2, 3, 2, 2))], {"epsilon": epsilon}, mapping=OLD,
               core=epsilon == 0)
    single(suite, "l2normalize-tiny", "l2normalize", [normal(seeded("l2"), (2, 2, 2), -1, 1) * np.float32(1e-3)], {}, atol=1e-6,
           notes="an epsilon of 0 means 1e-6")
    for size in (1, 3, 5):
        for k in (0, 2.0):
            params = {"alpha": 0.5, "beta": 0.75, "localSize": size, "k": k}
            by_rank(suite, f"lrn-{size}-{k}", "lrn", params, ranks=(3, 4, 5), shapes={3: (6, 2, 2), 4: (2, 6, 1, 2), 5: (2, 1, 6, 2, 1)}, core=k == 0)
            single(suite, f"lrn-{size}-{k}-old", "lrn", [normal(seeded("lrn"), (2, 2, 6, 1, 2))], params, mapping=OLD, core=size == 3 and k == 0)
    by_rank(suite, "softmax-ranks", "softmax", ranks=(3, 4, 5), shapes=shapes, core=True)
    single(suite, "softmax-old", "softmax", [normal(seeded("softmax"), (5,), -4, 4)], mapping=OLD, out_shape=(5,), core=True)
    single(suite, "softmax-old-batch", "softmax", [normal(seeded("softmax"), (2, 3, 4, 1, 2), -4, 4)], mapping=OLD)
    single(suite, "softmax-large", "softmax", [np.array([100, 99, -100], np.float32)], mapping=OLD, out_shape=(3,))
    for rank, shape in shapes_of_ranks().items():
        for axis in range(-rank, rank):
            single(suite, f"softmaxND-{rank}-{axis}", "softmaxND", [normal(seeded("nd"), shape)], {"axis": axis}, core=axis == -1 or axis == 1)
        for count in range(1, rank + 1):
            rng = seeded(f"ln{rank}{count}")
            inner = shape[-count:]
            params = {"normalizedShape": inner, "eps": 1e-5, "gamma": Weights(normal(rng, inner)), "beta": Weights(normal(rng, inner))}
            single(suite, f"layerNormalization-{rank}-{count}", "layerNormalization", [normal(rng, shape)], params, core=count == min(2, rank))
    rng = seeded("ln eps")
    params = {"normalizedShape": (4,), "eps": 0.5, "gamma": Weights(normal(rng, 4), "f16"), "beta": Weights(normal(rng, 4), "f16")}
    single(suite, "layerNormalization-eps", "layerNormalization", [normal(rng, (3, 4))], params, notes="eps is added to the variance")
