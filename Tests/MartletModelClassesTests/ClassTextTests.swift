import Foundation
import MartletBytes
import MartletModelClasses
import Testing

/// Compares classes with the declarations that Xcode writes, which Oracles/make_model_classes.py recorded.
struct ClassTextTests {
  private static let fixtures = Bundle.module.bundleURL.appendingPathComponent("Fixtures")
  private static let recorded: [String: [String]] = {
    let data = try? Data(contentsOf: fixtures.appendingPathComponent("declarations.json"))
    return (try? data.map { try JSONDecoder().decode([String: [String]].self, from: $0) } ?? nil) ?? [:]
  }()
  static let names = recorded.keys.sorted()

  private static func interface(_ name: String) throws -> ModelInterface {
    try ModelInterface(contentsOfPath: fixtures.appendingPathComponent("models/\(name).mlmodel").path)
  }

  /// The declarations of a source, with their attributes and the comments on properties, without indentation and bodies.
  private static func declarations(_ text: String) -> [String] {
    let starts = [
      "///", "@available", "#if", "#endif", "class ", "final class ", "var ", "let ", "private let ", "init(", "convenience ", "func ",
      "enum ",
    ]
    return text.split(separator: "\n").compactMap { line in
      let indentation = line.prefix { $0 == " " }.count
      let content = String(line.dropFirst(indentation))
      if indentation == 8, content.hasPrefix("case "), content.hasSuffix("\"") { return content }
      return indentation < 8 && starts.contains(where: content.hasPrefix) ? content : nil
    }
  }

  @Test func `there are records of all kinds of features`() {
    #expect(Self.names.count >= 30)
    let all = Self.recorded.values.joined().joined(separator: "\n")
    for type in [
      "Int64", "Double", "String", "CVPixelBuffer", "MLMultiArray", "MLSequence", "[String : Double]", "[Int64 : Double]",
      "MLShapedArray<Float16>", "MLShapedArray<Int32>", "State",
    ] {
      #expect(all.contains(": \(type)"), "no record has a \(type)")
    }
  }

  @Test(arguments: names) func `declarations are those of Xcode`(name: String) throws {
    let text = ModelClassText(try Self.interface(name), resource: name).text
    let found = Self.declarations(text)
    let expected = try #require(Self.recorded[name])
    for (index, (line, record)) in zip(found, expected).enumerated() where line != record {
      Issue.record("\(name), declaration \(index): '\(line)', recorded is '\(record)'")
      return
    }
    #expect(found.count == expected.count)
  }

  @Test func `the text of a small class is complete`() throws {
    let text = ModelClassText(try Self.interface("Number"), resource: "Number").text
    #expect(
      text.hasPrefix(
        """
        //
        // Number.swift
        //
        // This file was automatically generated and should not be edited.
        //

        import CoreML


        /// Model Prediction Input Type
        @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
        class NumberInput : MLFeatureProvider {

            /// x as double value
            var x: Double

            var featureNames: Set<String> { ["x"] }

            func featureValue(for featureName: String) -> MLFeatureValue? {
                if featureName == "x" {
                    return MLFeatureValue(double: x)
                }
                return nil
            }

            init(x: Double) {
                self.x = x
            }

        }


        /// Model Prediction Output Type
        @available(macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
        class NumberOutput : MLFeatureProvider {

            /// Source provided by CoreML
            private let provider : MLFeatureProvider

            /// y as double value
            var y: Double {
                provider.featureValue(for: "y")!.doubleValue
            }

            var featureNames: Set<String> {
                provider.featureNames
            }

            func featureValue(for featureName: String) -> MLFeatureValue? {
                provider.featureValue(for: featureName)
            }

            init(y: Double) {
                self.provider = try! MLDictionaryFeatureProvider(dictionary: ["y" : MLFeatureValue(double: y)])
            }

            init(features: MLFeatureProvider) {
                self.provider = features
            }
        }


        /// Class for model loading and prediction

        """))
    #expect(text.hasSuffix("        return results\n    }\n}\n"))
    #expect(
      text.contains(
        """
            /**
                Make a prediction using the convenience interface

                It uses the default function if the model has multiple functions.

                - parameters:
                    - x: double value

                - throws: an NSError object that describes the problem

                - returns: the result of the prediction as NumberOutput
            */
            func prediction(x: Double) throws -> NumberOutput {
                let input_ = NumberInput(x: x)
                return try prediction(input: input_)
            }


        """))
  }

  @Test func `a public class hides how it is made`() throws {
    let lines = Self.declarations(
      ModelClassText(try Self.interface("DPDFNet2_16kHz"), resource: "m", access: .public).text
        .replacingOccurrences(of: "public ", with: "var public "))
    let isPublic = Dictionary(
      lines.map { ($0.replacingOccurrences(of: "var public ", with: ""), $0.hasPrefix("var public ")) }, uniquingKeysWith: { $1 })
    #expect(isPublic["let model: MLModel"] == true)
    #expect(
      isPublic["class m {"] == true && isPublic["final class mState {"] == true && isPublic["class mInput : MLFeatureProvider {"] == true)
    #expect(isPublic["init(spec: MLMultiArray) {"] == true && isPublic["convenience init(contentsOf modelURL: URL) throws {"] == true)
    #expect(isPublic["init(model: MLModel) {"] == false && isPublic["class var urlOfModelInThisBundle : URL {"] == false)
    #expect(isPublic["let handle: MLState"] == false && isPublic["private let provider : MLFeatureProvider"] == false)
  }

  @Test func `another name of the class leaves that of the resource`() throws {
    let text = ModelClassText(try Self.interface("Number"), resource: "number-v2", className: "Number").text
    #expect(text.contains("class Number {") && text.contains("class NumberInput : "))
    #expect(text.contains("bundle.url(forResource: \"number-v2\", withExtension:\"mlmodelc\")!"))
  }

  // MARK: Names

  @Test(arguments: [
    ("image", "image"), ("PCOS (Y/N)", "PCOS__Y_N_"), ("796", "_796"), ("Class", "Class_"), ("out", "out_"), ("in", "in_"),
    ("self", "self_"),
    ("all-MiniLM", "all_MiniLM"), ("s0.25", "s0_25"), ("größe", "größe"), ("画像", "画像"), ("a\u{301}", "a\u{301}"), ("👍", "__"), ("", "_"),
    ("_", "__"), ("left", "left"), ("²", "__"), ("\u{301}a", "_\u{301}a"),
  ])
  func `names become identifiers`(name: String, identifier: String) {
    #expect(SwiftName(name).description == identifier)
  }

  @Test func `names that become one identifier stay different`() {
    #expect(
      SwiftName.unique(["a b", "a-b", "a_b", "class", "class_"]).map(\.description) == ["a_b", "a_b_", "a_b__", "class_", "class__"])
    #expect(SwiftName.unique(["provider"], besides: ["provider"]).map(\.description) == ["provider_"])
  }

  @Test func `features may have the names of local variables`() {
    let names = ["input_", "state", "featureNames"]
    let interface = ModelInterface(
      specificationVersion: 9, inputs: names.map { InterfaceFeature($0, .double) }, outputs: [InterfaceFeature("provider", .double)],
      states: ["s"])
    let text = ModelClassText(interface, resource: "M").text
    #expect(text.contains("let input__ = MInput(input_: input_, state: state, featureNames_: featureNames_)"))
    #expect(text.contains("func prediction(input_: Double, state: Double, featureNames_: Double, using state_: MState) throws"))
    #expect(text.contains("var provider_: Double {\n        provider.featureValue(for: \"provider\")!.doubleValue"))
  }

  @Test func `nothing in a description ends a comment or a literal`() {
    let feature = InterfaceFeature("a\"\\\n(b)", .double, shortDescription: "one */ two /* three\nfour\r\nfive \u{1}")
    let text = ModelClassText(ModelInterface(specificationVersion: 8, inputs: [feature], outputs: [feature]), resource: "M").text
    #expect(text.contains("/// one * / two / * three four five  as double value\n"))
    #expect(text.contains("- a____b_: one * / two / * three four five  as double value\n"))
    #expect(text.contains("featureName == \"a\\\"\\\\\\n(b)\""))
  }
}
