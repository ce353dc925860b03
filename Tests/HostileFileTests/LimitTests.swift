import Foundation
import Martlet
import Testing

/// Models at and beyond the limits that SECURITY.md states, made by `Oracles/make_limit_models.py`. The readers' own limits are tested with the
/// readers.
@Suite struct LimitTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/limits")

  /// The model loads and runs with little of everything.
  private static func run(
    _ name: String, _ inputs: [String: [Float]] = ["x": [1, 2, 3, 4]], _ change: (inout ModelOptions) -> Void = { _ in }
  ) throws -> [String: ModelValue] {
    var options = ModelOptions()
    options.threads = 1
    options.memoryLimit = 64 << 20
    options.workLimit = 20_000
    change(&options)
    let model = try Model(contentsOf: folder.appendingPathComponent("\(name).mlmodel"), options: options)
    var values: [String: ModelValue] = [:]
    for input in model.methods[0].inputs {
      guard case .tensor(let type, let shape, _) = input.kind, let numbers = inputs[input.name] else { throw OtherKind() }
      let isDouble = type == .float64
      values[input.name] = .tensor(try isDouble ? Tensor(numbers.map(Double.init), shape: shape) : Tensor(numbers, shape: shape))
    }
    return try model.run(values)
  }

  private struct OtherKind: Error {}

  private static func expect(
    _ kind: MartletError.Kind, _ message: String, _ name: String, _ inputs: [String: [Float]] = ["x": [1, 2, 3, 4]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      _ = try run(name, inputs)
      Issue.record("\(name) ran", sourceLocation: sourceLocation)
    } catch let error as MartletError {
      #expect(error.kind == kind && error.description.contains(message), "\(error)", sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  // MARK: Loops

  @Test(arguments: ["loop_of_data", "loop_2_64", "loop_2_64_of_data", "loop_in_loop_2_64"])
  func `a loop of a network without end stops at the limit of work`(_ name: String) {
    Self.expect(.outOfWork, "the model takes too much work", name)
  }

  @Test func `a loop of a network that no iteration ends is refused, and one that grows meets the limit of memory`() {
    Self.expect(.executionFailed, "the loop never ends: no iteration changes its condition", "loop_of_a_constant")
    Self.expect(.outOfMemory, "is too large", "loop_that_doubles")
  }

  @Test func `an input counts the iterations of a loop`() throws {
    let x: [Float] = [1, 2, 3, 4]
    let results = try Self.run("loop_of_a_count", ["x": x, "count": [2]])
    #expect(results["y"]?.tensor?.shape == [4])
    for count in [Float.nan, .infinity, -.infinity, 1e30] {
      Self.expect(.executionFailed, "is not a 64-bit integer", "loop_of_a_count", ["x": x, "count": [count]])
    }
    Self.expect(.outOfWork, "the model takes too much work", "loop_of_a_count", ["x": x, "count": [1e15]])
    #expect(try Self.run("loop_of_a_count", ["x": x, "count": [-1e15]])["y"]?.tensor?.doubles == x.map(Double.init))
  }

  // MARK: Sizes

  @Test(arguments: [
    ("upsample_2_60", MartletError.Kind.invalidFile, "(upsample).scalingFactor: 1152921504606846976 is not an extent"),
    ("upsample_1e18", .unsupported, "is too large"),
    ("resize_2_60", .invalidFile, "(resizeBilinear).targetSize: 1152921504606846976 is not an extent"),
    ("tile_2_60", .invalidFile, "(tile).reps: 1152921504606846976 is not an extent"),
    ("tile_twice_2_60", .outOfMemory, "float32[4398046511104] exceeds the memory limit"),
    ("repeat_2_60", .invalidFile, "(sequenceRepeat).nRepetitions: 1152921504606846976 is not an extent"),
    ("pad_2_60", .unsupported, "padAmounts is 1152921504606846976, which is too large"),
    ("range_2_60", .unsupported, "is too long"),
    ("one_hot_2_60", .invalidFile, "(oneHot).oneHotVectorSize: 1152921504606846976 is not an extent"),
  ])
  func `sizes beyond all memory are errors before memory is taken`(_ name: String, _ kind: MartletError.Kind, _ message: String) {
    Self.expect(kind, message, name)
  }

  @Test(arguments: ["data_fill", "data_reshape", "data_broadcast", "data_tile", "data_random", "data_range", "data_slice"])
  func `shapes that data give are checked`(_ name: String) throws {
    let x: [Float] = name == "data_slice" ? (0..<16).map(Float.init) : [1, 2, 3, 4]
    for extent in [Float.nan, .infinity, -.infinity, 1e30, 9.3e18, 4e18, 3e9, -1e30, -3] {
      let shape = [Float](repeating: extent, count: name == "data_range" ? 1 : 2)
      do {
        let results = try Self.run(name, ["x": x, "shape": shape, "end": shape])
        // A slice may end before or behind the array.
        #expect(name == "data_slice", "\(extent) gave \(results)")
      } catch let error as MartletError {
        #expect([.executionFailed, .outOfMemory].contains(error.kind) && !error.message.isEmpty, "\(extent): \(error)")
      }
    }
  }

  // MARK: Classic models

  @Test(arguments: [("labels_repeat_glm", 2), ("labels_repeat_tree", 1), ("labels_repeat_network", 2)])
  func `labels that repeat have one probability`(_ name: String, _ count: Int) throws {
    let results = try Self.run(name, ["x": name == "labels_repeat_network" ? [1, 2, 3, 4] : [1, 2]])
    guard case .dictionary(.byString(let probabilities))? = results["p"], case .string(let label)? = results["label"] else {
      throw OtherKind()
    }
    #expect(probabilities.count == count && probabilities[label] != nil)
  }

  @Test func `items that are similar in a circle are recommended`() throws {
    let model = try Model(contentsOf: Self.folder.appendingPathComponent("recommender_circle.mlmodel"))
    let items = ModelValue.dictionary(.byInteger([0: 1, .max: 1, .min: 1]))
    for count in [2, Int.max, 0, -1, .min] {
      guard case .sequence(.integers(let list))? = try model.run(["items": items, "k": .int(count)])["list"] else { throw OtherKind() }
      // All but item 0, which is known, the similar item first.
      #expect(list == (count == 0 ? [] : [1, 2]), "\(count)")
    }
  }

  @Test func `a vector as long as the file says meets the limit of memory`() throws {
    // A file of 326 bytes with 2²⁷ columns, found by FuzzModels.
    let file = Self.folder.deletingLastPathComponent().appendingPathComponent("hostile/vector_of_a_dictionary.mlmodel")
    var options = ModelOptions()
    options.memoryLimit = 64 << 20
    let model = try Model(contentsOf: file, options: options)
    let error = #expect(throws: MartletError.self) { try model.run(["input": .dictionary(.byString(["a": 1]))]) }
    #expect(error?.kind == .outOfMemory, "\(error.map { $0.description } ?? "")")
  }

  @Test func `an output that declares more elements than a tensor has, none of them, keeps the shape of its blob`() throws {
    // The declared shape is [2⁶², 0, 2]. Found by FuzzModels.
    let file = Self.folder.deletingLastPathComponent().appendingPathComponent("hostile/output_of_more_than_a_tensor.mlmodel")
    let model = try Model(contentsOf: file)
    let results = try model.run([
      "x0": .tensor(try Tensor([Float](), shape: [0, 1, 3, 2, 2])), "x1": .tensor(try Tensor([Float](), shape: [0, 1, 3, 1, 1])),
    ])
    #expect(results["y"]?.tensor?.shape == [0, 1, 3, 2, 2])
  }

  @Test func `a tree of a million levels is walked`() throws {
    var nodes: [UInt8] = []
    #if DEBUG
      let levels = 50_000
    #else
      let levels = 1_000_000
    #endif
    for level in 0...levels {
      let isLeaf = level == levels
      // A branch on x[0] <= level, whose other child is a leaf.
      var node = Self.field(2, 2 * level)
      if isLeaf {
        node += Self.leaf(level)
      } else {
        let threshold = Self.fixed(11, Double(level))
        node += threshold + Self.field(12, 2 * level + 1) + Self.field(13, 2 * level + 2)
        nodes += Self.message(1, Self.field(2, 2 * level + 1) + Self.leaf(level))
      }
      nodes += Self.message(1, node)
    }
    let ensemble = nodes + Self.field(2, 1)
    func feature(_ name: String, _ type: [UInt8]) -> [UInt8] { Self.message(1, Array(name.utf8)) + Self.message(3, type) }
    let number = Self.message(2, [])
    let description =
      Self.message(1, feature("x", number)) + Self.message(10, feature("y", number)) + Self.message(11, Array("y".utf8))
    let file = Self.field(1, 1) + Self.message(2, description) + Self.message(302, Self.message(1, ensemble))
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("deep-\(UUID().uuidString).mlmodel")
    try Data(file).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let model = try Model(contentsOf: url)
    for x in [-1.0, 0.5, 34_567, 1e9] {
      guard case .double(let y)? = try model.run(["x": .double(x)])["y"] else { throw OtherKind() }
      #expect(y == min(max(x.rounded(.up), 0), Double(levels)))
    }
  }

  private static func leaf(_ value: Int) -> [UInt8] { field(3, 6) + message(20, fixed(2, Double(value))) }

  private static func varint(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func field(_ number: Int, _ value: Int) -> [UInt8] { varint(number << 3) + varint(value) }

  private static func message(_ number: Int, _ content: [UInt8]) -> [UInt8] { varint(number << 3 | 2) + varint(content.count) + content }

  private static func fixed(_ number: Int, _ value: Double) -> [UInt8] {
    varint(number << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * $0)) }
  }

  // MARK: Pipelines

  @Test func `pipelines may be eight deep`() throws {
    #expect(try Self.run("pipeline_8_deep", ["x": [1, 2]])["y"]?.tensor?.doubles == [2, 4])
    Self.expect(.invalidFile, "pipelines are nested too deeply", "pipeline_9_deep", ["x": [1, 2]])
  }

  // MARK: Custom layers

  @Test func `shapes that a custom layer gives are checked`() throws {
    func run(_ shapes: @escaping @Sendable (_ call: Int, _ inputs: [[Int]]) throws -> [[Int]]) throws -> [String: ModelValue] {
      nonisolated(unsafe) var calls = 0
      let layer = CustomLayers { _ in
        CustomLayers.Implementation(
          outputShapes: { inputs in
            defer { unsafe calls += 1 }
            return try shapes(unsafe calls, inputs)
          },
          evaluate: { call in
            let (input, output) = (try call.input(0), try call.output(0))
            let count = min(input.elementCount, output.elementCount)
            let values = unsafe try input.elements(as: Float.self)
            let results = unsafe try output.elements(as: Float.self)
            for index in 0..<count { unsafe results[index] = values[index] }
          })
      }
      return try Self.run("custom_layer") { $0.customLayers = layer }
    }
    #expect(try run { _, inputs in inputs }["y"]?.tensor?.doubles == [1, 2, 3, 4])
    let wrong: [[[Int]]] = [
      [], [[4], [4]], [[]], [[-1]], [[.max]], [[.min]], [[1 << 60]], [[.max, .max]], [[1, 1, 1, 1, 1, 4]],
    ]
    for shapes in wrong {
      #expect(throws: MartletError.self, "\(shapes)") { _ = try run { _, _ in shapes } }
    }
    // What is possible alone is an error after another answer.
    for shapes in wrong + [[[2]], [[4, 1]], [[5]]] {
      #expect(throws: MartletError.self, "\(shapes) after another shape") { _ = try run { call, inputs in call == 0 ? inputs : shapes } }
    }
    #expect(throws: MartletError.self) { _ = try run { _, _ in throw OtherKind() } }
  }
}
