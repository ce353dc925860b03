"""Records what ExecuTorch's own runner says, for random prompts, settings and orders of calls.

  python make_runner_cases.py                                      writes Tests/Fixtures/text/runner_cases.json
  python make_runner_cases.py --model MODEL.pte --tokenizer TOKENIZER [--data FILE.ptd] [--count 300] [--seed 0] --out runner_cases.json

The runner is the extension module of the `executorch` wheel, loaded without its Python package, which wants others. A case is a
conversation: calls of `generate`, some of them stopped after a piece, and resets. Recorded are the pieces, the numbers of tokens and the
status, which the module's exceptions do not have and which is read from the runner's messages.

Left out is what Martlet does in another way on purpose: calls that fail after the prompt was read are followed by a reset, because
upstream keeps the prompt; stops come after the second token, because upstream forgets earlier ones; conversations with a piece that is
no UTF-8 are dropped, because the module cannot give it.

Versions: see requirements.txt.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import random
import tempfile

import torch  # noqa: F401  (the extension module links it)
import executorch.kernels.quantized  # noqa: F401  (registers the quantised operators)
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  (registers the llama operators)
import executorch

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/text"
FORMS = ["decoder", "decoder-each", "decoder-uncached", "decoder-single", "decoder-chunks"]
PROMPTS = [
    "A lighthouse", "The keeper told stories to the gulls.", "One night", "x", "In the morning the people of the town", "bread, oil and a new wick",
    "<|begin|>The boats", "<|turn|>light<|turn|>", "1 + 1 =", "  two blanks\n", "\u00e9t\u00e9 \u20ac\U0001f642", "the sound of the drum " * 3,
    "In", "The gulls", "the wind " * 40, "",
]


def upstream():
    folder = pathlib.Path(executorch.__path__[0]) / "extension/llm/runner"
    path = next(folder.glob("_llm_runner*.so"))
    spec = importlib.util.spec_from_file_location("_llm_runner", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def captured(function):
    """Calls a function and returns what the process wrote meanwhile, and the exception."""
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1), os.dup(2)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        error = None
        try:
            function()
        except Exception as caught:  # noqa: BLE001  (the module raises RuntimeError, a callback what it likes)
            error = caught
        finally:
            for number, copy in enumerate(saved, 1):
                os.dup2(copy, number)
                os.close(copy)
        file.seek(0)
        return file.read().decode("utf-8", "replace"), error


def status(log):
    """The code of a failed call, and whether it failed before the prompt was read."""
    if "Empty prompt requires" in log:
        return 2, True
    if "Max seq length exceeded" in log or "exceeds KV cache capacity" in log or "Failed to encode" in log or "at least 1 prompt token" in log:
        return 18, True
    if "Max new tokens" in log or "Temperature must be" in log:
        return 18, False
    return None, False


def settings(generator):
    values = {
        "echo": generator.random() < 0.7, "warming": generator.random() < 0.1,
        "max_new_tokens": generator.choice([-1, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 20, 0, -3]),
        "seq_len": generator.choice([-1] * 8 + [12, 20, 30, 40, 100, 0]),
        "temperature": generator.choice([0.0] * 20 + [-0.25, 1.5]),
        "num_bos": generator.choice([0, 0, 0, 1, 2]), "num_eos": generator.choice([0, 0, 0, 0, 1]),
    }
    return values


def conversation(module, runner, generator, prompts):
    """One conversation's calls; None if it cannot be recorded."""
    calls = []
    for _ in range(generator.randint(1, 5)):
        if calls and generator.random() < 0.25:
            runner.reset()
            calls.append({"reset": True})
            continue
        prompt, values = generator.choice(prompts), settings(generator)
        stop_at = generator.randint(2, 5) + values["echo"] if generator.random() < 0.2 else None
        pieces, statistics = [], []

        def receive(piece):
            pieces.append(piece)
            if len(pieces) == stop_at:
                runner.stop()

        log, error = captured(lambda: runner.generate(prompt, module.GenerationConfig(**values), receive, statistics.append))
        call = {"prompt": prompt, "config": values, "pieces": pieces, "status": 0}
        if stop_at is not None:
            call["stop_at"] = stop_at
        if error is None:
            call["prompt_tokens"] = statistics[0].num_prompt_tokens
            call["generated_tokens"] = statistics[0].num_generated_tokens
        else:
            call["status"], is_early = status(log)
            if call["status"] is None:
                return None
        calls.append(call)
        if error is not None and not is_early:
            runner.reset()
            calls.append({"reset": True})
    return calls


def record(module, model, tokenizer, data, count, generator, prompts):
    cases = []
    while sum("prompt" in call for case in cases for call in case) < count:
        made = []
        captured(lambda: made.append(module.TextLLMRunner(str(model), str(tokenizer), data)))
        calls = conversation(module, made[0], generator, prompts)
        if calls is not None:
            cases.append(calls)
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--tokenizer", type=pathlib.Path)
    parser.add_argument("--data")
    parser.add_argument("--prompt", action="append")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "runner_cases.json")
    arguments = parser.parse_args()
    module, generator = upstream(), random.Random(arguments.seed)
    models = [arguments.model] if arguments.model else [ROOT / f"{form}.pte" for form in FORMS]
    tokenizer = arguments.tokenizer or ROOT / "tokenizer.json"
    runs = []
    for model in models:
        for calls in record(
            module, model, tokenizer, arguments.data, math.ceil(arguments.count / len(models)), generator, arguments.prompt or PROMPTS):
            runs.append({"model": model.name, "calls": calls})
    result = {"oracle": "executorch-1.4.1 runner", "tokenizer": tokenizer.name, "runs": runs}
    arguments.out.write_text(json.dumps(result, separators=(",", ":"), ensure_ascii=False))
    calls = [call for run in runs for call in run["calls"] if "prompt" in call]
    print(len(runs), "conversations,", len(calls), "calls,", sum(call.get("status", 0) != 0 for call in calls), "of them fail,",
          arguments.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
