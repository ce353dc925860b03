"""Type-checks the Swift files of public Core ML clients, unmodified, against the modules of a release build; see run-clients.sh.

The files of one target are one module. A target is that of a package's manifest, else the files below one folder beside an Xcode
project. Files whose imports do not all exist are left out of their module, and the others of the module are checked without them.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Modules with Apple's names that a product of this package has.
OURS = {
    "CoreML", "Vision", "CoreVideo", "CoreGraphics", "CoreImage", "ImageIO", "VideoToolbox", "QuartzCore", "UniformTypeIdentifiers", "OSLog", "os",
}
# Frameworks of Apple that are absent, by what a file that imports one of them is.
FRAMEWORKS = {
    "Accelerate": {"Accelerate"},
    "screens and cameras": {
        "UIKit", "SwiftUI", "AppKit", "Cocoa", "AVFoundation", "AVFAudio", "AVKit", "ARKit", "RealityKit", "SceneKit", "SpriteKit", "Photos",
        "PhotosUI", "Combine", "SwiftData", "CoreData", "CoreMedia", "CoreAudio", "AudioToolbox", "CoreMotion", "CoreLocation", "MapKit",
        "WebKit", "StoreKit", "WatchKit", "WidgetKit", "ActivityKit", "AppIntents", "Speech", "MediaPlayer", "MultipeerConnectivity",
        "MessageUI", "SafariServices", "Observation", "Charts", "ScreenCaptureKit", "ReplayKit", "InputMethodKit", "TipKit", "WatchConnectivity",
        "NaturalLanguage", "BackgroundTasks", "UserNotifications", "GameKit", "CoreSpotlight", "CoreTransferable", "FoundationModels",
    },
    "the graphics processor": {"Metal", "MetalKit", "MetalPerformanceShaders", "MetalPerformanceShadersGraph", "MLCompute"},
    "other parts of Apple's systems": {
        "Darwin", "ObjectiveC", "CryptoKit", "CommonCrypto", "Security", "CoreText", "CoreFoundation", "Compression", "Network", "Darwin.Mach",
        "CreateML", "TabularData", "IOKit", "SystemConfiguration", "MachO", "CoreServices", "XPC", "MetricKit", "Cryptex", "PlaygroundSupport",
    },
}
FOUNDATION = "Foundation or C library of Linux"
LACKING = "an interface of ours lacks it"
FRAMEWORK_CLASS = {name: kind for kind, names in FRAMEWORKS.items() for name in names}

IMPORT = r"^\s*(?:@\w+(?:\(\w+\))? +|public |internal |private |package )*import +(?:class |struct |func |enum |typealias |var |let )?(\w+)"
LINKED = "(" + "|".join(sorted(OURS)) + (
    r"|SwiftProtobuf|ArgumentParser|ArgumentParserToolInfo|_Testing_\w+|Martlet|Martlet(Tensor|Bytes|Log|Lock|Vocabulary|Kernels|Graph|CoreMLFile|ExecuTorchFile|Color|"
    r"Features|Pixels|Media|Ops|Compiler|Import|Runtime|PixelBuffers|Vision|Images|BufferImages|CoreFoundation|Resources|System)"
    r"|CMartlet(Kernels|MappedFiles|Log|PictureCodecs))$")


@dataclasses.dataclass
class Target:
    """The files of one module."""
    repository: str
    module: str
    files: list
    version: str = "5"
    flags: list = dataclasses.field(default_factory=list)
    resources: list = dataclasses.field(default_factory=list)  # (rule, path)
    is_test: bool = False
    left_out: dict = dataclasses.field(default_factory=dict)  # path: absent modules
    errors: dict = dataclasses.field(default_factory=dict)  # path: messages


class Compiler:
    """The compiler with the module paths of a release build."""

    def __init__(self, root, work):
        self.work = work
        build = root / ".build/release"
        self.paths = ["-I", str(work), "-I", str(build / "Modules")]
        for headers in sorted((root / "Sources").glob("CMartlet*/include")):
            self.paths += ["-I", str(headers)]
            written = build / f"{headers.parent.name}.build/module.modulemap"
            if not (headers / "module.modulemap").exists() and written.exists():
                self.paths += ["-Xcc", f"-fmodule-map-file={written}"]
        self.known = {}
        # What a program that uses any of the modules is linked with.
        folders = [folder for folder in build.glob("*.build") if re.match(LINKED, folder.stem)]
        self.objects = sorted(str(file) for folder in folders for file in folder.rglob("*.o"))

    def run(self, *arguments):
        return subprocess.run(["swiftc", *map(str, arguments)], capture_output=True, text=True, timeout=600, errors="replace")

    def imports(self, file):
        """Names of the modules that a file imports, with conditions decided as for the module paths."""
        text = pathlib.Path(file).read_text(errors="replace")
        if re.search(r"^\s*#if|/\*", text, re.M):
            out = subprocess.run(
                ["swiftc", "-frontend", "-emit-imported-modules", *self.paths, str(file), "-o", "-"], capture_output=True, text=True, errors="replace")
            if out.returncode == 0:
                return set(out.stdout.split())
        return set(re.findall(IMPORT, text, re.M))

    def exists(self, module):
        """True if the toolchain, the release build or an earlier module of a client has it."""
        if not self.known.get(module):
            probe = self.work / "probe.swift"
            probe.write_text(f"import {module}\n")
            self.known[module] = self.run("-typecheck", *self.paths, probe).returncode == 0
        return self.known[module]

    def common(self, target, files):
        """Arguments of every compilation of a target's files, and the files, with the one that finds its resources."""
        if target.resources:
            folder = self.work / f"{target.repository}.{target.module}.resources"
            for rule, path in target.resources if not folder.exists() else ():
                folder.mkdir(exist_ok=True)
                if path.is_dir() and rule == "copy":
                    shutil.copytree(path, folder / path.name)
                else:
                    for file in [path] if path.is_file() else (file for file in path.rglob("*") if file.is_file()):
                        shutil.copy(file, folder)
            accessor = self.work / f"{target.repository}.{target.module}.swift"
            accessor.write_text(
                f"import Foundation\nextension Foundation.Bundle {{ static let module = Foundation.Bundle(path: {json.dumps(str(folder))})! }}\n")
            files = files + [accessor]
        arguments = ["-swift-version", target.version, "-module-name", target.module, "-enable-testing", *target.flags, *self.paths]
        return arguments, files

    @staticmethod
    def library(files):
        """The argument that says that no file has statements at the top level, if so. SwiftPM, too, looks for `@main` in a single file."""
        if len(files) == 1 and re.search(r"^@main\b", files[0].read_text(errors="replace"), re.M):
            return ["-parse-as-library"]
        is_script = any(file.name == "main.swift" or file.read_text(errors="replace").startswith("#!") for file in files)
        return [] if is_script else ["-parse-as-library"]

    @staticmethod
    def errors(output):
        """Lines and messages by file."""
        found = collections.defaultdict(list)
        for path, line, text in re.findall(r"^(/[^\n]*?\.swift):(\d+):\d+: error: (.*)$", output, re.M):
            found[path].append((int(line), text))
        return found

    def check(self, target, files):
        """Messages by file, after a module for those who import it has been written."""
        common, files = self.common(target, files)
        common += self.library(files)
        out = self.run("-typecheck", "-wmo", *common, *files)
        if not target.is_test:
            self.run(
                "-emit-module", "-wmo", "-emit-module-path", self.work / f"{target.module}.swiftmodule", "-Xfrontend",
                "-experimental-allow-module-with-compiler-errors", "-Xfrontend", "-experimental-skip-non-inlinable-function-bodies", *common, *files)
            self.known[target.module] = (self.work / f"{target.module}.swiftmodule").exists()
        found = self.errors(out.stderr)
        if out.returncode != 0 and not found:
            print(f"{target.repository} {target.module}: {out.stderr[-2000:]}", file=sys.stderr)
        return found

    def closed(self, target, files, *more):
        """The largest part of the files, found by leaving out those with errors, that compiles alone."""
        while files:
            common, all_files = self.common(target, files)
            common += self.library(files)
            out = self.run("-typecheck", "-wmo", *more, *common, *all_files)
            if out.returncode == 0:
                break
            found = self.errors(out.stderr)
            kept = [file for file in files if str(file) not in found]
            if len(kept) == len(files):
                print(f"{target.repository} {target.module}: {out.stderr[-2000:]}", file=sys.stderr)
                return []
            files = kept
        return files

    def build(self, target, files, folder):
        """Compiles a target for the tests that import it; its object file."""
        common, files = self.common(target, files)
        common += self.library(files)
        made = folder / f"{target.module}.o"
        out = self.run(
            "-c", "-wmo", "-O", "-emit-module", "-emit-module-path", folder / f"{target.module}.swiftmodule", "-o", made, "-I", folder, "-Xfrontend",
            "-entry-point-function-name", "-Xfrontend", f"{target.module}_main", *common, *files)
        if out.returncode != 0:
            print(f"{target.repository} {target.module}: {out.stderr[-2000:]}", file=sys.stderr)
            return None
        return made

    def runner(self, target, files, objects, folder, library):
        """Links the tests of one library, XCTest or Testing, and runs them: (tests, failures)."""
        main = folder / "main.swift"
        if library == "XCTest":
            cases = collections.defaultdict(list)
            for file in files:
                name = None
                for match in re.finditer(r"class\s+(\w+)\s*:[^{]*\bXCTestCase\b|func\s+(test\w*)\(\)\s*(async)?", file.read_text(errors="replace")):
                    name = match[1] or name
                    if match[2] and name:
                        cases[name].append((match[2], match[3]))
            entries = [
                "testCase([" + ", ".join(f'("{test}", ' + (f"asyncTest({name}.{test})" if is_async else f"{name}.{test}") + ")" for test, is_async in tests)
                + "])" for name, tests in cases.items()
            ]
            main.write_text("import XCTest\nXCTMain([" + ",\n".join(entries) + "])\n")
        else:
            main.write_text("import Testing\nawait Testing.__swiftPMEntryPoint() as Never\n")
        program = folder / f"{target.module}.{library}"
        common, files = self.common(target, files)
        out = self.run("-wmo", "-O", "-o", program, "-I", folder, *common, *files, main, *objects, *self.objects)
        if out.returncode != 0:
            print(f"{target.repository} {target.module}: {out.stderr[-3000:]}", file=sys.stderr)
            return None
        try:
            ran = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=300, cwd=folder)
        except subprocess.TimeoutExpired:
            return None
        output = ran.stdout + ran.stderr
        if library == "XCTest":
            counts = re.findall(r"Executed (\d+) tests?, with (?:\d+ tests? skipped and )?(\d+) failures?", output)
            result = tuple(map(int, counts[-1])) if counts else None
            faults = re.findall(r"^.*: error: .*$", output, re.M)
        else:
            counts = re.findall(r"Test run with (\d+) tests?", output)
            faults = re.findall(r"^.*recorded an issue.*$", output, re.M)
            failed = re.findall(r"Test .* failed after", output)
            result = (int(counts[-1]), len(failed)) if counts else None
        for fault in faults:
            print(f"{target.repository} {target.module}: {fault[:300]}", file=sys.stderr)
        if result is None:
            print(f"{target.repository} {target.module}: {output[-1500:]}", file=sys.stderr)
        return result


def package_targets(repository, manifest, scratch):
    """Targets of a package, as its manifest describes them."""
    out = subprocess.run(
        ["swift", "package", "--package-path", str(manifest.parent), "--scratch-path", str(scratch), "dump-package"], capture_output=True, text=True)
    if out.returncode != 0:
        print(f"{repository} {manifest}: {out.stderr[-500:]}", file=sys.stderr)
        return []
    package = json.loads(out.stdout)
    tools = package["toolsVersion"]["_version"].split(".")[0]
    languages = [str(version) for version in package.get("swiftLanguageVersions") or []]
    version = max((v.split(".")[0] for v in languages), default="6" if int(tools) >= 6 else "5")
    found = []
    for target in package["targets"]:
        if target["type"] not in ("regular", "executable", "test"):
            continue
        folders = ["Tests"] if target["type"] == "test" else ["Sources", "Source", "src", "srcs"]
        candidates = [target["path"]] if target.get("path") else [f"{folder}/{target['name']}" for folder in folders]
        base = next((manifest.parent / path for path in candidates if (manifest.parent / path).is_dir()), None)
        if base is None:
            continue
        roots = [base / source for source in target["sources"]] if target.get("sources") else [base]
        files = [file for root in roots for file in ([root] if root.is_file() else sorted(root.rglob("*.swift")))]
        excluded = [base / path for path in target.get("exclude") or []]
        files = [file for file in files if file.suffix == ".swift" and not any(file == path or path in file.parents for path in excluded)]
        flags, mode = [], version
        for setting in target.get("settings") or []:
            kind, value = next(iter(setting["kind"].items()))
            value = value.get("_0") if isinstance(value, dict) else value
            if setting["tool"] != "swift" or setting.get("condition"):
                continue
            if kind in ("enableUpcomingFeature", "enableExperimentalFeature"):
                flags += [{"U": "-enable-upcoming-feature", "E": "-enable-experimental-feature"}[kind[6]], value]
            elif kind == "define":
                flags.append(f"-D{value}")
            elif kind == "swiftLanguageMode":
                mode = value.split(".")[0]
        if files:
            found.append(
                Target(
                    repository, re.sub(r"\W", "_", target["name"]), files, mode, flags,
                    [(next(iter(resource["rule"])), base / resource["path"]) for resource in target.get("resources") or []],
                    target["type"] == "test"))
    return found


def targets(repository, folder, work):
    """All targets of a checkout."""
    files = {file for file in folder.rglob("*.swift") if ".build" not in file.parts and file.is_file()}
    manifests = sorted((file for file in files if file.name == "Package.swift"), key=lambda file: -len(file.parts))
    files -= {file for file in files if re.match(r"Package(@.*)?\.swift$", file.name)}
    found = []
    for number, manifest in enumerate(manifests):
        for target in package_targets(repository, manifest, work / "packages" / f"{repository}.{number}"):
            target.files = [file for file in target.files if file in files]
            files -= set(target.files)
            if target.files:
                found.append(target)
    # What no manifest names: the folder below the deepest one with a project, else the folder of the file.
    projects = {project.parent for pattern in ("*.xcodeproj", "*.pbxproj") for project in folder.rglob(pattern)}
    projects = {path.parent if path.suffix == ".xcodeproj" else path for path in projects}
    groups = collections.defaultdict(list)
    for file in sorted(files):
        project = next((parent for parent in file.parents if parent in projects), None)
        if file.read_text(errors="replace").startswith("#!"):
            groups[file].append(file)
            continue
        base = file.parent if project is None or file.parent == project else project / file.relative_to(project).parts[0]
        groups[base].append(file)
    for base, members in groups.items():
        # An application's module may have the name of a package's; nothing imports it but its tests.
        is_test = bool(re.search(r"Tests?$", base.name))
        name = re.sub(r"\W", "_", base.stem if base.is_file() else base.name)
        found.append(Target(repository, name, members, is_test=is_test))
    return found


# What a message says is absent: parts of the toolchain's Foundation and C library, and of frameworks.
BY_MESSAGE = [
    (r"FoundationNetworking|URLSession|URLRe|CFAbsoluteTime|'NSCoder'|'NSKeyedUnarchiver'|'NSData'|ThermalState|ambiguous use of 'init'|Progress", FOUNDATION),
    (r"var 'std(out|err)' is not concurrency-safe|sysctlbyname|mach_|task_info|objc_sync|noncopyable", FOUNDATION),
    (r"bjective-C|@objc|#selector", FOUNDATION),
    (r"'(UI|NS|XCUI|AV)[A-Z]\w+'|'(Observable\w*|Published|State\w*|Environment\w*|MainActor)'", "screens and cameras"),
    (r"'(CG|CI|CV|VN|ML|VT|UT|OS)\w*'.* has no member|cannot find (type )?'k?(CG|CI|CV|VN|ML|VT|UT|OS)[A-Z]", LACKING),
]


def cause(target, file, text, declared, left_out):
    """Why a file does not compile, by the first message in it: a class, or the message."""
    name = re.search(r"cannot find (?:type |operator )?'([^']+)'|has no member(?: named)? '([^']+)'|no type named '([^']+)'", text)
    if name:
        name = next(filter(None, name.groups()))
        places = declared.get((target.repository, name)) or declared.get(name, set())
        absent = set().union(*(left_out.get(place, set()) for place in places))
        if absent:
            return "a file beside it: " + kinds(absent)
        if str(file) in places:
            return "declared for other systems only"
    for pattern, kind in BY_MESSAGE:
        # What another target of the repository adds to our types is not ours.
        if re.search(pattern, text) and not (kind == LACKING and name and (target.repository, name) in declared):
            return kind
    if name and not places:
        return "a name that the repository lacks, such as a generated class"
    return "a file beside it, which has errors"


def kinds(absent):
    """Classes of absent modules."""
    return " and ".join(sorted({FRAMEWORK_CLASS.get(name, "another package") for name in absent}))


def tests(compiler, listed, imports, work):
    """Tests of each repository that were run: (files, tests, failures)."""
    by_name = {(target.repository, target.module): target for target in listed if not target.is_test}
    results = {}
    for target in (target for target in listed if target.is_test):
        files = [file for file in target.files if str(file) not in target.left_out and not target.errors.get(str(file))]
        if not any({"XCTest", "Testing"} & imports[str(file)] for file in files):
            continue
        folder = work / "tests" / f"{listed.index(target)}.{target.module}"
        folder.mkdir(parents=True)
        # The targets that it needs, each after those that it needs itself.
        needed = []

        def need(names):
            for name in sorted(names):
                found = by_name.get((target.repository, name))
                if found and found not in needed:
                    need(set().union(*(imports[str(file)] for file in found.files)) - {name})
                    needed.append(found)

        need(set().union(*(imports[str(file)] for file in files)))
        objects = []
        for dependency in needed:
            usable = [file for file in dependency.files if str(file) not in dependency.left_out and not dependency.errors.get(str(file))]
            usable = compiler.closed(dependency, usable, "-I", folder)
            made = compiler.build(dependency, usable, folder) if usable else None
            if made:
                objects.append(made)
        for library in ("XCTest", "Testing"):
            other = ({"XCTest", "Testing"} - {library}).pop()
            chosen = [file for file in files if other not in imports[str(file)]]
            chosen = compiler.closed(target, chosen, "-I", folder)
            if not any(library in imports[str(file)] for file in chosen):
                continue
            result = compiler.runner(target, chosen, objects, folder, library)
            if result:
                before = results.get(target.repository, (0, 0, 0))
                count = sum(library in imports[str(file)] for file in chosen)
                results[target.repository] = tuple(map(sum, zip(before, (count, *result))))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--tests", action="store_true", help="builds and runs the tests that type-check")
    parser.add_argument("--messages", action="store_true", help="every message of every file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(arguments, pathlib.Path(folder))


def report(arguments, work):
    compiler = Compiler(arguments.root, work)
    pool = concurrent.futures.ThreadPoolExecutor(2)
    folders = [folder for folder in sorted(arguments.checkouts.resolve().iterdir()) if folder.is_dir()]
    folders = [folder for folder in folders if not arguments.only or any(name in folder.name for name in arguments.only)]
    listed = [target for found in pool.map(lambda folder: targets(folder.name, folder, work), folders) for target in found]
    files = [str(file) for target in listed for file in target.files]
    imports = dict(zip(files, pool.map(compiler.imports, files)))
    declared = collections.defaultdict(set)
    for target in listed:
        for file in target.files:
            text = file.read_text(errors="replace")
            for name in re.findall(r"\b(?:class|struct|enum|protocol|actor|typealias|func|var|let|case)\s+`?(\w+)", text):
                declared[target.repository, name].add(str(file))
                declared[name].add(str(file))

    # Modules that others import come first.
    names = {target.module for target in listed if not target.is_test}
    waiting = list(listed)
    while waiting:
        open_names = {target.module for target in waiting if not target.is_test}
        ready = [
            target for target in waiting
            if not ((set().union(*(imports[str(file)] for file in target.files)) & open_names) - {target.module})
        ] or waiting[:1]
        checks = []
        for target in ready:
            waiting.remove(target)
            chosen = []
            for file in target.files:
                absent = {name for name in imports[str(file)] if name != target.module and not compiler.exists(name)}
                if absent:
                    target.left_out[str(file)] = absent
                else:
                    chosen.append(file)
            if chosen:
                checks.append((target, chosen))
        for (target, _), errors in zip(checks, pool.map(lambda check: compiler.check(*check), checks)):
            target.errors = errors
            if arguments.messages:
                print(f"{target.repository} {target.module}: {len(errors)} of {len(target.files)}", file=sys.stderr, flush=True)

    results = tests(compiler, listed, imports, work) if arguments.tests else {}
    left_out = {path: absent for target in listed for path, absent in target.left_out.items()}
    rows, reasons = [], collections.Counter()
    for repository in dict.fromkeys(target.repository for target in listed):
        total = counted = importable = checked = 0
        why = collections.Counter()
        for target in (target for target in listed if target.repository == repository):
            for file in map(str, target.files):
                total += 1
                if not imports[file] & OURS:
                    continue
                counted += 1
                if file in target.left_out:
                    why[kinds(target.left_out[file])] += 1
                elif target.errors.get(file):
                    importable += 1
                    why[cause(target, file, target.errors[file][0][1], declared, left_out)] += 1
                else:
                    importable += 1
                    checked += 1
        rows.append((repository, total, counted, importable, checked, why))
        reasons.update(why)
    for target in listed:
        for file, messages in target.errors.items() if arguments.messages else ():
            for line, text in messages:
                print(f"{file.split(target.repository)[-1]}:{line}: [{target.repository}] {cause(target, file, text, declared, left_out)}: {text}")
    print("| repository | Swift files | import our modules | all imports exist | type-checked | own tests passed |\n|---|---|---|---|---|---|")
    for repository, total, counted, importable, checked, why in rows:
        ran = results.get(repository)
        passed = f"{ran[1] - ran[2]} of {ran[1]}" if ran else ""
        print(f"| {repository.replace('+', '/', 1)} | {total} | {counted} | {importable} | {checked} | {passed} |")
    print()
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")


if __name__ == "__main__":
    main()
