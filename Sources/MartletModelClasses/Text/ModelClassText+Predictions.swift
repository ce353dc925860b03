extension ModelClassText {
  private var inputClass: String { name + "Input" }
  private var outputClass: String { name + "Output" }

  /// A name for the local variable of a prediction, different from those of its parameters.
  private var local: String {
    var text = "input_"
    while inputs.contains(where: { $0.name.description == text }) { text += "_" }
    return text
  }

  /// The internal name of the parameter with the state.
  private var stateName: String {
    var text = "state"
    while inputs.contains(where: { $0.name.description == text }) { text += "_" }
    return text
  }

  // MARK: Without state

  var predictions: String {
    """
    \(comment("Make a prediction using the structured interface", [inputItem]))
        \(access)func prediction(input: \(inputClass)) throws -> \(outputClass) {
            try prediction(input: input, options: MLPredictionOptions())
        }

    \(comment("Make a prediction using the structured interface", [inputItem, optionsItem]))
        \(access)func prediction(input: \(inputClass), options: MLPredictionOptions) throws -> \(outputClass) {
            let outFeatures = try model.prediction(from: input, options: options)
            return \(outputClass)(features: outFeatures)
        }

    \(comment("Make an asynchronous prediction using the structured interface", [inputItem, optionsItem]))
    \(available(.withAsync))    \(access)func prediction(input: \(inputClass), options: MLPredictionOptions = MLPredictionOptions()) async throws -> \(outputClass) {
            let outFeatures = try await model.prediction(from: input, options: options)
            return \(outputClass)(features: outFeatures)
        }

    \(convenience(state: ""))\(batch)
    """
  }

  /// Predictions with the inputs as arguments. A model without inputs has none.
  private func convenience(state: String) -> String {
    guard !inputs.isEmpty else { return "" }
    let items =
      inputs.map { "            - \($0.name): \($0.parameterComment)" }
      + (state.isEmpty ? [] : ["            - \(stateName): the state that the prediction will use and update."])
    let comment = comment("Make a prediction using the convenience interface", items)
    let parameter = state.isEmpty ? "" : ", using \(stateName): \(state)"
    let argument = state.isEmpty ? "" : ", using: \(stateName)"
    func function(_ parameters: String) -> String {
      """
          \(access)func prediction(\(parameters)\(parameter)) throws -> \(outputClass) {
              let \(local) = \(inputClass)(\(list(inputs, \.argument)))
              return try prediction(input: \(local)\(argument))
          }


      """
    }
    var text = comment + "\n" + function(list(inputs, \.parameter))
    if hasArrays { text += comment + "\n\n" + availableShaped(inputs) + function(list(inputs, \.shapedParameter)) }
    return text
  }

  private var batch: String {
    let items = [
      "           - inputs: the inputs to the prediction as [\(inputClass)]", optionsItem,
    ]
    return """
      \(comment("Make a batch prediction using the structured interface", items, result: "[\(outputClass)]"))
      \(available(.withConfigurations))    \(access)func predictions(inputs: [\(inputClass)], options: MLPredictionOptions = MLPredictionOptions()) throws -> [\(outputClass)] {
              let batchIn = MLArrayBatchProvider(array: inputs)
              let batchOut = try model.predictions(from: batchIn, options: options)
              var results : [\(outputClass)] = []
              results.reserveCapacity(inputs.count)
              for i in 0..<batchOut.count {
                  let outProvider = batchOut.features(at: i)
                  let result =  \(outputClass)(features: outProvider)
                  results.append(result)
              }
              return results
          }

      """
  }

  // MARK: With state

  var statefulPredictions: String {
    let state = name + "State"
    let stateItem = "           - state: the state that the prediction will use and update."
    var text = """
          /**
              Make a new state.

              Core ML framework will allocate the state buffers declared in the model.

              The allocated state buffers are initialized to zeros. To initialize with different values, use `.withMultiArray(for:)` to get the mutable `MLMultiArray`-view to the state buffer.

              ```swift
              let state = model.makeState()
              state.withMultiArray(for: .\(states[0].identifier)) { stateMultiArray in
                  stateMultiArray[0] = 0.42
              }
              ```
          */
          \(access)func makeState() -> \(state) {
              \(state)(handle: model.makeState())
          }

      \(comment("Make a prediction using the structured interface", [inputItem, stateItem]))
          \(access)func prediction(input: \(inputClass), using state: \(state)) throws -> \(outputClass) {
              try prediction(input: input, using: state, options: MLPredictionOptions())
          }

      \(comment("Make a prediction using the structured interface", [inputItem, stateItem, optionsItem]))
          \(access)func prediction(input: \(inputClass), using state: \(state), options: MLPredictionOptions) throws -> \(outputClass) {
              let outFeatures = try model.prediction(from: input, using: state.handle, options: options)
              return \(outputClass)(features: outFeatures)
          }

      \(comment("Make an asynchronous prediction using the structured interface", [inputItem, stateItem, optionsItem]))
          \(access)func prediction(input: \(inputClass), using state: \(state), options: MLPredictionOptions = MLPredictionOptions()) async throws -> \(outputClass) {
              let outFeatures = try await model.prediction(from: input, using: state.handle, options: options)
              return \(outputClass)(features: outFeatures)
          }


      """
    text += convenience(state: state)
    // The last function has no line after it.
    if text.hasSuffix("\n\n") { text.removeLast() }
    return text
  }

  // MARK: Comments

  private var inputItem: String { "           - input: the input to the prediction as \(inputClass)" }
  private var optionsItem: String { "           - options: prediction options" }

  private func comment(_ title: String, _ items: [String], result: String? = nil) -> String {
    """
        /**
            \(title)

            It uses the default function if the model has multiple functions.

            - parameters:
    \(items.joined(separator: "\n"))

            - throws: an NSError object that describes the problem

            - returns: the result of the prediction as \(result ?? outputClass)
        */
    """
  }
}
