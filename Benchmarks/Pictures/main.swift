import CMartletAllocationCount
import Foundation
import MartletPixels

// Prepares pictures as Benchmarks/pictures.py asks: a line on standard input is one run, whose milliseconds and allocations are the
// answer. The affinity mask of the process sets the number of threads.
//
//     jpeg FILE          a normalised tensor of a JPEG file
//     thumbnail FILE     a picture of at most 256 pixels, decoded at reduced size
//     draw FILE          an image, decoded before, into a bitmap of 640 x 640
//     scale FILE         the same with Core Image, to 224 pixels
//     matrix FILE        a colour matrix on the whole image
//     bgra, 420v         a frame of 1920 x 1080 as a tensor of 640 x 640
//     predict MODEL      a prediction on a pixel buffer of the model's size
//     vision MODEL       a request on that buffer
//     frame MODEL        a request on a frame of 1920 x 1080

let frames = Frames()
let drawings = Drawings()
let requests = Requests()

@MainActor func run(_ command: String, _ file: String) throws -> () throws -> Void {
  switch command {
  case "jpeg": return { try Files.classifierInput(file) }
  case "thumbnail": return { try Files.thumbnail(file) }
  case "draw": return try drawings.drawing(file)
  case "scale": return try drawings.scaling(file)
  case "matrix": return try drawings.colorMatrix(file)
  case "bgra": return { frames.detectorInput(.bgra8) }
  case "420v": return { frames.detectorInput(.yCbCr420VideoRange8) }
  case "predict": return try requests.prediction(file)
  case "vision": return try requests.request(file, isFrame: false)
  case "frame": return try requests.request(file, isFrame: true)
  default: throw Failure(description: "no run is called \(command)")
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

while let line = readLine() {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  let run = try run(words[0], words.count > 1 ? words[1] : "")
  let before = martlet_allocation_count()
  let time = try ContinuousClock().measure(run)
  let allocations = martlet_allocation_count() - before
  print(Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3, allocations)
  fflush(nil)
}
