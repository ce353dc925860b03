"""Products and look-ups."""

import numpy as np

from .building import OLD, F64, I32, Weights, by_rank, cases, normal, seeded, single


@cases
def products(suite):
    rng = seeded("products")
    for rank, shape in ((1, (6,)), (2, (3, 6)), (3, (2, 3, 6)), (4, (2, 3, 1, 2)), (5, (2, 2, 3, 2, 1))):
        for bias in (True, False):
            params = {"inputChannels": 6, "outputChannels": 4, "hasBias": bias, "weights": Weights(normal(rng, (4, 6)))}
            if bias:
                params["bias"] = Weights(normal(rng, 4))
            single(suite, f"innerProduct-rank{rank}-{'bias' if bias else 'plain'}", "innerProduct", [normal(rng, shape)], params, core=bias)
    params = {"inputChannels": 6, "outputChannels": 4, "hasBias": True, "weights": Weights(normal(rng, (4, 6))), "bias": Weights(normal(rng, 4))}
    single(suite, "innerProduct-old-vector", "innerProduct", [normal(rng, (6,))], params, mapping=OLD, out_shape=(4,), core=True)
    single(suite, "innerProduct-old-undeclared", "innerProduct", [normal(rng, (6,))], params, mapping=OLD,
           notes="no declared output shape: [C, 1, 1]")
    single(suite, "innerProduct-old-map", "innerProduct", [normal(rng, (3, 1, 2))], params, mapping=OLD, out_shape=(4,))
    single(suite, "innerProduct-old-sequence", "innerProduct", {"x": normal(rng, (3, 2, 6))}, params, mapping=OLD, declared={"x": (6,)},
           out_shape=(4,), core=True, notes="a feature declared [C] is given as [Seq, Batch, C]")
    single(suite, "innerProduct-old-rank5", "innerProduct", {"x": normal(rng, (3, 2, 6, 1, 1))}, params, mapping=OLD, declared={"x": (6,)},
           out_shape=(4,))
    single(suite, "innerProduct-old-batch-maps", "innerProduct", {"x": normal(rng, (1, 3, 3, 1, 2))}, params, mapping=OLD)
    for dtype in (F64, I32):
        single(suite, f"innerProduct-{dtype}", "innerProduct", {"x": np.round(normal(rng, (2, 6), -4, 4))}, params, dtypes={"x": dtype},
               out_dtype=F64)

    matrices = [((2, 3), (3, 4)), ((4,), (4, 3)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2)),
                ((2, 1, 3, 4), (5, 4, 2)), ((2, 1, 2, 2, 3), (1, 3, 2, 3, 2))]
    for i, (a, b) in enumerate(matrices):
        single(suite, f"matmul-{i}", "batchedMatmul", [normal(rng, a), normal(rng, b)], core=True)
    for ta in (False, True):
        for tb in (False, True):
            a, b = normal(rng, (2, 4, 3) if ta else (2, 3, 4)), normal(rng, (5, 4) if tb else (4, 5))
            single(suite, f"matmul-transposes-{int(ta)}{int(tb)}", "batchedMatmul", [a, b], {"transposeA": ta, "transposeB": tb}, core=ta and not tb)
    for rank, shape in ((1, (6,)), (2, (3, 6)), (3, (2, 3, 6)), (4, (2, 1, 2, 6)), (5, (2, 1, 2, 1, 6))):
        for bias in (True, False):
            params = {"weightMatrixFirstDimension": 6, "weightMatrixSecondDimension": 4, "hasBias": bias,
                      "weights": Weights(normal(rng, (4, 6)))}
            if bias:
                params["bias"] = Weights(normal(rng, 4))
            single(suite, f"matmul-weights-rank{rank}-{'bias' if bias else 'plain'}", "batchedMatmul", [normal(rng, shape)], params, core=bias)

    for rank, shape in ((4, (3, 1, 1, 1)), (5, (2, 3, 1, 1, 1))):
        for bias in (True, False):
            params = {"inputDim": 7, "outputChannels": 4, "hasBias": bias, "weights": Weights(normal(rng, (4, 7)))}
            if bias:
                params["bias"] = Weights(normal(rng, 4))
            ids = rng.integers(0, 7, shape).astype(np.float32)
            single(suite, f"embedding-rank{rank}-{'bias' if bias else 'plain'}", "embedding", [ids], params, core=True)
            if rank == 5:
                single(suite, f"embedding-old-{'bias' if bias else 'plain'}", "embedding", {"x": ids.reshape(2, 3, 1)}, params, mapping=OLD,
                       declared={"x": (1,)}, core=bias, notes="[Seq, Batch, C] with C = 1")
                single(suite, f"embedding-old-one-{'bias' if bias else 'plain'}", "embedding", [np.array([3], np.float32)], params, mapping=OLD,
                       out_shape=(4,))
                single(suite, f"embedding-int32-{'bias' if bias else 'plain'}", "embedding", {"x": ids}, params, dtypes={"x": I32})
    for rank, shape in ((2, (3, 1)), (3, (2, 3, 1)), (4, (2, 1, 2, 1)), (5, (1, 2, 1, 3, 1))):
        for bias in (True, False):
            params = {"vocabSize": 7, "embeddingSize": 4, "hasBias": bias, "weights": Weights(normal(rng, (4, 7)))}
            if bias:
                params["bias"] = Weights(normal(rng, 4))
            ids = rng.integers(0, 7, shape).astype(np.float32)
            single(suite, f"embeddingND-rank{rank}-{'bias' if bias else 'plain'}", "embeddingND", [ids], params, core=bias)
    for cosine in (False, True):
        by_rank(suite, f"dot-{'cosine' if cosine else 'plain'}", "dot", {"cosineSimilarity": cosine}, ranks=(3, 4, 5), count=2,
                shapes={3: (5, 1, 1), 4: (2, 5, 1, 1), 5: (2, 3, 5, 1, 1)}, core=True)
        single(suite, f"dot-{'cosine' if cosine else 'plain'}-old", "dot", [normal(rng, (5,)), normal(rng, (5,))],
               {"cosineSimilarity": cosine}, mapping=OLD, core=True)
