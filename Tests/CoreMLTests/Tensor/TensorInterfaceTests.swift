import CoreML
import Testing

/// That the module has what Core ML has, and nothing more: whether code compiles against it.
///
/// Each line that must not compile has a twin that differs in nothing else and does.
@Suite(.serialized)
struct TensorInterfaceTests {
  /// What is in scope of the lines.
  private static let frame = """
    import CoreML
    func check(
      x: MLTensor, array: MLMultiArray, shaped: MLShapedArray<Float>, count: Int, double: Double, float: Float, batch: any MLBatchProvider,
      model: MLModel
    ) async throws {
    """

  private static let pairs: [(compiles: String, doesNot: String, what: String)] = [
    ("_ = MLTensor(shaped)", "_ = MLTensor(array)", "initializer"),
    ("_ = x.mean()", "_ = x.std()", "std"),
    ("_ = x.mean()", "_ = x.standardDeviation()", "standardDeviation"),
    ("_ = x.mean()", "_ = x.variance()", "variance"),
    ("_ = await x.shapedArray(of: Float.self)", "_ = x.shapedArray(of: Float.self)", "async"),
    ("_ = await x.shapedArray(of: Float.self)", "_ = x.scalars", "scalars"),
    ("_ = await x.shapedArray(of: Float.self)", "_ = await x.shapedArray(of: Double.self)", "Double"),
    ("_ = try model.predictions(from: batch, options: MLPredictionOptions())", "_ = try model.predictions(from: batch)", "options"),
    ("_ = x * float", "_ = x * count", "Int"),
    ("_ = x * float", "_ = x * double", "Double"),
    ("_ = float + x", "_ = double + x", "Double"),
    ("_ = x .> float", "_ = x .> count", "Int"),
    ("_ = x.pow(float)", "_ = x.pow(double)", "Double"),
    ("_ = x.cast(to: Int32.self)", "_ = x.cast(to: Int.self)", "Int"),
    ("_ = MLTensor([1, 2] as [Int32])", "_ = MLTensor([1, 2] as [Int])", "initializer"),
    ("_ = MLTensor([1, 2] as [Float])", "_ = MLTensor([1, 2] as [Double])", "initializer"),
    ("_ = MLTensor(zeros: [1], scalarType: Float.self)", "_ = MLTensor(zeros: [1], scalarType: Double.self)", "Double"),
    ("_ = x + x", "_ = x == x", "=="),
    ("var y = x; y += 2.0; _ = y", "var y = x; y += float; _ = y", "MLTensor"),
    ("_ = x[0]", "var y = x; y[0] = x", "subscript"),
    ("_ = x.concatenated(with: x)", "_ = x.concatenating(x)", "concatenating"),
    ("let _: any MLTensorScalar.Type = x.scalarType", "let _: Float.Type = x.scalarType", "Float"),
  ]

  /// Folders of the build: where modules lie, and module maps of C targets.
  private static func build() throws -> URL {
    // The tests are in the build's folder, in the test binary or a bundle beside it.
    var folder = Bundle.module.bundleURL
    while folder.path != "/" {
      if FileManager.default.fileExists(atPath: folder.appending(path: "Modules/CoreML.swiftmodule").path) { return folder }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }

  private static func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// What the compiler says of a file of such lines, each a function of its own; line numbers of errors with their texts.
  private static func errors(_ lines: [String]) throws -> [Int: String] {
    let build = try build()
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let header = frame.split(separator: "\n", omittingEmptySubsequences: false)
    var text = header[0] + "\n"
    var places: [Int] = []
    for (number, line) in lines.enumerated() {
      let function = header.dropFirst().joined(separator: " ").replacingOccurrences(of: "func check", with: "func check\(number)")
      text += "\(function)\n\(line)\n}\n"
      places.append(3 + 3 * number)
    }
    let file = folder.appending(path: "Snippets.swift")
    try text.write(to: file, atomically: true, encoding: .utf8)
    var arguments = ["-typecheck", "-swift-version", "6", "-suppress-warnings", "-I", build.appending(path: "Modules").path]
    // Build tools have modules of their own, with the same names.
    let names = try FileManager.default.contentsOfDirectory(atPath: build.path)
      .filter { $0.hasSuffix(".build") && !$0.hasSuffix("-tool.build") }
    for name in names.sorted() {
      let map = build.appending(path: name).appending(path: "module.modulemap").path
      if FileManager.default.fileExists(atPath: map) { arguments += ["-Xcc", "-fmodule-map-file=\(map)"] }
    }
    let result = try run("swiftc", arguments + [file.path])
    var errors: [Int: String] = [:]
    for line in result.output.split(separator: "\n") where line.contains("Snippets.swift:") && line.contains("error:") {
      let parts = line.split(separator: ":")
      guard let place = parts.dropFirst().first.flatMap({ Int($0) }), let number = places.firstIndex(of: place) else { continue }
      errors[number, default: ""] += line + "\n"
    }
    if result.status != 0, errors.isEmpty {
      Issue.record("the compiler failed: \(result.output.prefix(2000))")
    }
    return errors
  }

  @Test func `what Core ML does not have does not compile, and its twin does`() throws {
    let good = try Self.errors(Self.pairs.map(\.compiles))
    #expect(good.isEmpty, "\(good)")
    let bad = try Self.errors(Self.pairs.map(\.doesNot))
    for (number, pair) in Self.pairs.enumerated() {
      let error = bad[number]
      #expect(error != nil, "compiles: \(pair.doesNot)")
      #expect(error?.contains(pair.what) == true, "\(pair.doesNot): \(error ?? "")")
    }
  }
}
