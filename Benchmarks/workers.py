"""The worker side of the benchmark: one process loads one model in one runtime and speaks the protocol of README.md.

  python workers.py RUNTIME MODEL --threads N --input FILE [--input FILE ...]

RUNTIME: executorch (.pte), onnxruntime (.onnx), openvino-f32 and openvino (.onnx; the latter with the precision that the
runtime chooses, which is bfloat16 on processors with AMX), torch (.pt2, eager, channels last).
"""

import argparse
import os
import sys
import time


def executorch(path, values, threads):
    import torch
    from executorch.extension.pybindings import _portable_lib as runtime
    import executorch.kernels.quantized  # noqa: F401

    torch.set_num_threads(threads)
    runtime._unsafe_reset_threadpool(threads)
    tensors = [torch.from_numpy(value) for value in values]

    def load():
        program = runtime._load_for_executorch(path)
        return lambda: program.forward(tensors)

    return load


def onnxruntime(path, values, threads):
    import onnxruntime as runtime

    def load():
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        feeds = {entry.name: value for entry, value in zip(session.get_inputs(), values)}
        return lambda: session.run(None, feeds)

    return load


def openvino(path, values, threads, settings={}):
    import openvino as runtime

    core = runtime.Core()

    def load():
        hints = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": False}
        request = core.compile_model(path, "CPU", hints | settings).create_infer_request()
        for index, value in enumerate(values):
            request.set_input_tensor(index, runtime.Tensor(value, shared_memory=True))
        return request.infer

    return load


def openvino_f32(path, values, threads):
    return openvino(path, values, threads, {"INFERENCE_PRECISION_HINT": "f32"})


def torch_eager(path, values, threads):
    import torch

    torch.set_num_threads(threads)
    tensors = [torch.from_numpy(value) for value in values]

    def load():
        model = torch.export.load(path).module()
        inputs = tensors
        if any(t.dim() == 4 for t in tensors):
            model = model.to(memory_format=torch.channels_last)
            inputs = [t.contiguous(memory_format=torch.channels_last) if t.dim() == 4 else t for t in tensors]

        def run():
            with torch.inference_mode():
                return model(*inputs)

        return run

    return load


RUNTIMES = {
    "executorch": executorch,
    "onnxruntime": onnxruntime,
    "openvino-f32": openvino_f32,
    "openvino": openvino,
    "torch": torch_eager,
}


def serve(make, path, inputs, threads):
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    protocol = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keeps messages of the libraries out of the protocol
    import numpy as np

    load = make(path, [np.load(file) for file in inputs], threads)
    run = None

    def answer(text):
        protocol.write(text + "\n")
        protocol.flush()

    answer("started")
    for line in sys.stdin:
        command, *rest = line.split()
        try:
            if command == "load":
                start = time.perf_counter()
                run = load()
                loaded = time.perf_counter()
                run()
                answer(f"ready {loaded - start:.6f} {time.perf_counter() - loaded:.6f}")
            elif command == "run":
                times = []
                for _ in range(int(rest[0])):
                    start = time.perf_counter()
                    run()
                    times.append(time.perf_counter() - start)
                answer(" ".join(f"{t:.9f}" for t in times))
            elif command == "quit":
                break
        except Exception as error:
            answer("error " + " ".join(str(error).split())[:300])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runtime", choices=RUNTIMES)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--input", action="append", default=[])
    arguments = parser.parse_args()
    serve(RUNTIMES[arguments.runtime], arguments.model, arguments.input, arguments.threads)
