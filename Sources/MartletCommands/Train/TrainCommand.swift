import ArgumentParser
import FoundationEssentials
import MartletSystem
import Martlet

struct TrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "train",
    abstract: "Trains an updatable Core ML model.",
    discussion: """
      Neural networks with updatable layers and classifiers by nearest neighbours can be trained, also at the end of a pipeline. \
      `martlet inspect MODEL` shows what can be. Examples:

        martlet train digits.mlmodel --data digits.csv --output trained.mlmodel --epochs 20
        martlet train pets.mlmodel --data photographs --test others --output trained.mlmodel
      """)

  @Argument(help: ArgumentHelp("The model: .mlmodel, .mlpackage or .mlmodelc.", valueName: "model"))
  var path: String

  @Option(
    help: ArgumentHelp(
      "The samples.",
      discussion: """
        A .csv file with a column for each feature, and NAME[0], NAME[1] ... for the elements of an array. Or a .npz file, or a folder with \
        NAME.npy for each feature, whose first axes are those of the samples. Or, for a classifier of pictures, a folder with a folder of \
        pictures for each label.
        """, valueName: "folder or file"))
  var data: String

  @Option(help: ArgumentHelp("Samples to measure the trained classifier with, as --data.", valueName: "folder or file"))
  var test: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("The trained model: .mlmodel, .mlpackage or .mlmodelc.", valueName: "path"))
  var output: String?

  @Option(help: "Passes over the samples; default: the model's.")
  var epochs: Int?

  @Option(help: ArgumentHelp("Samples in a step; default: the model's.", valueName: "count"))
  var batchSize: Int?

  @Option(help: ArgumentHelp("Factor of the change of weights; default: the model's.", valueName: "rate"))
  var learningRate: Double?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Another parameter, such as momentum=0.9, shuffle=true or seed=1; may be repeated.", valueName: "name=value"))
  var settings: [String] = []

  @Option(help: "Threads to compute with; without it one for each processor that the process may use.")
  var threads: Int?

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1, not \(threads).") }
  }

  func run() throws {
    try requireFile(path)
    var options = limits.begin(reading: files)
    options.threads = threads
    let trainer = try Trainer(contentsOf: URL(fileURLWithPath: path), options: options)
    try setParameters(of: trainer)
    let samples = try SampleFiles(path: data, for: trainer)
    let tests = try test.map { try SampleFiles(path: $0, for: trainer) }
    let start = ContinuousClock.now
    try trainer.train(on: samples.data) { event in
      guard event.kind == .epochEnd, let loss = event.loss else { return }
      print("epoch \(event.epoch + 1): loss \(Formatting.fixed(loss, 6))")
    }
    let seconds = (ContinuousClock.now - start).seconds
    print("trained with \(Formatting.count(samples.data.count, "sample")) in \(Formatting.fixed(seconds, 2)) s")
    if let tests, let accuracy = try tests.accuracy(of: trainer.makeModel()) {
      print("accuracy \(Formatting.fixed(accuracy, 4)) of \(Formatting.count(tests.data.count, "sample"))")
    }
    if let output {
      try trainer.write(to: URL(fileURLWithPath: output))
      print("stored in \(output)")
    }
  }

  private func setParameters(of trainer: Trainer) throws {
    if let epochs { try trainer.set(.epochs, to: .int(epochs)) }
    if let batchSize { try trainer.set(.miniBatchSize, to: .int(batchSize)) }
    if let learningRate { try trainer.set(.learningRate, to: .double(learningRate)) }
    for setting in settings {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let name = TrainingParameter.Name(rawValue: parts[0]) else {
        let names = TrainingParameter.Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure("--set takes NAME=VALUE with one of the names \(names), not '\(setting)'")
      }
      if let integer = Int(parts[1], radix: 10) {
        try trainer.set(name, to: .int(integer))
      } else if let number = Double(parts[1]) {
        try trainer.set(name, to: .double(number))
      } else if let truth = Bool(parts[1]) {
        try trainer.set(name, to: .bool(truth))
      } else {
        throw CommandFailure("--set \(parts[0]): '\(parts[1])' is not a number")
      }
    }
  }
}
