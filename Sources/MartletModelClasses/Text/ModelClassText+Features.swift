extension ModelClassText {
  // MARK: Input

  var inputText: String {
    let properties = inputs.map { "    /// \($0.comment)\n    \(access)var \($0.declaration)\n\n" }.joined()
    let names = inputs.map { "\"\($0.feature.name.literal)\"" }.joined(separator: ", ")
    let values = inputs.map { input in
      let name = input.name.description
      let value = input.value(of: input.isOptional ? name + "!" : name, key: "NSObject")
      let throwing = if case .dictionary = input.feature.kind { "try! " } else { "" }
      return """
                if featureName == "\(input.feature.name.literal)" {
                    return \(input.isOptional ? "\(name) == nil ? nil : " : "")\(throwing)\(value)
                }

        """
    }.joined()
    let assignments = inputs.map { "        self.\($0.name) = \($0.name)\n" }.joined()
    return """
      /// Model Prediction Input Type
      \(platforms.attribute)
      \(access)class \(name)Input : MLFeatureProvider {

      \(properties)    \(access)var featureNames: Set<String> { [\(names)] }

          \(access)func featureValue(for featureName: String) -> MLFeatureValue? {
      \(values)        return nil
          }

          \(access)init(\(list(inputs, \.declaration))) {
      \(assignments)    }

      \(shapedInitializer)\(imageInitializers)\(imageSetters)}
      """
  }

  private var shapedInitializer: String {
    guard hasArrays else { return "" }
    return """
      \(availableShaped(inputs))    \(access)convenience init(\(list(inputs, \.shapedDeclaration))) {
              self.init(\(list(inputs, \.shapedArgument)))
          }


      """
  }

  /// Initialisers that take the images as pictures: from memory, then from files, each with both kinds of arrays.
  private var imageInitializers: String {
    guard inputs.contains(where: { $0.image != nil }) else { return "" }
    return [("With", "CGImage", "cgImage"), ("At", "URL", "imageAt")].map { suffix, type, label in
      func declarations(_ others: (ClassFeature) -> String) -> String {
        list(inputs) { $0.image == nil ? others($0) : "\($0.name)\(suffix) \($0.name): \(type)" }
      }
      func arguments(_ others: (ClassFeature) -> String) -> String {
        list(inputs) { input in
          input.image.map { "\(input.name): try \(Self.pixels(of: input, $0, label))" } ?? others(input)
        }
      }
      let plain = """
        \(available(.withImages))    \(access)convenience init(\(declarations(\.declaration))) throws {
                self.init(\(arguments(\.argument)))
            }


        """
      guard hasArrays else { return plain }
      return plain + """
        \(availableShaped(inputs, also: .withImages))    \(access)convenience init(\(declarations(\.shapedDeclaration))) throws {
                self.init(\(arguments(\.shapedArgument)))
            }


        """
    }.joined()
  }

  private var imageSetters: String {
    var text = ""
    for input in inputs {
      guard let image = input.image else { continue }
      text += setter(of: input, image, from: "CGImage", label: "cgImage")
      text += setter(of: input, image, from: "URL", label: "imageAt")
    }
    return text
  }

  private func setter(of input: ClassFeature, _ image: ImageInterface, from type: String, label: String) -> String {
    """
    \(available(.withImages))    \(access)func set\(input.name.capitalized)(with \(input.name): \(type)) throws  {
            self.\(input.name) = try \(Self.pixels(of: input, image, label))
        }


    """
  }

  /// The pixel buffer of a picture, in the model's size and format.
  private static func pixels(of input: ClassFeature, _ image: ImageInterface, _ label: String) -> String {
    "MLFeatureValue(\(label): \(input.name), pixelsWide: \(image.usedWidth), pixelsHigh: \(image.usedHeight), "
      + "pixelFormatType: \(image.pixelFormat), options: nil).imageBufferValue!"
  }

  // MARK: Output

  var outputText: String {
    let properties = outputs.map { output in
      let plain = """
            /// \(output.comment)
            \(access)var \(output.name): \(output.type) {
                provider.featureValue(for: "\(output.feature.name.literal)")!.\(output.content)
            }


        """
      guard output.scalar != nil else { return plain }
      return plain + """
            /// \(output.comment)
        \(availableShaped([output]))    \(access)var \(output.name)ShapedArray: \(output.shapedType) {
                \(output.shapedType)(\(output.name))
            }


        """
    }.joined()
    let values = list(outputs) { "\"\($0.feature.name.literal)\" : \($0.value(of: $0.name.description, key: "AnyHashable"))" }
    return """
      /// Model Prediction Output Type
      \(platforms.attribute)
      \(access)class \(name)Output : MLFeatureProvider {

          /// Source provided by CoreML
          private let provider : MLFeatureProvider

      \(properties)    \(access)var featureNames: Set<String> {
              provider.featureNames
          }

          \(access)func featureValue(for featureName: String) -> MLFeatureValue? {
              provider.featureValue(for: featureName)
          }

          \(access)init(\(list(outputs, \.parameter))) {
              self.provider = try! MLDictionaryFeatureProvider(dictionary: [\(values)])
          }

          \(access)init(features: MLFeatureProvider) {
              self.provider = features
          }
      }
      """
  }

  // MARK: State

  var stateText: String {
    let cases = states.map { "        case \($0.identifier) = \"\($0.name.literal)\"\n" }.joined()
    return """
      /// Model Prediction State Type
      \(platforms.attribute)
      \(access)final class \(name)State {
          \(access)enum Name: String, CaseIterable {
      \(cases)    }

          let handle: MLState

          init(handle: MLState) {
              self.handle = handle
          }

          \(access)func withMultiArray<R>(for stateName: Name, _ body: (MLMultiArray) throws -> R) rethrows -> R {
              try handle.withMultiArray(for: stateName.rawValue, body)
          }
      }
      """
  }
}
