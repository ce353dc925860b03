"""Recurrent layers."""

import numpy as np

from .arithmetic import *  # noqa: F403


class Recurrent:
    # Recurrent layers

    def sequence(self, x, size, outputs, reverse, sequence_output, step, state):
        """Runs step over [Seq, Batch, size, 1, 1]. A reversed sequence's results come in the order in which they arise, as coremltools'
        tests expect."""
        x = x.reshape(x.shape[0], x.shape[1], -1)
        steps = range(x.shape[0])
        results = []
        for t in reversed(steps) if reverse else steps:
            state = step(x[t], state)
            results.append(state[0])
        y = np.stack(results) if sequence_output else results[-1][None]
        return y[..., None, None], state

    def layer_simpleRecurrent(self, p, x, y=None):
        i, o = p.inputVectorSize, p.outputVectorSize
        w, r = weight(p.weightMatrix, (o, i)), weight(p.recursionMatrix, (o, o))
        b = weight(p.biasVector, (o,)) if p.hasBiasVector else 0

        def step(x, state):
            return (recurrent_activation(p.activation, clip50(x @ w.T + state[0] @ r.T + b)),)

        state = (initial(y, x, o),)
        result, state = self.sequence(x, i, o, p.reverseInput, p.sequenceOutput, step, state)
        return result, state[0][None, ..., None, None]

    def layer_gru(self, p, x, y=None):
        i, o = p.inputVectorSize, p.outputVectorSize
        names = ("update", "reset", "output")
        w = [weight(getattr(p, n + "GateWeightMatrix"), (o, i)).T for n in names]
        r = [weight(getattr(p, n + "GateRecursionMatrix"), (o, o)).T for n in names]
        b = [weight(getattr(p, n + "GateBiasVector"), (o,)) if p.hasBiasVectors else 0 for n in names]
        f, g = p.activations

        def step(x, state):
            previous, = state
            z = recurrent_activation(f, clip50(x @ w[0] + previous @ r[0] + b[0]))
            reset = recurrent_activation(f, clip50(x @ w[1] + previous @ r[1] + b[1]))
            out = recurrent_activation(g, clip50(x @ w[2] + (previous * reset) @ r[2] + b[2]))
            return ((1 - z) * out + z * previous,)

        result, state = self.sequence(x, i, o, p.reverseInput, p.sequenceOutput, step, (initial(y, x, o),))
        return result, state[0][None, ..., None, None]

    def lstm(self, p, params, weights, activations, reverse, x, y, c):
        i, o = p.inputVectorSize, p.outputVectorSize
        names = ("inputGate", "forgetGate", "blockInput", "outputGate")
        # With coupled gates the forget gate is not used, and its weights may be absent.
        used = [not (n == "forgetGate" and params.coupledInputAndForgetGate) for n in names]
        w = [weight(getattr(weights, n + "WeightMatrix"), (o, i)).T if u else 0 for n, u in zip(names, used)]
        r = [weight(getattr(weights, n + "RecursionMatrix"), (o, o)).T if u else 0 for n, u in zip(names, used)]
        b = [weight(getattr(weights, n + "BiasVector"), (o,)) if params.hasBiasVectors and u else 0 for n, u in zip(names, used)]
        # Nothing is added for forgetBias: coremltools' Keras converter sets it beside biases that hold the ones already, and its tests of
        # version 5.2 (test_recurrent_stress_tests.py) expect Keras's results, as onnxmltools does.
        peep = {n: weight(getattr(weights, n + "PeepholeVector"), (o,)) if params.hasPeepholeVectors and (
            u if n != "forgetGate" else used[1]) else 0 for n, u in zip(("inputGate", "forgetGate", "outputGate"), (True, True, True))}
        f, g, h = activations
        limit = params.cellClipThreshold or 50.0

        def step(x, state):
            previous, cell = state

            def gate(index, peephole, cell):
                return clip50(x @ w[index] + previous @ r[index] + peephole * cell + b[index])

            i_t = recurrent_activation(f, gate(0, peep["inputGate"], cell))
            z_t = recurrent_activation(g, gate(2, 0, cell))
            if params.coupledInputAndForgetGate:
                f_t = 1 - i_t
            else:
                f_t = recurrent_activation(f, gate(1, peep["forgetGate"], cell))
            cell = np.clip(cell * f_t + i_t * z_t, -limit, limit)
            o_t = recurrent_activation(f, gate(3, peep["outputGate"], cell))
            return recurrent_activation(h, cell) * o_t, cell

        return self.sequence(x, i, o, reverse, params.sequenceOutput, step, (initial(y, x, o), initial(c, x, o)))

    def layer_uniDirectionalLSTM(self, p, x, y=None, c=None):
        result, (h, c) = self.lstm(p, p.params, p.weightParams, p.activations, p.reverseInput, x, y, c)
        return result, h[None, ..., None, None], c[None, ..., None, None]

    def layer_biDirectionalLSTM(self, p, x, y=None, c=None, y_back=None, c_back=None):
        forward, (h, cell) = self.lstm(p, p.params, p.weightParams[0], p.activationsForwardLSTM, False, x, y, c)
        backward, (h_back, cell_back) = self.lstm(p, p.params, p.weightParams[1], p.activationsBackwardLSTM, True, x, y_back, c_back)
        if p.params.sequenceOutput:
            # The backward results come in the order in which they arise; element t of the output belongs to x_t.
            backward = backward[::-1]
        ends = [v[None, ..., None, None] for v in (h, cell, h_back, cell_back)]
        return (np.concatenate([forward, backward], 2), *ends)
