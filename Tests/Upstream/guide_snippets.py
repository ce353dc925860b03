"""Makes a test of each Swift snippet of ExecuTorch's guide for iOS that needs only what this package has.

  guide_snippets.py GUIDE MODELS > GuideTests.swift

GUIDE is upstream's docs/source/using-executorch-ios.md, MODELS a folder with the models that Oracles/make_face_fixtures.py makes. A
snippet stands in its test as it is in the guide, except that names, shapes and "..." are filled in as CASES says; around it are what it
takes for granted and assertions. Snippets that CASES does not know are an error, so that a new one in the guide is not passed over.
"""
import re
import sys

# By a line of the snippet: (what stands before it, what is filled in, what is asserted after it); a text says why there is no test.
CASES = {
    "// swift-tools-version:5.9": "a manifest",
    "import os.log": "needs Apple's module os",
    'let modelPath = Bundle.main.path(forResource: "mv3", ofType: "pte")!': (
        "",
        {
            'Bundle.main.path(forResource: "mv3", ofType: "pte")!': 'path("delegated.pte")',
            # `Tensor(_: inout [Scalar])` takes an array; upstream's does not take a pointer either.
            "let imageBuffer: UnsafeMutableRawPointer = ...": "var imageBuffer: [Float] = [1, 2, 3]",
            "[1, 3, 224, 224]": "[1, 3]",
        },
        "XCTAssertEqual(logits, [14.25, 11.5])",
    ),
    "let tensorView = Tensor(originalTensor)": (
        "let originalTensor = Tensor<Float>([1, 2])",
        {},
        "originalTensor.withUnsafeMutableBytes { $0[0] = 5 }\nXCTAssertEqual(tensorView.scalars(), [5, 2])\n"
        "XCTAssertEqual(tensorCopy.scalars(), [1, 2])",
    ),
    "let tensorNoCopy = mutableData.withUnsafeMutableBytes { pointer in": (
        "", {}, "XCTAssertEqual(tensorNoCopy.shape, [2, 2])\nXCTAssertEqual(tensorFromData.scalars(), [1, 2, 3, 4])"),
    "let tensor = Tensor([1.0, 2.0, 3.0, 4.0]) // Creates a Tensor<Double> with shape [4]": (
        "",
        {},
        "let typed: (Tensor<Double>, Tensor<Int>, Tensor<Int>) = (tensor, tensorWithShape, scalarTensor)\n"
        "XCTAssertEqual(typed.0.shape, [4])\nXCTAssertEqual(typed.1.shape, [2, 3])\nXCTAssertEqual(typed.2.shape, [])\n"
        "liveData[0] = 11\nXCTAssertEqual(tensorNoCopy.scalars(), [11, 20, 30])",
    ),
    "let fullTensor = Tensor<Int32>.full(shape: [2, 2], scalar: 7)": (
        "",
        {},
        "XCTAssertEqual(fullTensor.scalars(), [7, 7, 7, 7])\nXCTAssertEqual(zerosTensor.scalars(), Array(repeating: 0, count: 9))\n"
        "XCTAssertTrue(randomInts.scalars().allSatisfy((10..<20).contains))\nXCTAssertEqual(anyZeros.dataType, .float)\n"
        "XCTAssertEqual(anyRand.shape, [2, 3])",
    ),
    "let scalars = tensor.scalars()": (
        "let anyTensor = AnyTensor(Tensor<Float>([3]).anyTensor)", {}, "XCTAssertEqual(scalars, [1, 2, 3, 4])"),
    "// Modify the tensor's data in place.": (
        "let anyTensor = Tensor<Float>([3]).anyTensor",
        {},
        "XCTAssertEqual(tensor.scalars(), [1, 200, 3, 4])\nXCTAssertEqual(Tensor<Float>(anyTensor).scalars(), [100])",
    ),
    "  try tensor.resize(to: [4, 1])": (
        "let tensor = Tensor<Float>([1, 2, 3, 4], shape: [2, 2])", {}, "XCTAssertEqual(tensor.shape, [4, 1])"),
    "let tensorValue = Value(tensor)": (
        "",
        {"import ExecuTorch\n": ""},
        "XCTAssertEqual([tensorValue, intValue, stringValue, boolValue, doubleValue].map(\\.tag), "
        "[.tensor, .integer, .string, .boolean, .double])",
    ),
    "func processValue(_ value: ValueConvertible) {": (
        "var tags: [ValueTag] = []",
        {"  // ...": "  tags.append(value.asValue().tag)"},
        "XCTAssertEqual(tags, [.integer, .double, .string, .boolean, .tensor])",
    ),
    "let moduleMmap = Module(filePath: modelPath, loadMode: .mmap)": (
        "",
        {"import ExecuTorch\n": "", 'Bundle.main.path(forResource: "model", ofType: "pte")!': 'path("methods.pte")'},
        "for module in [module, moduleMmap] { XCTAssertNoThrow(try module.load()) }",
    ),
    "  // Loads program and prepares 'forward' for execution.": (
        'let module = Module(filePath: path("methods.pte"))', {}, 'XCTAssertTrue(module.isLoaded("forward"))'),
    "  let metadata = try module.methodMetadata(\"forward\")": (
        'let module = Module(filePath: path("delegated.pte"))',
        {},
        'XCTAssertNoThrow(XCTAssertEqual(try Tensor<Float>(module.forward()).shape, [1, 2]))',
    ),
    "let inputTensor1 = Tensor<Float>([1.0, 2.0])": (
        'let module = Module(filePath: path("methods.pte"))',
        {
            "([1.0, 2.0])": "([1.0, 2.0, 3.0])",
            "([3.0, 4.0])": "([3.0, 4.0, 5.0])",
            "([5.0])": "([5.0, 6.0, 7.0])",
            '"another_method", [inputTensor1]': '"rows", [Tensor(inputTensor1, shape: [1, 3])]',
        },
        "XCTAssertNoThrow(XCTAssertEqual(try Tensor<Float>(module.forward()).scalars(), [4, 6, 8]))\n"
        "XCTAssertNoThrow(XCTAssertEqual(try Tensor<Float>(module.execute(\"rows\")).scalars(), [2, 4, 6]))",
    ),
    "  let names = try module.methodNames()": (
        'let module = Module(filePath: path("delegated.pte"))', {}, 'XCTAssertEqual(try? module.methodNames(), ["forward"])'),
}


def main(guide, models):
    snippets = [text for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", open(guide, encoding="utf-8").read(), re.M | re.S)
                if language == "swift"]
    print("import ExecuTorch\nimport XCTest\n\nfinal class GuideTests: XCTestCase {")
    print(f'  private func path(_ file: String) -> String {{ "{models}/" + file }}\n')
    made = 0
    for number, snippet in enumerate(snippets, 1):
        if snippet.strip() == "import ExecuTorch":
            continue
        found = [case for line, case in CASES.items() if line in snippet.split("\n")]
        if len(found) != 1:
            sys.exit(f"snippet {number} of {guide} is new or has changed:\n{snippet}")
        if isinstance(found[0], str):
            print(f"snippet {number}: {found[0]}", file=sys.stderr)
            continue
        before, filled, after = found[0]
        for name, value in filled.items():
            if name not in snippet:
                sys.exit(f"snippet {number} of {guide} has changed: it has no {name!r}")
            snippet = snippet.replace(name, value)
        body = "\n".join(part.rstrip("\n") for part in (before, snippet, after) if part)
        print(f"  func testSnippet{number}() throws {{")
        print("\n".join("    " + line if line else "" for line in body.split("\n")) + "\n  }\n")
        made += 1
    print("}")
    print(f"{made} of {len(snippets)} snippets have a test", file=sys.stderr)


main(*sys.argv[1:])
