import CoreML
import Testing

/// Models of the tests.
enum Fixture {
  static func url(_ name: String) throws -> URL {
    try #require(Bundle.module.url(forResource: "Fixtures/" + name, withExtension: nil))
  }

  static func model(_ name: String, function: String? = nil) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.functionName = function
    return try MLModel(contentsOf: try url(name), configuration: configuration)
  }
}

/// What an expression throws.
func thrown(_ body: () throws -> Void) -> MLModelError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MLModelError
  }
}

func floats(_ provider: any MLFeatureProvider, _ name: String) -> [Float]? {
  guard let array = provider.featureValue(for: name)?.multiArrayValue else { return nil }
  return (0..<array.count).map { array[$0].floatValue }
}
