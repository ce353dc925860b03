import ArgumentParser
import FoundationEssentials
import MartletSystem
import Martlet
import MartletMedia

/// Options for a model's inputs.
struct InputOptions: ParsableArguments {
  @Option(
    name: .customLong("input"), parsing: .singleValue,
    help: ArgumentHelp(
      "The value of an input; may be repeated.",
      discussion: """
        NAME=VALUE or INDEX=VALUE, or VALUE alone for the next input. VALUE is
          a .npy file, or a .npz file (FILE.npz:ARRAY selects one of several arrays)
          an image (.png, .jpg, .ppm), resized to the input's height and width
          a number, true or false; fills a tensor of fixed shape
          JSON for a dictionary or sequence: {"a": 1.5}, [1, 2]
          rand, zeros: with the input's shape; rand:1x3x224x224 gives the shape
          rand alone, once: random values for every input that is given none
          none: an absent input
        """,
      valueName: "input=value"))
  var inputs: [String] = []

  @Option(help: ArgumentHelp("Mean to subtract from an image's samples (0...1): one value, or one per channel.", valueName: "r,g,b"))
  var mean: NumberList?

  @Option(help: ArgumentHelp("Standard deviation to divide an image's samples by after subtracting the mean.", valueName: "r,g,b"))
  var std: NumberList?

  @Option(help: "How an image is fitted to the input: stretch, or crop its centre without distortion.")
  var fit: PictureInput.Fit = .stretch

  @Option(help: "Seed of random inputs: equal seeds give equal inputs.")
  var seed: UInt64 = 0

  /// The values of a method's inputs, in order.
  /// - Parameter fallsBackToRandom: whether inputs that are not given get random values; otherwise they are an error.
  func values(for signature: MethodSignature, fallsBackToRandom: Bool) throws -> [ModelValue] {
    var given: [Int: ModelValue] = [:]
    var next = 0
    let givesRest = inputs.count(where: { $0 == Self.random }) == 1
    for argument in inputs where !(givesRest && argument == Self.random) {
      for (position, value) in try parse(argument, signature: signature, next: next) {
        guard given.updateValue(value, forKey: position) == nil else {
          throw CommandFailure("the input \(signature.inputs[position].name) is given twice")
        }
        next = position + 1
      }
    }
    return try signature.inputs.enumerated().map { position, input in
      if let value = given[position] { return value }
      if case .none = input.kind { return .none }
      if input.isOptional, !fallsBackToRandom, !givesRest { return .none }
      guard fallsBackToRandom || givesRest else {
        let missing = signature.inputs.indices.filter { given[$0] == nil }.map { "  \(signature.inputs[$0])" }
        throw CommandFailure(
          "no value for these inputs of \(signature.name); give each as --input NAME=VALUE "
            + "(rand to try the model):\n" + missing.joined(separator: "\n"))
      }
      return try source(position).random(input, shape: nil)
    }
  }

  private static let random = "rand"

  /// Positions and values of one `--input`: several for an archive without a name.
  private func parse(_ argument: String, signature: MethodSignature, next: Int) throws -> [(Int, ModelValue)] {
    if let equals = argument.firstIndex(of: "=") {
      let key = String(argument[..<equals])
      let value = String(argument[argument.index(after: equals)...])
      if let position = signature.inputs.firstIndex(where: { $0.name == key }) ?? Int(key, radix: 10) {
        guard signature.inputs.indices.contains(position) else {
          throw CommandFailure("\(signature.name) has \(Formatting.count(signature.inputs.count, "input")), so there is no input \(key)")
        }
        return [(position, try self.value(value, for: signature.inputs[position], at: position))]
      }
      guard FileManager.default.fileExists(atPath: argument) else {
        let names = signature.inputs.map(\.name).joined(separator: ", ")
        throw CommandFailure("\(signature.name) has no input \(key), only \(names.isEmpty ? "none" : names)")
      }
    }
    if argument.lowercased().hasSuffix(".npz") {
      let arrays = try NumPyArchive.read(path: argument, maximumByteCount: LimitOptions.byteLimit)
      let named = arrays.compactMap { array in signature.inputs.firstIndex { $0.name == array.name }.map { ($0, array) } }
      // numpy.savez calls unnamed arrays arr_0, arr_1 and so on.
      let pairs = named.isEmpty ? arrays.enumerated().map { (next + $0, $1) } : named
      return try pairs.map { position, array in
        guard position < signature.inputs.count else { throw tooMany(signature) }
        return (position, .tensor(try Self.fit(Tensor(array.tensor), to: signature.inputs[position], file: "\(argument):\(array.name)")))
      }
    }
    guard next < signature.inputs.count else { throw tooMany(signature) }
    return [(next, try value(argument, for: signature.inputs[next], at: next))]
  }

  private func tooMany(_ signature: MethodSignature) -> CommandFailure {
    CommandFailure("\(signature.name) has only \(Formatting.count(signature.inputs.count, "input"))")
  }

  private func value(_ text: String, for input: ValueSignature, at position: Int) throws -> ModelValue {
    let source = source(position)
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count) {
    case ("none", 1): return .none
    case (Self.random, _): return try source.random(input, shape: try parts.dropFirst().first.map(Self.shape))
    case ("zeros", _): return try source.filled(input, with: 0, shape: try parts.dropFirst().first.map(Self.shape))
    default: break
    }
    switch input.kind {
    case .string: return .string(text)
    case .int:
      guard let number = Int(text, radix: 10) else { throw CommandFailure("the input \(input.name) is an integer, not '\(text)'") }
      return .int(number)
    case .double:
      guard let number = Double(text) else { throw CommandFailure("the input \(input.name) is a number, not '\(text)'") }
      return .double(number)
    case .bool:
      guard let number = Bool(text) else { throw CommandFailure("the input \(input.name) is true or false, not '\(text)'") }
      return .bool(number)
    case .unsupported(let type): throw CommandFailure("the input \(input.name) is \(type), which is not supported")
    case .none: throw CommandFailure("the input \(input.name) takes only none, not '\(text)'")
    case .image(let image):
      if let sample = Double(text) { return try source.filled(input, with: sample, shape: nil) }
      guard Self.isPicture(text) else { throw CommandFailure("the input \(input.name) is a picture, not '\(text)'") }
      guard mean == nil, std == nil else { throw CommandFailure("the input \(input) is a picture, which the model itself normalises") }
      return .image(try PictureInput(fit: fit).picture(path: text, for: image))
    case .dictionary, .sequence: return try Self.json(text, for: input)
    case .tensor:
      if let number = Double(text) ?? Bool(text).map({ $0 ? 1 : 0 }) {
        return try source.filled(input, with: number, shape: nil)
      }
      return .tensor(try tensor(text, for: input))
    }
  }

  private func tensor(_ path: String, for input: ValueSignature) throws -> Tensor {
    let lowercased = path.lowercased()
    if lowercased.hasSuffix(".npy") {
      return try Self.fit(Tensor(try NumPyFile.read(path: path, asBFloat16: input.isBFloat16)), to: input, file: path)
    }
    if lowercased.hasSuffix(".npz") { return try archived(path, nil, for: input) }
    if let range = lowercased.firstRange(of: ".npz:") {
      return try archived(path[..<range.upperBound].dropLast().description, String(path[range.upperBound...]), for: input)
    }
    if Self.isPicture(path) {
      let picture = PictureInput(fit: fit, mean: mean?.numbers, std: std?.numbers)
      return try picture.tensor(path: path, for: input)
    }
    throw CommandFailure(
      "the input \(input.name) cannot be '\(path)': give a .npy, .npz or image file, a number, rand, zeros or none")
  }

  private static func isPicture(_ path: String) -> Bool {
    let lowercased = path.lowercased()
    return ["png", "jpg", "jpeg", "ppm", "pgm"].contains { lowercased.hasSuffix(".\($0)") }
  }

  /// A dictionary or sequence written as JSON.
  private static func json(_ text: String, for input: ValueSignature) throws -> ModelValue {
    let failure = CommandFailure("the input \(input) takes JSON such as {\"a\": 1.5} or [1, 2], not '\(text)'")
    let decoder = JSONDecoder()
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
      do { return try decoder.decode(type, from: Data(text.utf8)) } catch { throw failure }
    }
    switch input.kind {
    case .dictionary(keys: .string): return .dictionary(.byString(try decoded([String: Double].self)))
    case .dictionary(keys: .int): return .dictionary(.byInteger(try decoded([Int: Double].self)))
    case .sequence(of: .string): return .sequence(.strings(try decoded([String].self)))
    case .sequence(of: .int): return .sequence(.integers(try decoded([Int].self)))
    default: throw failure
    }
  }

  private func archived(_ path: String, _ name: String?, for input: ValueSignature) throws -> Tensor {
    let arrays = try NumPyArchive.read(
      path: path, bfloat16Names: input.isBFloat16 ? [name ?? input.name] : [], maximumByteCount: LimitOptions.byteLimit)
    let wanted = name ?? input.name
    guard let array = arrays.first(where: { $0.name == wanted }) ?? (name == nil && arrays.count == 1 ? arrays.first : nil) else {
      let names = arrays.map(\.name).joined(separator: ", ")
      throw CommandFailure("\(path) has no array \(wanted), only \(names); write \(path):ARRAY to select one")
    }
    return try Self.fit(Tensor(array.tensor), to: input, file: "\(path):\(array.name)")
  }

  /// The tensor converted to the input's element type.
  private static func fit(_ tensor: Tensor, to input: ValueSignature, file: String) throws -> Tensor {
    guard case .tensor(let dataType, _, _) = input.kind else {
      throw CommandFailure("\(file) holds a tensor, but the input \(input.name) is not a tensor")
    }
    do {
      return try tensor.converted(to: dataType)
    } catch let error as MartletError {
      throw CommandFailure("\(file): \(error.message)")
    }
  }

  private func source(_ position: Int) -> GeneratedInput {
    GeneratedInput(seed: seed &+ UInt64(clamping: position) &* 0x9E37_79B9_7F4A_7C15, memoryLimit: LimitOptions.byteLimit)
  }

  /// `1x3x224x224` or `1,3,224,224`; empty for a tensor of rank 0.
  private static func shape(_ text: String) throws -> [Int] {
    if text.isEmpty { return [] }
    return try text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "," }.map { part in
      guard let extent = Int(part, radix: 10), extent >= 0 else { throw CommandFailure("'\(text)' is not a shape such as 1x3x224x224") }
      return extent
    }
  }
}

extension ValueSignature {
  fileprivate var isBFloat16: Bool { if case .tensor(.bfloat16, _, _) = kind { true } else { false } }
}

/// Comma-separated numbers.
struct NumberList: ExpressibleByArgument {
  let numbers: [Float]

  init?(argument: String) {
    var numbers: [Float] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Float(part.withoutOuterSpaces), number.isFinite else { return nil }
      numbers.append(number)
    }
    self.numbers = numbers
  }
}
