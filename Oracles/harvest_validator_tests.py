"""Compares this engine's reading of models with coremltools' C++ validators, on the models of the validators' own tests.

  python harvest_validator_tests.py CHECKOUT --out DIRECTORY [--martlet MARTLET [--table FILE]]

CHECKOUT is a working tree of coremltools, or a git directory of it. The tests and the validators are built as they are, in DIRECTORY
and with a C++ compiler alone; `validator_tests/recorder.cpp` takes the place of the tests' runner and writes every model that a test
hands to a validator, with the verdict: DIRECTORY/cases. With MARTLET, a release build of `martlet`, each model is read and compiled, and
the verdicts are compared: --table writes them as a page. The exit status is 1 if a difference has no reason here, or a
reason no difference. So it is for models of this repository that are accepted though the validators refuse them.

  python harvest_validator_tests.py CHECKOUT --out DIRECTORY --check MODEL...

prints the validators' verdict on other models.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FLAGS = ["-std=c++17", "-O0", "-w", "-pthread", "-DHAVE_PTHREAD"]

# MARK: Differences

INCOMPLETE = "The test asks a validator for a part. The whole model is refused there too"
POLICY = "The test sets a policy of its own, which no kind of model has. The whole model is accepted there too"
SHAPES = "The shapes of the layers contradict one another, which the validators do not compute or report as a warning"

# Why verdicts differ, by the pattern of the models' names.
REASONS = {
    "test(InnerProduct|BatchedMatMul)DynamicQuantizationConversionParameterValidation-00": SHAPES,
    "testValidComputeMeanVarBatchnorm-00|testValidScale-00|testSimpleNNShapeBad-00": SHAPES,
    "testSimple1DConv-0[01]":
        "The declared array is one step of a sequence, and the kernel needs ten: a model is planned for its declared shape when it is loaded",
    "test(InnerProduct|BatchedMatMul)DynamicQuantizationConversionParameterValidation-01":
        "The layer announces a bias that the file does not have, for which the validator does not look",
    "testMultiFunctionModel_downgradeToIOS18-00": "The program has no function, and the validators do not look into programs",
    "testValidUpdatableModelQuantizedWeightsAndBiasForNonUpdatableLayer-00":
        "The weights are int8RawValue with a bias, which the format forbids in its comment and for which the validator does not look here",
    "testValid_1InferenceAnd3TrainingInputs-00": "The third training input has no type, for which the validator does not look",
    "test(Non)?UpdatablePipeline.*-0[2-5]|testValid_Pipeline-03":
        "The classifier's points have 3 columns and its input has one, which the validators do not compare",
}

# Models of this repository that only this engine accepts, by their path in the folder Tests.
LENIENT = {
    "Fixtures/kinds/dictVectorizer": "The result is an array, as scikit-learn's converter declares it",
    "Fixtures/classic/probit": "Inputs for optimism and sampling are numbers, as the format's comments state; the validator wants arrays of integers",
    "Fixtures/classic/suppression-thresholds": "The inputs for thresholds are optional, as the format's comments state",
    "Fixtures/classic/suppression-padded": "The inputs for thresholds are optional, as the format's comments state",
    "Fixtures/classic/pipeline-program": "A stage gives doubles and the next takes float32: arrays are converted between stages",
    "Fixtures/network/squeeze-2-0_1": "Two of two axes are removed and one remains, because a blob has at least one",
    "MartletCoreMLFileTests/Fixtures/flexible.mlpackage": "All inputs of a program are optional, and have default values",
}


def reason(case):
    if case["there"]["accepted"] and not case["here"]["accepted"] and not case["whole"]["accepted"]:
        return INCOMPLETE + ": " + text(case["whole"]["message"])
    if not case["there"]["accepted"] and case["here"]["accepted"] and case["whole"]["accepted"]:
        return POLICY
    for pattern, words in REASONS.items():
        if re.fullmatch(pattern, case["name"]):
            return words
    return None


# MARK: Building

def sources(checkout):
    """The files of protobuf, of the format, of the validators and of their tests, without those of weight files."""
    lite = (checkout / "deps/protobuf/cmake/libprotobuf-lite.cmake").read_text()
    lite = re.search(r"set\(libprotobuf_lite_files(.*?)\)", lite, re.S).group(1)
    protobuf = sorted({checkout / "deps/protobuf" / name for name in re.findall(r"src/google\S+\.cc", lite) if "io_win32" not in name})
    lists = (checkout / "mlmodel/CMakeLists.txt").read_text()

    def listed(target, pattern):
        return [checkout / "mlmodel" / name for name in re.findall(pattern, re.search(rf"add_library\({target}\n(.*?)\n\)", lists, re.S).group(1))]

    validators = listed("mlmodel", r"src/\S+\.cpp")
    tests = listed("mlmodel_test", r"tests/\w+\.cpp")
    return protobuf + sorted((checkout / "mlmodel/build/format").glob("*.cc")) + validators, tests


def build(checkout, out, compiler):
    objects = out / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    root = checkout / "mlmodel"
    includes = ["-I" + str(path) for path in (out, root, root / "src", root / "tests", checkout / "deps/FP16/include",
                                              checkout / "deps/protobuf/src", checkout / "deps")]

    def compiled(source):
        target = objects / (str(source.relative_to(checkout)).replace("/", "_") + ".o")
        if not target.exists():
            part = target.with_suffix(".part")
            subprocess.run([compiler, *FLAGS, *includes, "-c", str(source), "-o", str(part)], check=True)
            part.rename(target)
        return target

    libraries, tests = sources(checkout)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        library_objects, test_objects = (list(pool.map(compiled, part)) for part in (libraries, tests))

    def symbols(flag):
        return subprocess.run(["nm", flag, *map(str, test_objects)], check=True, capture_output=True, text=True).stdout

    # The calls that the recorder stands in for: those that it names, and the validators of kinds that the tests call.
    recorder = (HERE / "validator_tests/recorder.cpp").read_text()
    kinds = sorted(set(re.findall(r"_ZN6CoreML8validateIL11MLModelType\d+E\w+", symbols("-u"))))
    wrapped = set(re.findall(r"__wrap_(_Z\w+)", recorder)) | set(re.findall(r"WRAP_VALIDATOR\((_Z\w+)", recorder)) | set(kinds)
    names = model_types(root)
    (out / "wrapped.inc").write_text("".join(
        f'WRAP_VALIDATOR({symbol}, "validate<{names[int(re.search("MLModelType([0-9]+)", symbol).group(1))]}>", false)\n' for symbol in kinds))
    defined = set(re.findall(r" T _Z\d+(test\w+?)v$", symbols("--defined-only"), re.M))
    declared = re.findall(r"^MLMODEL_TEST\((test\w+)\)", (root / "tests/MLModelTests.hpp").read_text(), re.M)
    (out / "runs.inc").write_text("".join(f"MLMODEL_RUN_TEST({name})\n" for name in declared if name in defined))
    subprocess.run([compiler, *FLAGS, *includes, "-c", str(HERE / "validator_tests/recorder.cpp"), "-o", str(out / "recorder.o")], check=True)
    runner = out / "runner"
    subprocess.run([compiler, "-pthread", "-o", str(runner), str(out / "recorder.o"), *map(str, library_objects + test_objects),
                    *(f"-Wl,--wrap={symbol}" for symbol in sorted(wrapped))], check=True)
    return runner


def model_types(root):
    return {int(number): name for name, number in
            re.findall(r"MLModelType_(\w+) = (\d+)", (root / "build/format/Model_enums.h").read_text())}


# MARK: Verdicts

# What a model needs besides its file: it is accepted, and a prediction is an error that says so.
OUTSIDE = ("run on Apple's systems only", "needs a program that implements it", "the program does not implement it")


def message(words, path):
    """A message of the tool without what is particular to a run."""
    words = re.sub(r"^martlet: ", "", words.strip()).replace(str(path) + ", ", "").replace(str(path) + ": ", "")
    return re.sub(r"\S*\.partial: |^(invalid file|unsupported|execution failed): ", "", words)


def verdict(martlet, path):
    with tempfile.TemporaryDirectory() as folder:
        for command in (["inspect", path], ["compile", path, "--output", folder + "/model.mlmodelc"]):
            run = subprocess.run([martlet, *map(str, command)], capture_output=True, text=True, timeout=300)
            if run.returncode == 0:
                continue
            words = message(re.sub(r"^(martlet: \w+[\w ]*: )\S*\.partial: ", r"\1", run.stderr), path)
            if run.returncode == 1 and command[0] == "compile" and any(outside in words for outside in OUTSIDE):
                continue
            return {"accepted": False, "message": words if run.returncode == 1 else f"exit status {run.returncode}: {words}"}
    return {"accepted": True, "message": ""}


# MARK: Table

def text(words):
    words = re.sub(r"\s+", " ", words.replace("validator error: ", "")).strip()
    words = words if len(words) < 170 else words[:170].rsplit(" ", 1)[0] + " ..."
    return words.replace("|", "\\|")


def lenient(martlet, runner):
    """The models of `LENIENT` with the validators' messages, and those that both sides accept or that are refused here."""
    found, wrong = [], []
    for name, words in LENIENT.items():
        model = HERE.parent / "Tests" / name
        specification = next(model.rglob("*.mlmodel"))
        run = subprocess.run([runner, "--check", specification], capture_output=True, text=True)
        if run.returncode == 0 or not verdict(martlet, specification if model.suffix == "" else model)["accepted"]:
            wrong.append(name)
        found.append((name, run.stdout.split("\t")[-1], words))
    return found, wrong


def table(tests, cases, others):
    by_test = {name: [case for case in cases if case["test"] == name] for name in tests}
    differences = [case for case in cases if case["there"]["accepted"] != case["here"]["accepted"]]
    with_models = [name for name in tests if by_test[name]]
    lines = [
        "# Models of coremltools' validator tests", "",
        "What coremltools' C++ validators and this engine say to the models of the validators' own tests. Generated by",
        "`Oracles/harvest_validator_tests.py --table`, which builds the tests, records every model that one hands to a validator, and has",
        "`martlet` read and compile it. Where a test hands over a part, such as a feature's description, the recorder writes a model around it.",
        "Models that need Apple's systems or a program's class for a prediction count as accepted.", "",
        f"{len(tests)} tests, {len(with_models)} of them with models; {len(cases)} models, "
        f"{sum(case['there']['accepted'] for case in cases)} accepted there and {sum(case['here']['accepted'] for case in cases)} here; "
        f"{len(cases) - len(differences)} verdicts agree, {len(differences)} differ.", "",
        "## Differences", "", "| models | validator | there | here | reason |", "|---|---|---|---|---|"]
    rows = {}
    for case in differences:
        words = ["accepted" if case[side]["accepted"] else "refused: " + text(case[side]["message"]) for side in ("there", "here")]
        rows.setdefault((case["function"], *words, reason(case)), []).append(f"`{case['name']}`")
    lines += [f"| {', '.join(names)} | `{row[0]}` | {' | '.join(row[1:])} |" for row, names in rows.items()]
    lines += ["", "## Models of this repository that only this engine accepts", "", "| model | there | reason |", "|---|---|---|"]
    lines += [f"| `{name}` | refused: {text(message)} | {words} |" for name, message, words in others]
    lines += ["", "## Tests", "", "A + stands for a model that is accepted, a - for one that is refused, in the order of the test's calls.", "",
              "| test | there | here |", "|---|---|---|"]
    for name in with_models:
        marks = ["".join("+" if case[side]["accepted"] else "-" for case in by_test[name]) for side in ("there", "here")]
        lines.append(f"| `{name}` | `{marks[0]}` | `{marks[1]}` |")
    others = [f"`{name}`" for name in tests if not by_test[name]]
    lines += ["", "Tests that hand no model to a validator: " + ", ".join(others) + ".", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--martlet")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--check", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    checkout = options.checkout.resolve()
    if not (checkout / "mlmodel").exists():
        tree = out / "checkout"
        if not tree.exists():
            archive = subprocess.run(["git", "--git-dir", str(checkout), "archive", "HEAD", "mlmodel", "deps"], check=True, capture_output=True)
            tree.mkdir()
            subprocess.run(["tar", "x", "-C", str(tree)], input=archive.stdout, check=True)
        checkout = tree
    runner = build(checkout, out, options.compiler)
    if options.check is not None:
        return subprocess.run([runner, "--check", *map(str, options.check)]).returncode
    shutil.rmtree(out / "cases", ignore_errors=True)
    subprocess.run([runner, str(out / "cases")], cwd=out)
    lines = [json.loads(line) for line in (out / "cases/cases.jsonl").read_text().splitlines()]
    tests = [line["test"] for line in lines if "passed" in line]
    failed = [line["test"] for line in lines if line.get("passed") is False]
    cases = [line for line in lines if "file" in line]
    print(f"{len(tests)} tests, {len(cases)} models; tests that fail as they are: {', '.join(failed) or 'none'}")
    if not options.martlet:
        return 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(lambda case: verdict(options.martlet, out / "cases" / case["file"]), cases))
    for case, here in zip(cases, verdicts):
        case["name"], case["there"], case["here"] = case["file"].removesuffix(".mlmodel"), case.pop("verdict"), here
    (out / "verdicts.json").write_text(json.dumps(cases, indent=1))
    differences = [case for case in cases if case["there"]["accepted"] != case["here"]["accepted"]]
    unexplained = [case for case in differences if reason(case) is None]
    unneeded = [pattern for pattern in REASONS if not any(re.fullmatch(pattern, case["name"]) for case in differences)]
    for case in unexplained:
        print(f"{case['name']} [{case['function']}]: there {case['there']}, here {case['here']}")
    for pattern in unneeded:
        print(f"no difference: {pattern}")
    print(f"{len(differences)} differences, {len(unexplained)} without a reason")
    others, wrong = lenient(options.martlet, runner)
    for name in wrong:
        print(f"accepted by the validators or refused here: {name}")
    if options.table:
        options.table.write_text(table(tests, cases, others))
    return 1 if unexplained or unneeded or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
