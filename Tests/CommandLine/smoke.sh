#!/bin/sh
# Checks what programs rely on in the command line: exit status, which stream a message goes to, JSON that parses.
#
#   Tests/CommandLine/smoke.sh [PATH OF martlet]
#
# Needs python3, to make input files and to read JSON. Prints a line for each failure; the exit status is 0 only if there is none.
set -u
cd "$(dirname "$0")/../.." || exit 1
martlet=${1:-.build/release/martlet}
bundle=Tests/MartletExecuTorchFileTests/Fixtures/bundled.bpte
flexible=Tests/MartletCoreMLFileTests/Fixtures/flexible.mlpackage
sum=Tests/Fixtures/xnnpack/forms/binary_3/model.pte
resources=Sources/CMartletDemo/Resources
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAIL $1"
  failures=$((failures + 1))
}

# succeeds NAME COMMAND...: status 0, nothing on standard error; standard output is left in $work/out.
succeeds() {
  name=$1
  shift
  "$@" >"$work/out" 2>"$work/err" || fail "$name: status $?: $(head -n 1 "$work/err")"
  [ ! -s "$work/err" ] || fail "$name: wrote to standard error"
}

# fails NAME TEXT COMMAND...: status 1, `martlet: ` and TEXT on standard error, nothing on standard output.
fails() {
  name=$1
  text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  status=$?
  [ $status -eq 1 ] || fail "$name: status $status, not 1"
  [ ! -s "$work/out" ] || fail "$name: wrote to standard output"
  case $(cat "$work/err") in
  "martlet: "*"$text"*) ;;
  *) fail "$name: no '$text' in: $(head -n 1 "$work/err")" ;;
  esac
}

# json NAME EXPRESSION: the last output is JSON `v` for which the Python expression is true.
json() {
  python3 -c 'import json, sys; v = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$work/out" "$2" 2>/dev/null ||
    fail "$1: not JSON with $2"
}

succeeds "help" "$martlet" --help
succeeds "no arguments" "$martlet"
succeeds "version" "$martlet" --version
for command in classify complete inspect run train tokenize verify bench compile plan operators vision codegen doctor; do succeeds "help of $command" "$martlet" help "$command"; done
succeeds "doctor" "$martlet" doctor
succeeds "doctor as JSON" "$martlet" doctor --json
json "doctor as JSON" 'v["instructionSet"] in v["instructionSets"] and v["instructionSets"][0] == "portable" and {l["name"] for l in v["libraries"]} >= {"libpng", "liblcms2"}'
MARTLET_ISA=sse9 succeeds "doctor of an unknown instruction set" "$martlet" doctor
grep -q "^instruction set .*MARTLET_ISA=sse9: .*ignored" "$work/out" || fail "doctor: an unknown instruction set is not mentioned"
succeeds "codegen to standard output" "$martlet" codegen "$flexible" --output - --name Flexible --public
grep -q "^public class Flexible {$" "$work/out" || fail "codegen: no public class"
succeeds "codegen into a folder" "$martlet" codegen "$flexible" -o "$work"
[ "$(cat "$work/out")" = "$work/flexible.swift" ] && grep -q "^class flexibleInput : MLFeatureProvider {$" "$work/flexible.swift" || fail "codegen: no file"
fails "codegen of no model" "is neither" "$martlet" codegen "$bundle"
fails "codegen of a missing model" "there is no file" "$martlet" codegen "$work/none.mlmodel"
echo "not a model" >"$work/damaged.mlmodel"
fails "codegen of a damaged model" "damaged.mlmodel" "$martlet" codegen "$work/damaged.mlmodel"
fails "unknown command" "frobnicate" "$martlet" frobnicate
fails "unknown option" "--frobnicate" "$martlet" inspect --frobnicate x.pte
fails "missing argument" "file" "$martlet" inspect
fails "missing file" "there is no file" "$martlet" inspect "$work/none.pte"
fails "folder" "is a folder" "$martlet" inspect "$work"
echo "this is no model at all" >"$work/text.pte"
fails "verify of a family that does not occur" "of the families none" "$martlet" verify Tests/Fixtures/mil --family none
package=Tests/MartletTests/Fixtures/network.mlpackage
succeeds "compile" "$martlet" compile "$package" --output "$work/network.mlmodelc"
succeeds "inspect a compiled model" "$martlet" inspect "$work/network.mlmodelc"
succeeds "run a compiled model" "$martlet" run "$work/network.mlmodelc" --input zeros
fixtures=Tests/MartletTests/Fixtures
succeeds "run a model of pictures" "$martlet" run "$fixtures/rgb.mlpackage" --input picture="$resources/coffee.jpg" --json
json "run a model of pictures" '{o["kind"]: o for o in v["outputs"]}["image"]["width"] == 4'
succeeds "run a model of pictures on a random one" "$martlet" run "$fixtures/rgb.mlpackage" --input rand
fails "run a model of pictures on text" "is a picture" "$martlet" run "$fixtures/rgb.mlpackage" --input picture=text
succeeds "run a classifier" "$martlet" run "$fixtures/classifier.mlpackage" --input rand --top 1 --json
json "run a classifier" 'v["outputs"][0]["kind"] == "string" and v["top"][0]["label"] == v["outputs"][0]["value"]'
succeeds "run without an optional input" "$martlet" run "$fixtures/optional.mlpackage" --input x=2
succeeds "inspect a model of pictures" "$martlet" inspect "$fixtures/rgb.mlpackage" --json
json "inspect a model of pictures" 'v["methods"][0]["inputs"][0]["kind"] == "image"'
succeeds "inspect a network" "$martlet" inspect "$fixtures/picture_classifier.mlmodel"
grep -q "4-bit linear  1    240 elements" "$work/out" || fail "inspect a network: no weights"
grep -q "labels: 6: ant, bee" "$work/out" || fail "inspect a network: no labels"
succeeds "inspect a network as JSON" "$martlet" inspect "$fixtures/picture_classifier.mlmodel" --json
json "inspect a network as JSON" 'v["model"]["network"]["training"]["layers"] == ["hidden"] and len(v["methods"][0]["labels"]) == 6'
json "inspect a network as JSON" 'v["methods"][0]["inputs"][1]["isOptional"] and v["constants"]["count"] == 5'
succeeds "inspect a custom layer as JSON" "$martlet" inspect "$fixtures/custom_layer.mlmodel" --json
json "inspect a custom layer as JSON" 'v["model"]["network"]["customLayers"][0]["class"] == "Swirl"'
succeeds "compile a network" "$martlet" compile "$fixtures/picture_classifier.mlmodel" --output "$work/pictures.mlmodelc"
for model in "$fixtures/picture_classifier.mlmodel" "$work/pictures.mlmodelc"; do
  succeeds "classify with a network" "$martlet" classify --json --top 6 --model "$model" Tests/Fixtures/photos/chelsea.jpg
  json "classify with a network" 'sorted(t["label"] for t in v["pictures"][0]["top"]) == ["ant", "bee", "cat", "dog", "eel", "fox"]'
  json "classify with a network" 'abs(sum(t["value"] for t in v["pictures"][0]["top"]) - 1) < 1e-5'
done
fails "normalise for a network" "do not apply" "$martlet" classify --model "$model" --mean 0,0,0 Tests/Fixtures/photos/chelsea.jpg
trees=Tests/Fixtures/classic/tree-classifier-softmax/model.mlmodel
printf '1,2,3,4,5\n-1,0,1,0.5,\n' >"$work/rows.csv"
succeeds "run a table" "$martlet" run "$trees" --table "$work/rows.csv" --output "$work/results.csv"
python3 -c 'import csv, sys; r = list(csv.reader(open(sys.argv[1])))
assert r[0] == ["label", "p[3]", "p[1]", "p[4]", "p[15]"] and len(r) == 3
assert all(abs(sum(map(float, row[1:])) - 1) < 1e-9 for row in r[1:])' "$work/results.csv" 2>/dev/null || fail "run a table: $(head -n 2 "$work/results.csv")"
succeeds "run a table as JSON" "$martlet" run "$trees" --table "$work/rows.csv" --json
json "run a table as JSON" "v['rows'] == 2 and v['outputs'][1]['shape'] == [2, 4]"
succeeds "bench of a table" "$martlet" bench "$trees" --table "$work/rows.csv" --iterations 2 --json
printf 'a,b\n1,x\n' >"$work/bad.csv"
fails "run a table of other columns" "2 columns" "$martlet" run "$trees" --table "$work/bad.csv"
printf 'x\n"1\n' >"$work/bad.csv"
fails "run a damaged table" "line 2: a quote is not closed" "$martlet" run "$trees" --table "$work/bad.csv"
updatable=Tests/Fixtures/updatable
succeeds "train with a table" "$martlet" train "$updatable/dense.mlmodel" --data "$updatable/dense.csv" --epochs 200 --learning-rate 0.5 \
  --test "$updatable/dense.csv" --output "$work/dense.mlmodel"
grep -q "^epoch 200: loss" "$work/out" && grep -q "^accuracy 1.0000 of 6 samples" "$work/out" || fail "train with a table: nothing was learnt"
succeeds "train on" "$martlet" train "$work/dense.mlmodel" --data "$updatable/dense.csv" --epochs 1 --output "$work/dense.mlmodelc"
succeeds "run a trained model" "$martlet" run "$work/dense.mlmodelc" --input rand
succeeds "train a pipeline" "$martlet" train "$updatable/dense-pipeline.mlmodel" --data "$updatable/dense-pipeline.csv" --set shuffle=true --set seed=4
succeeds "train neighbours" "$martlet" train "$updatable/neighbors.mlmodel" --data "$updatable/neighbors.csv" --output "$work/neighbors.mlmodel"
python3 - "$work/colors" <<'END'
import os, random, sys
for label, color in (("red", (220, 20, 20)), ("green", (20, 220, 20)), ("blue", (20, 20, 220))):
  os.makedirs(f"{sys.argv[1]}/{label}")
  for index in range(4):
    pixels = bytes(value + (index * 7 + i) % 30 for i in range(120) for value in color)
    open(f"{sys.argv[1]}/{label}/{index}.ppm", "wb").write(b"P6 12 10 255\n" + pixels)
END
succeeds "train with folders of pictures" "$martlet" train "$updatable/pictures.mlmodel" --data "$work/colors" --test "$work/colors" --epochs 40
grep -q "^accuracy 1.0000 of 12 samples" "$work/out" || fail "train with folders of pictures: nothing was learnt"
fails "train with too many samples in a step" "miniBatchSize cannot be 9" "$martlet" train "$updatable/dense.mlmodel" --data "$updatable/dense.csv" --batch-size 9
fails "train a model that is not updatable" "not updatable" "$martlet" train "$fixtures/rgb.mlpackage" --data "$updatable/dense.csv"
succeeds "bench of training" "$martlet" bench "$updatable/dense.mlmodel" --training "$updatable/dense.csv" --iterations 120 --profile --json
json "bench of training" 'v[0]["step"]["count"] == 120 and [r["step"] for r in v[0]["resident"]] == [100, 120] and v[0]["profile"]["kernels"]'
succeeds "compile a custom layer" "$martlet" compile "$fixtures/custom_layer.mlmodel" --output "$work/custom.mlmodelc"
fails "run a custom layer" "Swirl" "$martlet" run "$work/custom.mlmodelc" --input rand
succeeds "plan of a pipeline" "$martlet" plan "$fixtures/network_pipeline.mlmodel" --json
json "plan of a pipeline" 'v["operations"][-1]["name"] == "main/1: dense"'
fails "compile over a model" "already exists" "$martlet" compile "$package" --output "$work/network.mlmodelc"
succeeds "compile over a model by force" "$martlet" compile "$package" --output "$work/network.mlmodelc" --force
fails "compile a program" "neither an .mlpackage nor an .mlmodel" "$martlet" compile "$work/text.pte"
fails "compile what is compiled" "neither an .mlpackage nor an .mlmodel" "$martlet" compile "$work/network.mlmodelc"
fails "compile nothing" "there is no file" "$martlet" compile "$work/none.mlpackage"
fails "compile into another kind" "does not end in .mlmodelc" "$martlet" compile "$package" --output "$work/network"
fails "garbage" "invalid file" "$martlet" inspect "$work/text.pte"
fails "picture of a graph" "--graph-output" "$martlet" inspect "$resources/efficientnet_lite0.pte" --graph-output graph.gif

succeeds "inspect" "$martlet" inspect "$resources/efficientnet_lite0.pte"
grep -q "input0: float32\[1, 3, 224, 224\]" "$work/out" || fail "inspect: no input"
grep -q "49  aten::convolution.out" "$work/out" || fail "inspect: no operator counts"
succeeds "inspect --json" "$martlet" inspect "$resources/efficientnet_lite0.pte" --json
json "inspect --json" 'v["methods"][0]["outputs"][0]["shape"] == [1, 1000] and v["constants"]["byteCount"] > 9000000'

succeeds "inspect of ranges" "$martlet" inspect "$flexible"
grep -q "x: float16\[1, ?\], default \[1, 32\], from \[1, 1\.\.\.\]" "$work/out" || fail "inspect of ranges: no default or no ranges"
succeeds "inspect of ranges as JSON" "$martlet" inspect "$flexible" --json
json "inspect of ranges as JSON" 'v["methods"][0]["inputs"][0]["defaultShape"] == [1, 32]'
json "inspect of ranges as JSON" 'v["methods"][0]["inputs"][0]["extentRanges"][1] == {"minimum": 1, "maximum": None}'
succeeds "inspect of a kind" "$martlet" inspect Tests/MartletCoreMLFileTests/Fixtures/features.mlmodel
grep -qx "model: identity" "$work/out" || fail "inspect of a kind: no kind"
succeeds "inspect of a kind as JSON" "$martlet" inspect Tests/MartletCoreMLFileTests/Fixtures/features.mlmodel --json
json "inspect of a kind as JSON" 'v["model"]["kind"] == "identity" and v["model"]["sizes"] == {}'
succeeds "inspect of a bound" "$martlet" inspect Tests/MartletExecuTorchFileTests/Fixtures/dynamic.pte
grep -q "input0: float32\[≤7, ≤3\]" "$work/out" || fail "inspect of a bound: no bound"

fails "an input of two" "no value for these inputs" "$martlet" run "$sum" --input 0=rand
succeeds "random values for all inputs" "$martlet" run "$sum" --input rand --json
cp "$work/out" "$work/first"
succeeds "random values for the other inputs" "$martlet" run "$sum" --input 1=rand --input rand --json
cmp -s "$work/first" "$work/out" || fail "random values depend on how they are asked for"
fails "random values twice" "has only 2 inputs" "$martlet" run "$sum" --input rand --input rand --input rand

succeeds "operators" "$martlet" operators aten::bmm --json
json "operators" 'v[0]["operator"] == "aten::bmm.out" and v[0]["types"]["float32"]["runs"]'
fails "unknown operator" "frobnicate" "$martlet" operators frobnicate
succeeds "operators of ML Programs" "$martlet" operators topk --mil Tests/Fixtures/mil
grep -q "^topk  " "$work/out" || fail "operators of ML Programs: no row"

succeeds "plan" "$martlet" plan "$resources/efficientnet_lite0.pte" --by-cost
grep -q "CPU  *aten::convolution.out" "$work/out" || fail "plan: no convolution"
succeeds "plan --json" "$martlet" plan "$resources/efficientnet_lite0.pte" --json
json "plan --json" 'abs(sum(o["share"] for o in v["operations"]) - 1) < 1e-9 and len(v["operations"]) > 100'
json "plan --json" 'all(o["device"] == "CPU" and o["measuredSeconds"] is None for o in v["operations"])'
succeeds "plan --measure" "$martlet" plan Tests/Fixtures/mil/convolutions/model.mlpackage --measure --rounds 1 --json
json "plan --measure" 'v["measuredSeconds"] > 0 and -1 <= v["rankCorrelation"] <= 1 and any(o["operator"] == "conv" for o in v["operations"])'
succeeds "plan --html" "$martlet" plan Tests/Fixtures/mil/convolutions/model.mlpackage --html "$work/plan.html"
[ ! -s "$work/out" ] || fail "plan --html: printed something"
python3 - "$work/plan.html" <<'END' || fail "plan --html: not a page of its own"
import sys, html.parser, re
text = open(sys.argv[1], encoding="utf-8").read()
html.parser.HTMLParser().feed(text)
links = re.findall(r'(?:src|href)="[^"]*"|@import|url[(]', text)
sys.exit(not (text.startswith("<!DOCTYPE html>") and text.count("<svg") == 2 and "</html>" in text and not links))
END
fails "plan to no page" "--html" "$martlet" plan "$resources/efficientnet_lite0.pte" --html plan.gif
fails "input for nothing" "--measure" "$martlet" plan "$resources/efficientnet_lite0.pte" --input 0=rand

succeeds "inspect of a bundle" "$martlet" inspect "$bundle" --json
json "inspect of a bundle" 'v["kind"] == "bundledProgram" and len(v["testSuites"]) > 0'
succeeds "verify of a bundle" "$martlet" verify "$bundle"
grep -q "passed, 0 failed" "$work/out" || fail "verify of a bundle: no counts"
fails "missing input" "no value for these inputs" "$martlet" run "$bundle"
fails "unknown input" "no input frobnicate" "$martlet" run "$bundle" --input frobnicate=rand
fails "input twice" "given twice" "$martlet" run "$bundle" --input 0=rand --input 0=zeros
fails "unknown method" "no method frobnicate" "$martlet" run "$bundle" --method frobnicate --input rand
fails "wrong shape" "invalid input" "$martlet" run "$bundle" --input rand:7x7x7
succeeds "run" "$martlet" run "$bundle" --input rand --output "$work/outputs.npz" --json
json "run" 'v["outputs"][0]["dataType"] == "float32" and v["outputs"][0]["notFiniteCount"] == 0'
python3 -c 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).namelist() != ["output0.npy"])' "$work/outputs.npz" ||
  fail "run: outputs.npz does not hold output0"
succeeds "run with the same seed" "$martlet" run "$bundle" --input input0=rand --json
cp "$work/out" "$work/first"
succeeds "run with the same seed" "$martlet" run "$bundle" --input rand --json
cmp -s "$work/first" "$work/out" || fail "equal seeds give different outputs"
succeeds "outputs in a folder" "$martlet" run "$bundle" --input zeros --output "$work/folder"
[ -s "$work/folder/output0.npy" ] || fail "run: no folder/output0.npy"
"$martlet" run "$bundle" --input rand:7x7x7 --json >"$work/out" 2>"$work/err" && fail "error as JSON: status 0"
json "error as JSON" 'v["error"]["kind"] == "invalidInput" and v["error"]["method"] == "forward" and v["error"]["found"] == "float32[7, 7, 7]"'
grep -q "^martlet: invalid input" "$work/err" || fail "error as JSON: nothing on standard error"
fails "npy of another shape" "invalid input" "$martlet" run "$bundle" --input "$work/folder/output0.npy"
succeeds "graph page" "$martlet" inspect "$bundle" --graph-output "$work/graph.html"
grep -q "<svg" "$work/graph.html" || fail "graph page: no picture"
succeeds "graph picture" "$martlet" inspect "$bundle" --graph imported --graph-output "$work/graph.svg"
python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/graph.svg" || fail "graph picture: malformed XML"
succeeds "graph as JSON" "$martlet" inspect "$bundle" --graph imported --json
json "graph as JSON" 'len(v["nodes"]) > 0 and v["nodes"][0]["operator"] != ""'
succeeds "bench" "$martlet" bench "$bundle" --iterations 5 --threads 1 --profile --trace "$work/trace.json" --json
json "bench" 'v[0]["prediction"]["count"] == 5 and v[0]["firstSeconds"] > 0 and len(v[0]["profile"]["kernels"]) > 0'
if command -v taskset >/dev/null; then
  succeeds "bench on one processor" taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "$martlet" bench "$bundle" --iterations 2 --json
  json "bench on one processor" 'v[0]["threads"] == 1'
fi
cp "$work/trace.json" "$work/out"
json "trace" 'any(e["ph"] == "X" and e["dur"] >= 0 for e in v["traceEvents"])'
# The worker's protocol (Benchmarks/README.md). A bundle serves as well as a program.
python3 - "$martlet" "$bundle" "$work/zeros.npy" <<'PYTHON' || fail "worker: the protocol is not kept"
import json, struct, subprocess, sys
martlet, bundle, path = sys.argv[1:]
shape = json.loads(subprocess.check_output([martlet, "inspect", bundle, "--json"]))["methods"][0]["inputs"][0]["shape"]
header = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)}).encode()
header += b" " * (-(len(header) + 11) % 64) + b"\n"
count = 1
for extent in shape: count *= extent
open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4 * count))
worker = subprocess.Popen([martlet, "bench", "--worker", bundle, "--threads", "1", "--input", path],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(line):
    worker.stdin.write(line + "\n")
    worker.stdin.flush()
    return worker.stdout.readline().split()
assert worker.stdout.readline() == "started\n"
assert ask("run 1")[0] == "error"
answer = ask("load")
assert answer[0] == "ready" and len(answer) == 3 and all(float(t) > 0 for t in answer[1:]), answer
assert len([float(t) for t in ask("run 4")]) == 4
assert ask("frobnicate")[0] == "error"
worker.stdin.write("quit\n")
worker.stdin.flush()
assert worker.wait() == 0 and worker.stdout.read() == ""
PYTHON

succeeds "bench of the processor" "$martlet" bench --peak --threads 1 --json
json "bench of the processor" 'v["threads"] == 1 and v["float32"]["operationsPerSecond"] > 1e9 and v["bytesReadPerSecond"] > 1e8'
# At each instruction set, no peak is above what the clock allows (a tenth is for a clock that changes), and none is a small part of it.
for step in $("$martlet" doctor --json | python3 -c 'import json, sys; print(*json.load(sys.stdin)["instructionSets"])'); do
  MARTLET_ISA=$step succeeds "bench of the processor at $step" "$martlet" bench --peak --threads 1 --json
  json "bench of the processor at $step" "v['instructionSet'] == '$step'"
  json "peaks at $step" 'all(0.05 < v[k]["operationsPerCycle"] / v[k]["operationsPerCycleAtMost"] < 1.05 for k in ("float32", "bfloat16", "int8") if k in v)'
done

succeeds "classify" "$martlet" classify --json
json "classify" 'v["pictures"][0]["top"][0]["label"] == "espresso" and abs(v["pictures"][0]["top"][0]["value"] - 0.953) < 0.02'
succeeds "classify with fast products" "$martlet" classify --json --precision fast
json "classify with fast products" 'v["pictures"][0]["top"][0]["label"] == "espresso" and abs(v["pictures"][0]["top"][0]["value"] - 0.953) < 0.05'
succeeds "bench of the embedded model" "$martlet" bench --json --iterations 3 --threads 2 Sources/CMartletDemo/Resources/efficientnet_lite0.pte
json "bench of the embedded model" 'v[0]["allocationsReusingOutputs"] == 0'
for name in int8-8w-mixed-xnnpack local-global-f16-portable static-8w-portable; do
  succeeds "bench of tokens, $name" "$martlet" bench --json --prefill 3 --decode 8 --threads 2 "Tests/Fixtures/language-models/$name/model.pte"
  json "bench of tokens, $name" 'v[0]["decode"]["allocationsPerToken"] == 0 and v[0]["decode"]["plans"] == 0 and v[0]["prefill"]["newLengthShare"] is not None'
done
succeeds "classify of pictures" "$martlet" classify --json --top 1 Tests/Fixtures/photos/chelsea.jpg Tests/Fixtures/photos/rocket.jpg
json "classify of pictures" '[p["top"][0]["index"] for p in v["pictures"]] == [282, 540]'

# completes NAME COMMAND...: status 0, figures on standard error.
completes() {
  name=$1
  shift
  "$@" >"$work/out" 2>"$work/err" || fail "$name: status $?: $(head -n 1 "$work/err")"
  grep -q "^prompt .* per second; generated .* first token after .*; seed" "$work/err" || fail "$name: no figures: $(head -n 1 "$work/err")"
}
completes "complete" "$martlet" complete --prompt "Once upon a time" --seed 1
[ "$(wc -w <"$work/out")" -gt 40 ] || fail "complete: no story: $(head -c 200 "$work/out")"
cp "$work/out" "$work/first"
completes "complete with the same seed" "$martlet" complete --prompt "Once upon a time" --seed 1 --threads 1
cmp -s "$work/first" "$work/out" || fail "equal seeds give different stories"
completes "complete with an echo" "$martlet" complete --prompt "Once upon a time" --seed 1 --echo
[ "$(cat "$work/out")" = "Once upon a time$(cat "$work/first")" ] || fail "complete: the prompt is not echoed"
printf 'One rainy morning, a small robot\n' | "$martlet" complete --max-tokens 5 --seed 3 --json >"$work/out" 2>"$work/err" ||
  fail "complete of standard input: $(head -n 1 "$work/err")"
json "complete of standard input" 'v["prompt"] == "One rainy morning, a small robot" and v["generatedTokens"] == 5 and v["ending"] == "limit"'
json "complete of standard input" 'v["seed"] == 3 and v["promptTokens"] > 5 and v["firstTokenSeconds"] > v["loadSeconds"] > 0'
python3 - "$martlet" Tests/Fixtures/story/greedy.json <<'PYTHON' || fail "complete: the tokens differ from ExecuTorch's"
import json, subprocess, sys
for case in json.load(open(sys.argv[2])):
    # Up to the first step at which another rounding may choose another token.
    safe = next((i for i, margin in enumerate(case["margins"]) if margin < 0.1), len(case["margins"]))
    if safe == 0: continue
    text = json.loads(subprocess.check_output(
        [sys.argv[1], "complete", "--prompt", case["prompt"], "--temperature", "0", "--max-tokens", str(safe), "--json"]))["text"]
    assert case["text"].startswith(text), (safe, text, case["text"])
PYTHON
decoder=Tests/Fixtures/text/decoder.pte
letters=Tests/Fixtures/text/tokenizer.json
completes "complete with a model" "$martlet" complete "$decoder" --tokenizer "$letters" --prompt "abc" --max-tokens 4
fails "complete of nothing" "the prompt is empty" "$martlet" complete --prompt ""
fails "complete without a prompt" "the prompt is empty" "$martlet" complete </dev/null
fails "complete without a tokenizer" "--tokenizer" "$martlet" complete "$decoder" --prompt x
fails "complete with a missing model" "there is no file" "$martlet" complete "$work/none.pte" --tokenizer "$letters" --prompt x
fails "complete with a missing tokenizer" "there is no file" "$martlet" complete "$decoder" --tokenizer "$work/none.json" --prompt x
fails "complete with a damaged tokenizer" "text.pte" "$martlet" complete "$decoder" --tokenizer "$work/text.pte" --prompt x
fails "complete with another model's tokenizer" "logits" "$martlet" complete "$decoder" \
  --tokenizer "$resources/story_tokenizer.json" --prompt x
fails "complete with a classifier" "get_max_seq_len" "$martlet" complete "$resources/efficientnet_lite0.pte" \
  --tokenizer "$letters" --prompt x
fails "complete of a long prompt" "does not fit" "$martlet" complete --prompt "$(yes story | head -n 2000 | tr '\n' ' ')"
fails "complete at a negative temperature" "--temperature" "$martlet" complete --prompt x --temperature=-1
fails "complete of text that is not UTF-8" "not UTF-8" sh -c "printf '\\377' | '$martlet' complete"

tokenizer=$resources/story_tokenizer.json
succeeds "tokenize" "$martlet" tokenize "$tokenizer" "Once upon a time"
[ "$(awk '{ printf "%s", $2 }' "$work/out")" = "OnceĠuponĠaĠtime" ] || fail "tokenize: other pieces: $(head -n 1 "$work/out")"
succeeds "tokenize as JSON" "$martlet" tokenize "$tokenizer" "Once <|end|>" --special --json
json "tokenize as JSON" 'v["tokens"][-1] == {"id": 1, "piece": "<|end|>", "start": 5, "end": 12, "isSpecial": True} and v["vocabularySize"] == 1536'
ids=$(python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["ids"])' "$work/out")
succeeds "tokenize --decode" "$martlet" tokenize "$tokenizer" --decode "$ids"
[ "$(cat "$work/out")" = "Once " ] || fail "tokenize --decode: $(head -n 1 "$work/out")"
succeeds "tokenize --decode of special tokens" "$martlet" tokenize "$tokenizer" --decode --special "$ids"
[ "$(cat "$work/out")" = "Once <|end|>" ] || fail "tokenize --decode of special tokens: $(head -n 1 "$work/out")"
printf 'a fox' | succeeds "tokenize of standard input" "$martlet" tokenize "$tokenizer"
fails "tokenize with no tokenizer" "there is no file" "$martlet" tokenize "$work/none.json" x
fails "tokenize with a folder without one" "has no tokenizer" "$martlet" tokenize "$work" x
fails "decode an id beyond the vocabulary" "there is no token 1536" "$martlet" tokenize "$tokenizer" --decode 1536
fails "decode a word" "'x' is not an id" "$martlet" tokenize "$tokenizer" --decode x
succeeds "inspect of a language model" "$martlet" inspect "$resources/story.pte"
grep -q "int4, groups of 32" "$work/out" && grep -q "by llama::update_cache.out" "$work/out" && grep -q "^  get_max_seq_len  *384" "$work/out" ||
  fail "inspect of a language model: weights, caches or metadata are missing"
succeeds "inspect of a language model as JSON" "$martlet" inspect "$resources/story.pte" --json
json "inspect of a language model as JSON" '{m["signature"] if "signature" in m else m["name"]: m["constants"] for m in v["methods"]}["get_eos_ids"] == ["1"]'
json "inspect of a language model as JSON" '[s["type"] for s in v["methods"][0]["states"]] == 8 * ["float32[1, 384, 6, 32]"]'
json "inspect of a language model as JSON" 'sum(w["byteCount"] for w in v["methods"][0]["weights"] if w["isTable"]) == 1536 * (96 + 6 * 4)'

vision=Tests/VisionTests/Fixtures
succeeds "vision of objects" "$martlet" vision "$vision/boxes.mlpackage" Tests/Fixtures/photos/chelsea.jpg --scale fill --json \
  --output "$work/boxes.png"
json "vision of objects" '[o["labels"][0]["label"] for o in v["pictures"][0]["observations"]] == ["star", "square", "circle"]'
json "vision of objects" 'v["pictures"][0]["observations"][1]["box"] == [0, 0, v["pictures"][0]["width"], v["pictures"][0]["height"]]'
[ "$(head -c 4 "$work/boxes.png" | tail -c 3)" = PNG ] || fail "vision of objects: no picture was drawn"
succeeds "vision of classes" "$martlet" vision "$vision/classifier.mlpackage" "$work/boxes.png" Tests/Fixtures/photos/rocket.jpg --top 1
succeeds "vision of values" "$martlet" vision "$vision/quarters.mlpackage" Tests/Fixtures/photos/rocket.jpg --region 0.5,0.5,0.25,0.5 \
  --scale fit-turned --output "$work/quarters.png"
fails "vision without a picture input" "takes no picture" "$martlet" vision "$vision/numbers.mlpackage" "$work/boxes.png"
fails "vision of a region outside" "not inside" "$martlet" vision "$vision/boxes.mlpackage" "$work/boxes.png" --region 0.5,0.5,1,1
# A command that is interrupted ends by the signal and leaves no file.
interrupted() {
  status=0
  timeout --preserve-status -s "$1" 1 "$martlet" bench --seconds 60 --trace "$work/interrupted.json" \
    Sources/CMartletDemo/Resources/efficientnet_lite0.pte > "$work/out" 2>&1 || status=$?
  [ $status -eq "$2" ] || fail "interrupted by $1: exit status $status"
  [ ! -e "$work/interrupted.json" ] || fail "interrupted by $1: a file is left"
}
interrupted INT 130
interrupted TERM 143
# A completion that is interrupted keeps its text, ends the line and has the status of the signal.
python3 - "$martlet" <<'PYTHON' || fail "complete: an interruption is not kept to"
import signal, subprocess, sys, time
for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
    process = subprocess.Popen([sys.argv[1], "complete", "--prompt", "Once upon a time", "--seed", "1"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    begin = process.stdout.read(8)
    process.send_signal(number)
    rest, errors = process.communicate(timeout=20)
    text = (begin + rest).decode()
    assert process.returncode in (status, 0), process.returncode
    assert text.endswith("\n") and not text.endswith("\n\n"), text
PYTHON
cp "$martlet" "$work/alone"
fails "classify without its files" "martlet_CMartletDemo.resources" "$work/alone" classify

[ $failures -eq 0 ] && echo "command line: all checks pass"
exit $((failures > 0))
