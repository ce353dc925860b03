import Foundation
import Testing

/// The documentation's pages, whose code tests run.
enum Pages {
  /// The repository.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Expects that a page shows the code that a file of tests has between the marks `// page: NAME` and `// end`, and no other. Imports,
  /// which a function cannot have, must be among those of the file.
  static func check(_ path: String, page: String, testedIn file: String) throws {
    let article = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    let tests = try String(contentsOfFile: file, encoding: .utf8)
    let imports = Set(tests.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("import ") })
    let shown = pieces(of: article, from: { $0 == "```swift" }, to: { $0 == "```" }).map { piece in
      let lines = piece.split(separator: "\n", omittingEmptySubsequences: false)
      let head = lines.prefix { $0.hasPrefix("import ") }
      for line in head { #expect(imports.contains(line), "\(path) has \(line), which its tests lack") }
      return lines.dropFirst(head.count).drop { $0.isEmpty && !head.isEmpty }.joined(separator: "\n")
    }
    let tested = pieces(of: tests, from: { $0 == "// page: \(page)" }, to: { $0 == "// end" })
    #expect(!shown.isEmpty && shown.sorted() == tested.sorted())
  }

  /// The pieces of a text between lines with the marks, each without its indentation.
  private static func pieces(of text: String, from start: (Substring) -> Bool, to end: (Substring) -> Bool) -> [String] {
    var pieces: [String] = []
    var lines: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let bare = line.drop { $0 == " " }
      if let found = lines, end(bare) {
        let indent = found.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        pieces.append(found.map { String($0.dropFirst(indent)) }.joined(separator: "\n"))
        lines = nil
      } else if start(bare) {
        lines = []
      } else {
        lines?.append(line)
      }
    }
    return pieces
  }
}
