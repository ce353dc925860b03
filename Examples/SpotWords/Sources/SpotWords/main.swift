import CoreML

// SpotWords [RECORDING.wav]

let arguments = CommandLine.arguments
let file = arguments.count > 1 ? URL(fileURLWithPath: arguments[1]) : Bundle.main.url(forResource: "commands", withExtension: "wav")!
guard let recording = try Recording(contentsOf: file), recording.rate == 8000 else {
  fatalError("\(file.path) is no WAV file of 8000 samples a second, 16 bits and one channel")
}

let model = try Words(configuration: MLModelConfiguration())
let metadata = model.model.modelDescription.metadata[.creatorDefinedKey] as? [String: String]
let words = metadata?["words"]?.components(separatedBy: ",") ?? []

// The state keeps what the model has heard: each prediction gets only the next 20 ms.
let state = model.makeState()
let step = 160
var averages = [Float](repeating: 0, count: words.count + 1)
var heard: Int?
for start in stride(from: 0, through: recording.samples.count - step, by: step) {
  let samples = MLShapedArray(scalars: recording.samples[start..<start + step], shape: [1, step])
  let probabilities = try model.prediction(input: WordsInput(samples: samples), using: state).probabilitiesShapedArray.scalars
  averages = zip(averages, probabilities).map { 0.7 * $0 + 0.3 * $1 }

  // A word is reported once, when its average rises.
  let best = averages.indices.max { averages[$0] < averages[$1] } ?? 0
  if best > 0, averages[best] > 0.7, heard != best {
    heard = best
    print(String(format: "%.1f s  ", Double(start + step) / Double(recording.rate)) + words[best - 1])
  } else if averages[0] > 0.7 {
    heard = nil
  }
}
