import CMartletAllocationCount
import ExecuTorch
import Foundation
import Martlet

/// Prints the cost of a call, in the engine and through `Module`: nanoseconds, and allocations of a warm call.
///
///     FaceOverhead MODEL.pte [RUNS]
///
/// The model's inputs must be float32 tensors of fixed shape.
let arguments = CommandLine.arguments
guard arguments.count >= 2 else { fatalError("usage: FaceOverhead MODEL.pte [RUNS]") }
let runs = arguments.count > 2 ? Int(arguments[2]) ?? 10_000 : 10_000

func measure(_ name: String, _ body: () throws -> Void) rethrows {
  for _ in 0..<(runs / 10 + 10) { try body() }
  var times: [Int64] = []
  times.reserveCapacity(runs)
  let before = martlet_allocation_count()
  for _ in 0..<runs {
    let start = ContinuousClock.now
    try body()
    times.append(start.duration(to: .now).components.attoseconds / 1_000_000_000)
  }
  let allocations = Double(martlet_allocation_count() - before) / Double(runs)
  times.sort()
  print("\(name): median \(times[runs / 2]) ns, smallest \(times[0]) ns, \(allocations) allocations per call")
}

let module = Module(filePath: arguments[1])
let metadata = try module.methodMetadata("forward")
let inputs = metadata.inputValueTags.indices.map { index in
  ExecuTorch.Tensor<Float>.ones(shape: metadata.inputTensorMetadata[index]?.shape ?? [])
}
let given: [any ValueConvertible] = inputs

var options = ModelOptions()
options.fileAccess = .read
let model = try Model(contentsOf: URL(fileURLWithPath: arguments[1]), options: options)
let values = try inputs.map { ModelValue.tensor(try Martlet.Tensor($0.scalars(), shape: $0.shape)) }
var results: [ModelValue] = []

try measure("Model.run(into:)") { try model.run(values, into: &results) }
try measure("Module.forward(inputs)") { _ = try module.forward(given) as [Value] }

for (index, input) in inputs.enumerated() { try module.setInput(input, at: index) }
for (index, output) in metadata.outputTensorMetadata {
  try module.setOutput(AnyTensor.zeros(shape: output.shape, dataType: output.dataType), at: index)
}
try measure("Module.forward(), inputs and outputs set") { _ = try module.forward() as [Value] }
