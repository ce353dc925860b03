import Foundation
import Martlet
import Testing

/// Features that are not tensors: images, numbers, labels, dictionaries, defaults.
struct FeatureTests {
  private func model(_ name: String) throws -> Model {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: "mlpackage", subdirectory: "Fixtures"))
    var options = ModelOptions()
    options.threads = 1
    return try Model(contentsOf: url, options: options)
  }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `signatures tell images, numbers and dictionaries`() throws {
    let classifier = try model("classifier").signature()
    #expect(classifier.outputs.map(\.description) == ["label: string", "scores: dictionary[string: double]"])
    #expect(try model("numbered_classifier").signature().outputs.map(\.kind) == [.int, .dictionary(keys: .int)])
    let picture = try model("rgb").signature().inputs[0]
    guard case .image(let image) = picture.kind else {
      Issue.record("\(picture)")
      return
    }
    #expect(image.width == 4 && image.height == 3 && !image.isGray && picture.flexibleShapes == nil)
    #expect(picture.description == "picture: image[rgb, 4 x 3]")
    let optional = try model("optional").signature().inputs
    #expect(optional.map(\.isOptional) == [false, true] && optional[1].kind == .tensor(.float32, shape: [1], isDynamic: [false]))
    #expect(try model("numbers").signature().inputs.map(\.kind) == [.double, .int])
  }

  @Test func `a classifier gives the label and the probabilities of its classes`() throws {
    let x = try Tensor([Float(0.25), 0.5, 0.125], shape: [3])
    let named = try model("classifier").run(["x": .tensor(x)])
    guard case .string("dog")? = named["label"], case .dictionary(let scores)? = named["scores"] else {
      Issue.record("\(named)")
      return
    }
    #expect(scores == .byString(["cat": 0.25, "dog": 0.5, "bird": 0.125]))
    let numbered = try model("numbered_classifier").run([.tensor(x)])
    guard numbered.count == 2, case .int(20) = numbered[0], case .dictionary(let numbers) = numbered[1] else {
      Issue.record("\(numbered)")
      return
    }
    #expect(numbers == .byInteger([10: 0.25, 20: 0.5, 30: 0.125]))
  }

  @Test func `pictures go in and come out`() throws {
    let pixels = (0..<36).map { UInt8($0 * 7) }
    let picture = try Picture(width: 4, height: 3, format: .rgb, pixels: pixels)
    let outputs = try model("rgb").run(["picture": .image(picture)])
    guard case .image(let negative)? = outputs["negative"], case .tensor(let samples)? = outputs["samples"] else {
      Issue.record("\(outputs)")
      return
    }
    #expect(negative.pixels == pixels.map { 255 - $0 } && negative.format == .rgb && negative.width == 4 && negative.height == 3)
    #expect(samples.shape == [1, 3, 3, 4])
    // Planes of red, green and blue.
    #expect(try samples.scalars(as: Float.self) == (0..<36).map { 2 * Float(pixels[$0 % 12 * 3 + $0 / 12]) })
    // The samples themselves may be given, too.
    let tensor = try Tensor([Float](repeating: 5, count: 36), shape: [1, 3, 3, 4])
    guard case .image(let other)? = try model("rgb").run(["picture": .tensor(tensor)])["negative"] else {
      Issue.record("there is no image")
      return
    }
    #expect(other.pixels.allSatisfy { $0 == 250 })
    let gray = try Picture(width: 4, height: 3, format: .gray, pixels: [UInt8](repeating: 9, count: 12))
    guard case .image(let colored)? = try model("rgb").run(["picture": .image(gray)])["negative"] else {
      Issue.record("there is no image")
      return
    }
    #expect(colored.pixels.allSatisfy { $0 == 246 })
  }

  @Test func `values that do not fit are named with what is expected`() throws {
    let picture = try Picture(width: 4, height: 4, format: .rgb, pixels: [UInt8](repeating: 0, count: 48))
    let size = message { _ = try self.model("rgb").run(["picture": .image(picture)]) }
    #expect(size?.contains("picture is image[rgb, 4 x 3], not an image of 4 x 4") == true)
    #expect(message { _ = try self.model("rgb").run(["picture": .string("a")]) }?.contains("not a string") == true)
    #expect(message { _ = try self.model("rgb").run([:] as [String: ModelValue]) }?.contains("picture is missing") == true)
    #expect(message { _ = try self.model("rgb").run([] as [ModelValue]) }?.contains("takes 1 inputs, not 0") == true)
    #expect(message { _ = try self.model("numbers").run(["x": .image(picture), "n": .int(1)]) }?.contains("x is a number") == true)
    #expect(message { _ = try self.model("numbers").run(["x": .double(1), "n": .double(2.5)]) }?.contains("n is an integer") == true)
  }

  @Test func `numbers and defaults`() throws {
    func sum(_ x: ModelValue, _ n: ModelValue) throws -> Double? {
      guard case .double(let sum)? = try model("numbers").run(["x": x, "n": n])["sum"] else { return nil }
      return sum
    }
    #expect(try sum(.double(1.5), .int(2)) == 3.5 && sum(.int(4), .int(2)) == 6)
    let x = ModelValue.tensor(try Tensor([Int32(2), 4], shape: [1, 2]))
    func scaled(_ inputs: [String: ModelValue]) throws -> [Float]? { try model("optional").run(inputs)["y"]?.tensor?.scalars() }
    #expect(try scaled(["x": x]) == [1, 2])
    #expect(try scaled(["x": x, "scale": ModelValue.none]) == [1, 2] && scaled(["x": x, "scale": .double(3)]) == [6, 12])
    #expect(try model("optional").run([x, .none])[0].tensor?.scalars() == [Float(1), 2])
  }

  @Test(arguments: [1, 2])
  func `a batch gives what single runs give, in order`(threads: Int) throws {
    let url = try #require(Bundle.module.url(forResource: "classifier", withExtension: "mlpackage", subdirectory: "Fixtures"))
    var options = ModelOptions()
    options.threads = threads
    let model = try Model(contentsOf: url, options: options)
    let batch = try (0..<600).map { index -> [String: ModelValue] in
      let numbers: [Float] = (0..<3).map { Float((index * 7 + $0 * 5) % 11) }
      return ["x": .tensor(try Tensor(numbers, shape: [3]))]
    }
    let expected = try batch.map { try model.run($0) }
    for _ in 0..<3 {
      let results = try model.run(batch: batch)
      #expect(results.count == batch.count)
      for (result, single) in zip(results, expected) {
        guard case .string(let label)? = result["label"], case .string(let other)? = single["label"] else {
          Issue.record("\(result)")
          return
        }
        #expect(label == other)
      }
    }
    let empty: [[ModelValue]] = []
    #expect(try model.run(batch: empty).isEmpty)
    #expect(message { _ = try model.run(batch: batch + [[:]]) }?.contains("x is missing") == true)
  }

  @Test func `pictures are values`() throws {
    let picture = try Picture(width: 2, height: 1, format: .gray, pixels: [1, 2])
    #expect(try picture == Picture(width: 2, height: 1, format: .gray, pixels: [1, 2]) && picture.description == "Picture(2 x 1, gray)")
    #expect(throws: MartletError.self) { try Picture(width: 2, height: 2, format: .gray, pixels: [1, 2]) }
    #expect(throws: MartletError.self) { try Picture(contentsOf: URL(fileURLWithPath: "/nowhere.png")) }
    #expect(throws: MartletError.self) { try picture.resized(width: 0, height: 1) }
    let larger = try picture.resized(width: 4, height: 2)
    #expect(larger.width == 4 && larger.height == 2 && larger.pixels.count == 8)
  }
}
