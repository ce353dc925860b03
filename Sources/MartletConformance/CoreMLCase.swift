import Martlet
import MartletCoreMLFile
import MartletImport
import MartletMedia
import MartletTensor

/// How the features of a Core ML model's function become the values that the engine's graph takes and gives: pictures become
/// tensors and back, numbers tensors of one element, a class's position its label.
struct CoreMLFeatures {
  let function: CoreMLFunctionDescription
  let labels: ClassLabels?

  init?(_ model: CoreMLModel, method: String) {
    guard let function = model.description.functions.first(where: { $0.programName == method }) else { return nil }
    self.function = function
    labels = model.program(for: function)?.classLabels
  }

  // MARK: Inputs

  /// - Parameter signature: what the graph takes.
  func input(_ value: CaseValue, _ signature: ValueSignature) throws -> ModelValue {
    let feature = function.inputs.first { $0.name == signature.name }
    switch value {
    case .tensor(let tensor, _): return .tensor(Tensor(tensor))
    case .int(let number): return try single(.int(Int64(number)), signature)
    case .double(let number): return try single(.double(number), signature)
    case .bool(let truth): return try single(.bool(truth), signature)
    case .image(let image):
      guard case .image(let type)? = feature?.type else { throw MartletError.invalidInput("input \(signature.name) is no image") }
      return .tensor(Tensor(try Self.tensor(image, type, signature)))
    case .string, .none, .list, .dictionary:
      throw MartletError.invalidInput("a \(value.kind) is no input of this kind of model")
    }
  }

  private func single(_ number: Scalar, _ signature: ValueSignature) throws -> ModelValue {
    guard case .tensor(let type, let shape, _) = signature.kind else {
      return number.kind == .int ? .int(Int(number.intValue ?? 0)) : .double(number.doubleValue)
    }
    guard shape.allSatisfy({ $0 == 1 }), let tensor = HostTensor(repeating: number, dtype: type.dtype, shape: shape) else {
      throw MartletError.invalidInput("input \(signature.name) is not one number")
    }
    return .tensor(Tensor(tensor))
  }

  /// [1, channels, height, width] with samples from 0 to 255 in the order of the colour space.
  private static func tensor(_ image: Image, _ type: CoreMLImageType, _ signature: ValueSignature) throws -> HostTensor {
    let isGray = type.colorSpace == .grayscale || type.colorSpace == .grayscaleFloat16
    let count = image.format.channelCount
    guard isGray == (count == 1), case .tensor(let dataType, _, _) = signature.kind else {
      throw MartletError.invalidInput("an image of \(count) channels does not fit input \(signature.name)")
    }
    let order = isGray ? [0] : type.colorSpace == .bgr ? [2, 1, 0] : [0, 1, 2]
    let area = image.width * image.height
    var samples: [Scalar] = []
    samples.reserveCapacity(order.count * area)
    for channel in order { for pixel in 0..<area { samples.append(.double(Double(image.pixels[pixel * count + channel]))) } }
    guard let tensor = HostTensor(samples, dtype: dataType.dtype, shape: [1, order.count, image.height, image.width]) else {
      throw MartletError.invalidInput("an image does not fit input \(signature.name)")
    }
    return tensor
  }

  // MARK: Outputs

  func output(_ value: ModelValue, named name: String) throws -> CaseValue {
    guard case .tensor(let tensor) = value else {
      switch value {
      case .int(let number): return .int(number)
      case .double(let number): return .double(number)
      case .bool(let truth): return .bool(truth)
      case .string(let text): return .string(text)
      case .tensor, .none: return .none
      }
    }
    let host = tensor.host
    switch function.outputs.first(where: { $0.name == name })?.type {
    case .image(let type)?: return .image(try Self.image(host, type, name: name))
    case .string?, .int64?:
      guard let position = Self.numbers(host).first.map({ Int($0) }) else { throw MartletError.executionFailed("\(name) is empty") }
      switch labels {
      case .strings(let labels)? where labels.indices.contains(position): return .string(labels[position])
      case .integers(let labels)? where labels.indices.contains(position): return .int(Int(labels[position]))
      default: return .int(position)
      }
    case .double?: return .double(Self.numbers(host).first ?? .nan)
    case .dictionary?:
      let numbers = Self.numbers(host)
      guard let labels, labels.count == numbers.count else {
        throw MartletError.executionFailed("\(name) has \(numbers.count) elements for \(labels?.count ?? 0) classes")
      }
      switch labels {
      case .strings(let labels): return .dictionary(.byString(Dictionary(zip(labels, numbers), uniquingKeysWith: { $1 })))
      case .integers(let labels):
        return .dictionary(.byInteger(Dictionary(zip(labels.map { Int($0) }, numbers), uniquingKeysWith: { $1 })))
      }
    case .multiArray?, .sequence?, .state?, nil: return .tensor(host, dimOrder: nil)
    }
  }

  private static func numbers(_ tensor: HostTensor) -> [Double] {
    switch tensor.elements {
    case .floating(let numbers), .complex(let numbers): numbers
    case .signed(let numbers): numbers.map { Double($0) }
    case .unsigned(let numbers): numbers.map { Double($0) }
    }
  }

  /// Samples rounded and bounded to 0...255.
  private static func image(_ tensor: HostTensor, _ type: CoreMLImageType, name: String) throws -> Image {
    let isGray = type.colorSpace == .grayscale || type.colorSpace == .grayscaleFloat16
    let channels = isGray ? 1 : 3
    guard tensor.shape.count == 4, tensor.shape[0] == 1, tensor.shape[1] == channels else {
      throw MartletError.executionFailed("\(name) has the shape \(tensor.shape), which is no image")
    }
    let order = isGray ? [0] : type.colorSpace == .bgr ? [2, 1, 0] : [0, 1, 2]
    let (height, width) = (tensor.shape[2], tensor.shape[3])
    let numbers = numbers(tensor)
    var pixels = [UInt8](repeating: 0, count: numbers.count)
    for (plane, channel) in order.enumerated() {
      for pixel in 0..<height * width {
        let value = numbers[plane * height * width + pixel].rounded(.toNearestOrEven)
        pixels[pixel * channels + channel] = UInt8(min(max(value.isNaN ? 0 : value, 0), 255))
      }
    }
    guard let image = Image(width: width, height: height, format: isGray ? .gray8 : .rgb8, pixels: pixels) else {
      throw MartletError.executionFailed("\(name) is no image")
    }
    return image
  }
}

extension ModelCase {
  package func run(method: String?, inputs: [NamedCaseValue], outputs: [String]) throws -> [String: CaseValue] {
    guard let coreML = model.coreMLModel else { throw NamedArgumentsUnsupported() }
    let method = method ?? function ?? model.defaultMethod
    let signature = try model.signature(of: method)
    guard let features = CoreMLFeatures(coreML, method: method) else {
      throw MartletError.invalidInput("there is no function \(method)")
    }
    var values: [String: ModelValue] = [:]
    for input in inputs {
      guard let declared = signature.inputs.first(where: { $0.name == input.name }) else {
        throw MartletError.invalidInput("there is no input \(input.name)")
      }
      values[input.name] = try features.input(input.value, declared)
    }
    var results: [String: CaseValue] = [:]
    for (name, value) in try model.run(values, method: method) { results[name] = try features.output(value, named: name) }
    return results
  }
}
