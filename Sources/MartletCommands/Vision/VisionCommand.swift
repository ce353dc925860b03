import ArgumentParser
import FoundationEssentials
import MartletSystem
import Martlet
import MartletBytes
import MartletMedia
import MartletPixels
import MartletVision

struct VisionCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "vision",
    abstract: "Shows what a Core ML model says about pictures.",
    discussion: """
      Prints objects with their boxes, classes, or the model's other outputs, as the module Vision gives them. Boxes are in pixels of \
      the upright picture, from its upper left corner.

      --output draws boxes, masks and heat maps into a copy of the picture; for several pictures it names a folder.
      """)

  enum Scale: String, ExpressibleByArgument, CaseIterable {
    case crop, fit, fill
    case fitTurned = "fit-turned"
    case fillTurned = "fill-turned"

    var action: PictureMapping.Action {
      switch self {
      case .crop: .centerCrop
      case .fit: .scaleFit
      case .fill: .scaleFill
      case .fitTurned: .scaleFitTurned
      case .fillTurned: .scaleFillTurned
      }
    }
  }

  @Argument(help: ArgumentHelp("A Core ML model that takes a picture (.mlpackage, .mlmodel, .mlmodelc).", valueName: "model"))
  var model: String

  @Argument(help: ArgumentHelp("Pictures (.png, .jpg, .heic, .webp, .ppm).", valueName: "picture"))
  var pictures: [String]

  @Option(
    help: """
      How a picture comes to have the model's size: its middle (crop), all of it between bars (fit), stretched (fill), or these two turned.
      """)
  var scale = Scale.crop

  @Option(help: ArgumentHelp("The part to look at, from 0 to 1, from the lower left: x, y, width, height.", valueName: "x,y,w,h"))
  var region: NumberList?

  @Option(help: "Number of classes, and of numbers of an output, to show.")
  var top = 5

  @Option(help: ArgumentHelp("Where the picture with what was found is written, as PNG.", valueName: "path"))
  var output: String?

  @Option(help: "Threads to compute with; without it one for each processor that the process may use.")
  var threads: Int?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var limits: LimitOptions

  @OptionGroup var files: FileOptions

  func validate() throws {
    if top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1, not \(threads).") }
    if let region, region.numbers.count != 4 { throw ValidationError("--region has four numbers: x, y, width, height.") }
  }

  func run() throws {
    var options = limits.begin(reading: files)
    options.threads = threads
    try requireFile(model)
    let observer = try PictureObserver(ModelAsset(contentsOf: URL(fileURLWithPath: model), options: options), options: options)
    let numbers = region?.numbers.map { Double($0) } ?? [0, 0, 1, 1]
    let box = NormalizedBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    var reports: [ObservationReport] = []
    for path in pictures {
      let picture = try Picture(contentsOf: URL(fileURLWithPath: path))
      let (observations, mapping) = try observer.observations(in: picture, region: box, action: scale.action)
      let drawn = try output.map { try draw(observations, into: picture, mapping, from: path, to: $0) }
      reports.append(ObservationReport(path: path, observations: observations, mapping: mapping, top: top, drawn: drawn))
    }
    if json {
      print(JSONValue.members(["model": .string(model), "pictures": .array(reports.map(\.json))]).text)
    } else {
      print(reports.map(\.text).joined(separator: "\n\n"))
    }
  }

  /// - Returns: the path of the written file.
  private func draw(
    _ observations: [Observation], into picture: Picture, _ mapping: PictureMapping, from path: String, to output: String
  ) throws -> String {
    var drawing = ObservationDrawing(picture, mapping)
    if drawing.draw(observations) == 0, observations.allSatisfy({ if case .classification = $0 { true } else { false } }) {
      throw CommandFailure("--output: classes have no place in the picture, so that there is nothing to draw")
    }
    var target = output
    if pictures.count > 1 {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
      target = URL(fileURLWithPath: output).appendingPathComponent("\(name).png").path
    }
    try drawing.picture.image.write(path: target)
    return target
  }
}
