"""The runtimes that compare.py times, and their worker processes. README.md describes the protocol that these speak."""

import os
import pathlib
import shlex
import signal
import subprocess
import sys


class Kind:
    """A column of the report: a model file, by suffix, run by Martlet or by a runtime of workers.py. `arithmetic` is the precision of
    products in float32 networks. `floats` is true if the column has float32 networks only. `capped` is true if --isa holds for it."""

    def __init__(self, suffix, runtime=None, flags=(), arithmetic="float32", floats=False, capped=True):
        self.suffix, self.runtime, self.flags, self.arithmetic, self.floats = suffix, runtime, list(flags), arithmetic, floats
        self.capped = capped

    @property
    def ours(self):
        return self.runtime is None


PEERS = {
    "martlet-exact": Kind("portable.pte", flags=["--precision", "exact"]),
    "martlet-near": Kind("portable.pte", flags=["--precision", "near"], arithmetic="bfloat16", floats=True),
    "martlet-fast": Kind("portable.pte", flags=["--precision", "fast"], arithmetic="bfloat16", floats=True),
    "martlet-xnnpack": Kind("xnnpack.pte"),
    "et-portable": Kind("portable.pte", "executorch"),
    "et-xnnpack": Kind("xnnpack.pte", "executorch"),
    "onnxruntime": Kind("onnx", "onnxruntime"),
    "openvino-f32": Kind("onnx", "openvino-f32"),
    "openvino": Kind("onnx", "openvino", arithmetic="bfloat16"),
    "openvino-f32-own": Kind("onnx", "openvino-f32", capped=False),
    "torch": Kind("pt2", "torch"),
    **{f"package-{form}": Kind(f"{form}.mlpackage", floats=True) for form in ("fp32", "fp16", "int8", "palette4", "int4")},
}
# ExecuTorch's portable kernels take seconds per inference, and Martlet runs both programs alike. Packages are compared with each other.
# OpenVINO without a cap shows that the cap has an effect.
OMITTED = ("et-portable", "martlet-xnnpack", "openvino-f32-own")
DEFAULT_PEERS = [name for name in PEERS if name not in OMITTED and not name.startswith("package-")]
# The peers that compute in the precision of the program: fp32, or int8 in an int8 network.
REFERENCES = ["et-xnnpack", "onnxruntime", "openvino-f32", "torch"]
WORKERS = pathlib.Path(__file__).with_name("workers.py")


# The names of one level in MARTLET_ISA and in oneDNN, which OpenVINO takes its kernels from. The other runtimes have no such setting.
LEVELS = {
    "avx2": "AVX2",
    "avxvnni": "AVX2_VNNI",
    "avx512": "AVX512_CORE",
    "avx512vnni": "AVX512_CORE_VNNI",
    "avx512bf16": "AVX512_CORE_BF16",
}


def is_int8(network):
    return network.endswith("_int8")


class Peer:
    """A worker process. Raises RuntimeError with the worker's message if it reports an error or dies."""

    def __init__(self, name, command, processor, environment=None):
        pin = (lambda: os.sched_setaffinity(0, {processor})) if processor is not None else None
        self.name, self.times = name, []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=pin,
            env=environment,
        )

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process ended")
        if line.startswith("error"):
            raise RuntimeError(line[6:].strip())
        return line.split()

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError("the process ended") from None
        return self.read()

    def memory(self, field):
        """A size of the process in KiB: VmRSS now, or VmHWM, the largest VmRSS since `forget_peak`."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise RuntimeError(f"no {field}")

    def code(self):
        """Resident size of code, in KiB: of mapped files that may be executed."""
        size, is_code = 0, False
        for line in pathlib.Path(f"/proc/{self.process.pid}/smaps").read_text().splitlines():
            words = line.split()
            if not words[0].endswith(":"):
                is_code = "x" in words[1] and words[-1].startswith("/")
            elif is_code and words[0] == "Rss:":
                size += int(words[1])
        return size

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def wait_until_started(self):
        if self.read() != ["started"]:
            raise RuntimeError("no 'started'")

    def load(self):
        """Loads the model and runs it once. Records the seconds of both, the growth of peak resident memory, and the part of it that is code."""
        self.forget_peak()
        before, code = self.memory("VmRSS"), self.code()
        answer = self.ask("load")
        self.load_seconds, self.first_seconds = float(answer[1]), float(answer[2])
        self.growth, self.code_growth = self.memory("VmHWM") - before, self.code() - code

    def run(self, count):
        return [float(t) for t in self.ask(f"run {count}")]

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()


def launch(peer, models, name, record, threads, arguments):
    """Starts the worker of a peer for a network. Raises RuntimeError if the peer has no such model."""
    kind = PEERS[peer]
    model = models / f"{name}.{kind.suffix}"
    if not model.exists():
        raise RuntimeError(f"there is no {model.name}")
    flags = ["--threads", str(threads)]
    for i in range(len(record["inputs"])):
        path = models / f"{name}.input{i}.npy"
        # Core ML has no int64 inputs.
        narrow = models / f"{name}.int32.input{i}.npy"
        flags += ["--input", str(narrow if kind.suffix.endswith(".mlpackage") and narrow.exists() else path)]
    if kind.ours:
        command = shlex.split(arguments.martlet) + ["bench", "--worker", str(model)] + flags + kind.flags
    else:
        command = [sys.executable, str(WORKERS), kind.runtime, str(model)] + flags
    environment = dict(os.environ)
    if arguments.isa and kind.capped:
        environment |= {"MARTLET_ISA": arguments.isa, "ONEDNN_MAX_CPU_ISA": LEVELS[arguments.isa]}
    processor = max(os.sched_getaffinity(0)) if threads == 1 else None
    worker = Peer(peer, (["chrt", "-r", "5"] if arguments.realtime else []) + command, processor, environment)
    worker.model = model
    return worker
