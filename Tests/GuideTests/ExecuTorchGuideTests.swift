// swift-format-ignore-file
// The lines between the marks are those of the guide, also in their form.
import ExecuTorch
import OSLog
import Testing
import os.log

/// Snippets of ExecuTorch's guide for iOS, as they stand there; what they take for granted stands before them. A line in place of one of the
/// guide's follows a comment with the latter.
@Suite struct ExecuTorchGuideTests {
  private let methods = Bundle.module.path(forResource: "methods", ofType: "pte")!

  @Test func `a model is loaded and run`() throws {
    // guide
    let modelPath = Bundle.main.path(forResource: "mv3", ofType: "pte")!

    // Create a module with the model file path. Nothing gets loaded into memory just yet.
    let module = Module(filePath: modelPath)

    // Force-load the program and 'forward' method. Otherwise, it's loaded at the first execution.
    try module.load("forward")

    // guide's line: let imageBuffer: UnsafeMutableRawPointer = ... // Existing image buffer
    var imageBuffer = [Float](repeating: 0.5, count: 3 * 224 * 224)

    // Create an input tensor referencing the buffer and assuming the given shape and data type.
    let inputTensor = Tensor<Float>(&imageBuffer, shape: [1, 3, 224, 224])

    // Execute the 'forward' method with the given input tensor and get an output tensor back.
    let outputTensor = try Tensor<Float>(module.forward(inputTensor))

    // Copy the tensor data into logits array for easier access.
    let logits = outputTensor.scalars()

    // Use logits...
    // end
    // The means are 0.5, the weights 0 to 11.
    #expect(logits == [1.5, 6, 10.5, 15])
    // The tensor refers to the buffer, which would else end with its last use.
    withExtendedLifetime(imageBuffer) {}
  }

  @Test func `tensors are viewed and copied`() {
    let originalTensor = Tensor<Float>([1, 2])
    // guide
    // Create a view.
    let tensorView = Tensor(originalTensor)

    // Create a copy.
    let tensorCopy = originalTensor.copy()
    // end
    originalTensor.withUnsafeMutableBytes { $0[0] = 5 }
    #expect(tensorView.scalars() == [5, 2] && tensorCopy.scalars() == [1, 2])
  }

  @Test func `tensors are made of memory`() {
    // guide
    // Create from a buffer without copying (unsafe).
    var mutableData: [Float] = [1.0, 2.0, 3.0, 4.0]
    let tensorNoCopy = mutableData.withUnsafeMutableBytes { pointer in
      Tensor<Float>(
        bytesNoCopy: pointer.baseAddress!,
        shape: [2, 2]
      )
    }

    // Create from Data (no copy).
    let data = Data(bytes: &mutableData, count: mutableData.count * MemoryLayout<Float>.size)
    let tensorFromData = Tensor<Float>(data: data, shape: [2, 2])
    // end
    #expect(tensorNoCopy.shape == [2, 2] && tensorFromData.scalars() == [1, 2, 3, 4])
  }

  @Test func `tensors are made of arrays and numbers`() {
    // guide
    // Create from an array of scalars (infers shape and copies data).
    let tensor = Tensor([1.0, 2.0, 3.0, 4.0]) // Creates a Tensor<Double> with shape [4]

    // Specify shape.
    let tensorWithShape = Tensor([1, 2, 3, 4, 5, 6], shape: [2, 3]) // Creates Tensor<Int>

    // Create without copying from an `inout` array.
    var liveData: [Int32] = [10, 20, 30]
    let tensorNoCopy = Tensor(&liveData) // Modifying `liveData` affects `tensorNoCopy`

    // Create an Int scalar tensor.
    let scalarTensor = Tensor(42) // Infers Tensor<Int> with shape []
    // end
    let typed: (Tensor<Double>, Tensor<Int>, Tensor<Int>) = (tensor, tensorWithShape, scalarTensor)
    #expect(typed.0.shape == [4] && typed.1.shape == [2, 3] && typed.2.shape == [] && typed.2.scalars() == [42])
    liveData[0] = 11
    // Its last use would else be the line above.
    withExtendedLifetime(liveData) { #expect(tensorNoCopy.scalars() == [11, 20, 30]) }
  }

  @Test func `tensors are filled`() {
    // guide
    // Create a 2x2 tensor filled with the value 7.
    let fullTensor = Tensor<Int32>.full(shape: [2, 2], scalar: 7)

    // Create a 3x3 tensor of ones.
    let onesTensor = Tensor<Float>.ones(shape: [3, 3])

    // Create a tensor of zeros with the same shape as onesTensor.
    let zerosTensor = Tensor<Float>.zeros(like: onesTensor)

    // Create a tensor with random integers between 10 (inclusive) and 20 (exclusive).
    let randomInts = Tensor<Int>.randint(low: 10, high: 20, shape: [5])

    // Create a 2x2 type-erased tensor filled with zeros and explicit data type.
    let anyZeros = AnyTensor.zeros(shape: [2, 2], dataType: .float)

    // Create a 2x3 type-erased tensor filled with random values and explicit data type.
    let anyRand = AnyTensor.rand(shape: [2, 3], dataType: .double)
    // end
    #expect(fullTensor.scalars() == [7, 7, 7, 7] && zerosTensor.scalars() == Array(repeating: 0, count: 9))
    #expect(randomInts.count == 5 && randomInts.scalars().allSatisfy((10..<20).contains))
    #expect(anyZeros.dataType == .float && anyRand.shape == [2, 3] && anyRand.dataType == .double)
  }

  @Test func `numbers are read`() {
    let anyTensor = Tensor<Float>([3]).anyTensor
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    let tensor = Tensor<Float>([1.0, 2.0, 3.0, 4.0], shape: [2, 2])

    // Get data copy as a Swift array.
    let scalars = tensor.scalars()
    print("All scalars: \(scalars)") // [1.0, 2.0, 3.0, 4.0]

    // Access data via a buffer pointer.
    tensor.withUnsafeBytes { buffer in
      print("First float element: \(buffer.first ?? 0.0)")
    }

    anyTensor.bytes { pointer, count, dataType in
      // Must check data type and manually cast the pointer for type-erased tensor.
      if dataType == .float {
        let buffer = UnsafeBufferPointer(start: pointer.assumingMemoryBound(to: Float.self), count: count)
        print("First float element from AnyTensor: \(buffer.first ?? 0.0)")
      }
    }
    // end
    #expect(printed == ["All scalars: [1.0, 2.0, 3.0, 4.0]", "First float element: 1.0", "First float element from AnyTensor: 3.0"])
  }

  @Test func `numbers are written`() {
    let anyTensor = Tensor<Float>([3]).anyTensor
    // guide
    let tensor = Tensor<Float>([1.0, 2.0, 3.0, 4.0], shape: [2, 2])

    // Modify the tensor's data in place.
    tensor.withUnsafeMutableBytes { buffer in
      buffer[1] = 200.0
    }
    // tensor's data is now [1.0, 200.0, 3.0, 4.0]

    anyTensor.mutableBytes { pointer, count, dataType in
      if dataType == .float {
        let buffer = UnsafeMutableBufferPointer(start: pointer.assumingMemoryBound(to: Float.self), count: count)
        buffer[0] = 100.0 // Modify the AnyTensor's data
      }
    }
    // end
    #expect(tensor.scalars() == [1, 200, 3, 4] && Tensor<Float>(anyTensor).scalars() == [100])
  }

  @Test func `a tensor gets another shape`() {
    let tensor = Tensor<Float>([1, 2, 3, 4], shape: [2, 2])
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    do {
      try tensor.resize(to: [4, 1])
      print("Resized shape: \(tensor.shape)")
    } catch {
      print("Resize failed: \(error)")
    }
    // end
    #expect(printed == ["Resized shape: [4, 1]"])
  }

  @Test func `values are made`() {
    do {
      // guide
      let tensor = Tensor(2.0)

      let tensorValue = Value(tensor)
      let intValue = Value(200)
      let stringValue = Value("world")
      let boolValue = Value(false)
      let doubleValue = Value(2.718)
      // end
      let tags = [tensorValue, intValue, stringValue, boolValue, doubleValue].map(\.tag)
      #expect(tags == [.tensor, .integer, .string, .boolean, .double])
    }
    var tags: [ValueTag] = []
    // guide
    func processValue(_ value: ValueConvertible) {
      // guide's line: // ...
      tags.append(value.asValue().tag)
    }

    processValue(1) // Value<Int>
    processValue(1.0) // Value<Double>
    processValue("hello") // Value<String>
    processValue(true) // Value<Bool>
    processValue(Tensor(1.0)) // Value<Tensor>
    // end
    #expect(tags == [.integer, .double, .string, .boolean, .tensor])
  }

  @Test func `modules are made of files`() throws {
    // guide
    let modelPath = Bundle.main.path(forResource: "model", ofType: "pte")!
    let module = Module(filePath: modelPath)

    // Optional: specify load mode, e.g., memory mapping.
    let moduleMmap = Module(filePath: modelPath, loadMode: .mmap)
    // end
    for module in [module, moduleMmap] {
      try module.load()
      #expect(module.isLoaded())
    }
  }

  @Test func `a method is loaded and described`() {
    let module = Module(filePath: Bundle.module.path(forResource: "mv3", ofType: "pte")!)
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    do {
      // Loads program and prepares 'forward' for execution.
      try module.load("forward")
      print("Forward method loaded: \(module.isLoaded("forward"))")
    } catch {
      print("Failed to load method: \(error)")
    }
    // end
    // guide
    do {
      // Easily inspect the "forward" method at runtime.
      let metadata = try module.methodMetadata("forward")

      // Check if the first input is a tensor and get its metadata.
      if metadata.inputValueTags.first == .tensor,
        let tensorMeta = metadata.inputTensorMetadata[0] {

        print("Expected input shape: \(tensorMeta.shape)")
        print("Expected input data type: \(tensorMeta.dataType)")

        // Dynamically create a random tensor that matches the model's input specs.
        let input = AnyTensor.rand(shape: tensorMeta.shape, dataType: tensorMeta.dataType)

        // Use the dynamically created tensor for inference.
        let outputs = try module.forward(input)
        print("Successfully ran inference with dynamic input.")
      }
    } catch {
      print("Failed to get metadata or run inference: \(error)")
    }
    // end
    #expect(
      printed == [
        "Forward method loaded: true", "Expected input shape: [1, 3, 224, 224]", "Expected input data type: float",
        "Successfully ran inference with dynamic input.",
      ])
  }

  @Test func `methods are run`() {
    let module = Module(filePath: methods)
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    let inputTensor1 = Tensor<Float>([1.0, 2.0])
    let inputTensor2 = Tensor<Float>([3.0, 4.0])
    let singleInputTensor = Tensor<Float>([5.0])

    do {
      // Execute "forward" using the shortcut with an array of Tensors.
      let outputs1 = try module.forward([inputTensor1, inputTensor2])
      print("Forward output count: \(outputs1.count)")

      // Execute "forward" with a single Tensor input.
      let outputs2 = try module.forward(singleInputTensor)
      print("Forward single input output count: \(outputs2.count)")

      // Execute a potentially different method by name.
      let outputs3 = try module.execute("another_method", [inputTensor1])

      // Process outputs by converting the first output Value to a typed Tensor<Float>.
      if let outputTensor: Tensor<Float> = outputs1.first?.tensor() {
        // Now you have a type-safe tensor and can access its data easily.
        let logits = try outputTensor.scalars()
        print("First 5 logits: \(logits.prefix(5))")
      }

      // Try casting the outputs to a single typed object.
      let tensorOutput = try Tensor<Float>(module.forward(inputTensor1, inputTensor2))
      let logits = tensorOutput.scalars()
      // end
      #expect(logits == [10])
      #expect(outputs3.first?.tensor()?.scalars() as [Float]? == [2, 4])
      // guide
    } catch {
      print("Execution failed: \(error)")
    }
    // end
    #expect(printed == ["Forward output count: 1", "Forward single input output count: 1", "First 5 logits: [10.0]"])
  }

  @Test func `names of methods are listed`() {
    let module = Module(filePath: methods)
    var printed: [String] = []
    func print(_ text: String) { printed.append(text) }
    // guide
    do {
      // Note: methodNames() will load the program if not already loaded.
      let names = try module.methodNames()
      print("Available methods: \(names)") // Output: e.g., {"forward"}
    } catch {
      print("Could not get method names: \(error)")
    }
    // end
    #expect(printed.count == 1 && printed[0].contains("forward") && printed[0].contains("another_method"), "\(printed)")
  }

  @Test func `messages go to the system's log`() {
    let received = OSAllocatedUnfairLock(initialState: [OSLogRecord]())
    OSLogOutput.handler = { record in received.withLock { $0.append(record) } }
    defer { OSLogOutput.handler = nil }
    let sink = MyClass()
    for level in [LogLevel.debug, .info, .error, .fatal, .unknown] {
      sink.log(level: level, timestamp: 0, filename: "model.cpp", line: 7, message: "loaded \(level.rawValue)")
    }
    let records = received.withLock { $0 }.filter { $0.composedMessage.hasPrefix("model.cpp:7 loaded ") }
    #expect(records.map(\.level) == [.debug, .info, .error, .fault, .default])
    #expect(records.first?.composedMessage == "model.cpp:7 loaded \(LogLevel.debug.rawValue)")
  }
}

// guide
public class MyClass {
  public init() {
    #if DEBUG
    Log.shared.add(sink: self)
    #endif
  }
  deinit {
    #if DEBUG
    Log.shared.remove(sink: self)
    #endif
  }
}

#if DEBUG
extension MyClass: LogSink {
  public func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
    let logMessage = "\(filename):\(line) \(message)"
    switch level {
    case .debug:
      os_log(.debug, "%{public}@", logMessage)
    case .info:
      os_log(.info, "%{public}@", logMessage)
    case .error:
      os_log(.error, "%{public}@", logMessage)
    case .fatal:
      os_log(.fault, "%{public}@", logMessage)
    default:
      os_log("%{public}@", logMessage)
    }
  }
}
#endif
// end
