import Testing

/// The arrows between targets are those of the table in Documentation/Architecture.md.
struct ImportTests {
  private let rules: [ImportRule]
  private let targets: [(name: String, folder: String, dependencies: Set<String>)]

  init() throws {
    rules = Sources.rules(try Sources.text("Documentation/Architecture.md"))
    targets = Sources.targets(try Sources.text("Package.swift"))
    try #require(rules.count > 20 && targets.count > 20)
  }

  @Test func `sources import what the table allows, and all of it`() {
    for rule in rules {
      let folder = targets.first { $0.name == rule.place }?.folder ?? "Sources/\(rule.place)"
      var used: Set<String> = []
      for (file, modules) in Sources.imports(below: folder) {
        let excess = modules.subtracting(rule.imports).sorted()
        #expect(excess.isEmpty, "\(file) imports \(excess): no such arrow from \(rule.place)")
        used.formUnion(modules)
      }
      let idle = rule.imports.subtracting(used).sorted()
      #expect(idle.isEmpty, "no source of \(rule.place) imports \(idle), which the table allows")
    }
  }

  @Test func `every target has a row, and depends on what it imports`() {
    for target in targets where target.folder.hasPrefix("Sources/") {
      guard let rule = rules.first(where: { $0.place == target.name }) else {
        Issue.record("the table has no row for \(target.name)")
        continue
      }
      // C targets may be linked without being imported.
      let missing = rule.imports.symmetricDifference(target.dependencies).filter { !$0.hasPrefix("CMartlet") }.sorted()
      #expect(missing.isEmpty, "manifest and table differ for \(target.name): \(missing)")
    }
  }

  /// Packages that do not depend on Martlet can load its modules, but not its C modules. The command line is no library.
  @Test func `C modules are imported as implementation only`() throws {
    var count = 0
    for target in targets where target.folder.hasPrefix("Sources/") && target.name != "MartletCommands" {
      for (file, modules) in Sources.imports(below: target.folder) {
        for module in modules where module.hasPrefix("CMartlet") {
          count += 1
          let isHidden = try Sources.text(file).contains("\n@_implementationOnly import \(module)\n")
          #expect(isHidden, "importers of \(target.name) load \(module) because of \(file)")
        }
      }
    }
    #expect(count >= 2)
  }

  /// All of Foundation would bring ICU's tables into a statically linked `martlet`.
  @Test func `what the command line links needs the essentials of Foundation alone`() throws {
    let dependencies = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.dependencies) })
    var linked: Set<String> = []
    var open: Set = ["MartletTool"]
    while let target = open.popFirst() { open.formUnion((dependencies[target] ?? []).filter { linked.insert($0).inserted }) }
    #expect(linked.isSuperset(of: ["MartletCLI", "Martlet", "MartletTokenizers", "MartletSystem"]))
    for target in targets where linked.contains(target.name) {
      for (file, modules) in Sources.imports(below: target.folder, withSystem: true) where modules.contains("Foundation") {
        // On hosts that have no essentials of their own.
        #expect(try Sources.text(file).contains("#if canImport(FoundationEssentials)"), "\(file) imports all of Foundation")
      }
    }
  }

  @Test func `arrows point to lower layers`() {
    let layers = Dictionary(rules.filter { !$0.isFolder }.map { ($0.place, $0.layer) }) { first, _ in first }
    for rule in rules {
      for module in rule.imports {
        guard let layer = layers[module] else { continue }
        #expect(layer < rule.layer, "\(rule.place) of layer \(rule.layer) imports \(module) of layer \(layer)")
      }
    }
  }

  /// The rule is read from the sources alone, so that no change of the table can relax it.
  @Test func `no face imports a target below Martlet except the feature layer and pixels`() {
    let imports = Dictionary(
      uniqueKeysWithValues: targets.map { ($0.name, Sources.imports(below: $0.folder).reduce(into: Set()) { $0.formUnion($1.modules) }) })
    var below: Set<String> = []
    var open: Set = ["Martlet"]
    while let target = open.popFirst() { open.formUnion((imports[target] ?? []).filter { below.insert($0).inserted }) }
    #expect(below.isSuperset(of: ["MartletTensor", "MartletMedia", "MartletBytes", "MartletRuntime", "MartletCoreMLFile"]))
    // Faces are libraries that bear names of other runtimes.
    let faces = targets.filter { target in
      !target.name.contains("Martlet") && target.folder.hasPrefix("Sources/") && imports[target.name]?.contains("Martlet") == true
    }
    #expect(faces.map(\.name).contains("ExecuTorch") && faces.map(\.name).contains("CoreML"))
    for face in faces {
      for (file, modules) in Sources.imports(below: face.folder) {
        let lower = modules.intersection(below).subtracting(["MartletFeatures", "MartletPixels"]).sorted()
        #expect(lower.isEmpty, "\(file) of the face \(face.name) imports \(lower), which is below Martlet")
      }
    }
  }

  @Test func `tables, imports and manifests are read`() {
    let page = """
      | Layer | Target | Imports | Knows |
      |---|---|---|---|
      | 0 | `A`, `B` | | nothing |
      | 2 | `C/Part` | `A` `B` | two |

      | Other | Table |
      |---|---|
      | 1 | `D` |
      """
    #expect(
      Sources.rules(page) == [
        ImportRule(layer: 0, place: "A", imports: []), ImportRule(layer: 0, place: "B", imports: []),
        ImportRule(layer: 2, place: "C/Part", imports: ["A", "B"]),
      ])
    let file = """
      // import No
      @_exported public import A
      package import B
        import struct C.D
      let text = "import E"
      """
    #expect(Sources.modules(of: file) == ["A", "B", "C"])
    let manifest = """
      layer("A", ["B", .product(name: "P", package: "q")] + more(["C"])),
      .target(
        name: "B", dependencies: ["D"],
        path: "Elsewhere/B"),
      .testTarget(name: "T", dependencies: ["A"]),
      """
    let read = Sources.targets(manifest)
    #expect(read.map(\.name) == ["A", "B"] && read.map(\.folder) == ["Sources/A", "Elsewhere/B"])
    #expect(read.map(\.dependencies) == [["B", "P", "C"], ["D"]])
  }
}
