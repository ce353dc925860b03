// Trains the client's network with digits that the script makes, as its buttons do.
import CoreML
import Foundation
import UIKit

func wait(_ what: String, _ condition: () -> Bool) {
  let end = Date(timeIntervalSinceNow: 600)
  while !condition() {
    guard Date() < end else { fatalError("no \(what)") }
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
  }
}

let client = MNIST()
client.asyncPrepareTrainBatchProvider()
wait("samples") { client.trainingBatchProvider != nil }
client.asyncPreparePredictionBatchProvider()
wait("samples") { client.predictionBatchProvider != nil }
client.prepareModel()
client.compileModel()
client.trainModel()
wait("training") { client.modelTrained || client.modelStatus.contains("Failed") }
precondition(client.modelTrained, client.modelStatus)
client.testModel()
let accuracy = Double(client.accuracy.split(separator: " ").last ?? "") ?? 0
print("MNIST.swift: \(client.accuracy) of \(client.predictionLabels.count) samples")
exit(accuracy > 0.9 ? 0 : 1)
