extension ModelClassText {
  // MARK: Class of the model

  var modelText: String {
    let hasDefaults = platforms >= .withHandlers
    return """
      /// Class for model loading and prediction
      \(platforms.attribute)
      \(access)class \(name) {
          \(access)let model: MLModel

          /// URL of model assuming it was installed in the same bundle as this class
          class var urlOfModelInThisBundle : URL {
              let bundle = Bundle(for: self)
              return bundle.url(forResource: "\(resource.literal)", withExtension:"mlmodelc")!
          }

          /**
              Construct \(name) instance with an existing MLModel object.

              Usually the application does not use this initializer unless it makes a subclass of \(name).
              Such application may want to use `MLModel(contentsOfURL:configuration:)` and `\(name).urlOfModelInThisBundle` to create a MLModel object to pass-in.

              - parameters:
                - model: MLModel object
          */
          init(model: MLModel) {
              self.model = model
          }

      \(hasDefaults ? "" : defaultInitializer)    /**
              Construct a model with configuration

              - parameters:
                 - configuration: the desired model configuration

              - throws: an NSError object that describes the problem
          */
      \(available(.withConfigurations))    \(access)convenience init(configuration: MLModelConfiguration\(hasDefaults ? " = MLModelConfiguration()" : "")) throws {
              try self.init(contentsOf: type(of:self).urlOfModelInThisBundle, configuration: configuration)
          }

          /**
              Construct \(name) instance with explicit path to mlmodelc file
              - parameters:
                 - modelURL: the file url of the model

              - throws: an NSError object that describes the problem
          */
          \(access)convenience init(contentsOf modelURL: URL) throws {
              try self.init(model: MLModel(contentsOf: modelURL))
          }

          /**
              Construct a model with URL of the .mlmodelc directory and configuration

              - parameters:
                 - modelURL: the file url of the model
                 - configuration: the desired model configuration

              - throws: an NSError object that describes the problem
          */
      \(available(.withConfigurations))    \(access)convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
              try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
          }

      \(loadingFunctions)
      \(states.isEmpty ? predictions : statefulPredictions)}
      """
  }

  /// Classes for systems before macOS 11 have an initialiser that ends the process where there is no model.
  private var defaultInitializer: String {
    """
        /**
            Construct \(name) instance by automatically loading the model from the app's bundle.
        */
        @available(*, deprecated, message: "Use init(configuration:) instead and handle errors appropriately.")
        \(access)convenience init() {
            try! self.init(contentsOf: type(of:self).urlOfModelInThisBundle)
        }


    """
  }

  private var loadingFunctions: String {
    """
    \(loadingComment(fromURL: false, handler: true))
    \(available(.withHandlers))    \(access)class func load(configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<\(name), Error>) -> Void) {
            load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration, completionHandler: handler)
        }

    \(loadingComment(fromURL: false, handler: false))
    \(available(.withShapedArrays))    \(access)class func load(configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> \(name) {
            try await load(contentsOf: self.urlOfModelInThisBundle, configuration: configuration)
        }

    \(loadingComment(fromURL: true, handler: true))
    \(available(.withHandlers))    \(access)class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration(), completionHandler handler: @escaping (Swift.Result<\(name), Error>) -> Void) {
            MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
                switch result {
                case .failure(let error):
                    handler(.failure(error))
                case .success(let model):
                    handler(.success(\(name)(model: model)))
                }
            }
        }

    \(loadingComment(fromURL: true, handler: false))
    \(available(.withShapedArrays))    \(access)class func load(contentsOf modelURL: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> \(name) {
            let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
            return \(name)(model: model)
        }

    """
  }

  private func loadingComment(fromURL: Bool, handler: Bool) -> String {
    var lines = [
      "    /**",
      "        Construct \(name) instance asynchronously with \(fromURL ? "URL of the .mlmodelc directory with " : "")optional configuration.",
      "",
      "        Model loading may take time when the model content is not immediately available (e.g. encrypted model). "
        + "Use this factory method especially when the caller is on the main thread.",
      "",
      "        - parameters:",
    ]
    if fromURL { lines.append("          - modelURL: the URL to the model") }
    lines.append("          - configuration: the desired model configuration")
    if handler {
      lines.append(
        "          - handler: the completion handler to be called when the model loading completes successfully or unsuccessfully")
    }
    return (lines + ["    */"]).joined(separator: "\n")
  }
}
