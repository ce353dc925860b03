// Trains the client's network, which is compiled first, and compares its loss before and after.
import CoreML
import Foundation

let source = URL(fileURLWithPath: CommandLine.arguments[2])
let compiled = try MLModel.compileModel(at: source)
copyIfNotExists(from: compiled, to: Models.trainedNeuralNetworkURL)
guard let model = Models.loadTrainedNeuralNetwork() else { fatalError("no model") }
let constraint = imageConstraint(model: model)
// Three of the model's own labels stand for the user's.
if let names = model.modelDescription.classLabels as? [String] {
  labels.internalLabelNames = names
  labels.labelNames = Array(names.prefix(3))
}
let trainer = NeuralNetworkTrainer(
  modelURL: Models.trainedNeuralNetworkURL, trainingDataset: ImageDataset(count: 24), validationDataset: ImageDataset(count: 9),
  imageConstraint: constraint)
let done = DispatchSemaphore(value: 0)
nonisolated(unsafe) var accuracies: [Double] = []
nonisolated(unsafe) var isCompleted = false
trainer.train(epochs: 5, learningRate: 0.001) { event in
  switch event {
  case .epochEnd(_, _, let accuracy): accuracies.append(accuracy)
  case .completed:
    isCompleted = true
    done.signal()
  case .error: done.signal()
  }
}
done.wait()
guard isCompleted, let written = Models.loadTrainedNeuralNetwork() else { fatalError("the training failed") }
let loader = ImageLoader(dataset: ImageDataset(count: 9), batchSize: 8, imageConstraint: constraint)
let (loss, accuracy) = Predictor(model: written).evaluate(loader: loader)
print("NeuralNetworkTrainer.swift: accuracies \(accuracies), of the written model \(accuracy) with loss \(loss)")
exit(accuracy > 0.9 ? 0 : 1)
