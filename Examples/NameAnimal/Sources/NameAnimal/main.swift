import CoreML

// NameAnimal [PICTURE]

let arguments = CommandLine.arguments
let photo = arguments.count > 1 ? URL(fileURLWithPath: arguments[1]) : Bundle.main.url(forResource: "cat", withExtension: "jpg")!

let model = try Animals(configuration: MLModelConfiguration())
let output = try model.prediction(input: AnimalsInput(imageAt: photo))

print("\(photo.lastPathComponent): \(output.classLabel)")
for (label, probability) in output.classLabel_probs.sorted(by: { $0.value > $1.value }).prefix(3) {
  print(String(format: "%5.1f %% ", 100 * probability) + label)
}
