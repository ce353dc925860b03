import Foundation

/// Which modules a target, or a folder of one, may import.
struct ImportRule: Equatable {
  var layer: Int
  /// A target's name, or a folder of its sources, such as `MartletCompiler/Passes`.
  var place: String
  var imports: Set<String>

  var isFolder: Bool { place.contains("/") }
}

/// The package's sources, manifest and documentation as text.
enum Sources {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }

  /// The rules in a page's table with the columns `Layer`, `Target` and `Imports`.
  static func rules(_ page: String) -> [ImportRule] {
    var columns: [String]?
    var rules: [ImportRule] = []
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        columns = nil
        continue
      }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let header = columns else {
        columns = cells
        continue
      }
      guard let layer = header.firstIndex(of: "Layer"), let target = header.firstIndex(of: "Target"),
        let imports = header.firstIndex(of: "Imports"), cells.count == header.count, let number = Int(cells[layer])
      else { continue }
      for place in quoted(cells[target]) {
        rules.append(ImportRule(layer: number, place: place, imports: Set(quoted(cells[imports]))))
      }
    }
    return rules
  }

  /// The pieces of a text that stand between back quotes.
  private static func quoted(_ text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Modules imported by the Swift files below `folder`, without those of the system: file by file, as paths from the root.
  static func imports(below folder: String, withSystem: Bool = false) -> [(file: String, modules: Set<String>)] {
    let system: Set = ["CoreFoundation", "Darwin", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Synchronization"]
    let place = root.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return files.filter { $0.pathExtension == "swift" }.compactMap { url in
      guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
      return (String(url.path.dropFirst(root.path.count + 1)), modules(of: text).subtracting(withSystem ? [] : system))
    }
  }

  /// Modules that a Swift file imports.
  static func modules(of text: String) -> Set<String> {
    let line = /(?m)^[ \t]*(?:@\w+ )*(?:\w+ )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)/
    return Set(text.matches(of: line).map { String($0.1) })
  }

  /// Each library or executable target of a manifest with its folder and dependencies.
  static func targets(_ manifest: String) -> [(name: String, folder: String, dependencies: Set<String>)] {
    manifest.matches(of: /(?m)^[^\/\n]*?(layer|\.target|\.executableTarget)\(/).compactMap { match in
      let call = balanced(manifest[match.range.upperBound...])
      let isLayer = match.1 == "layer"
      guard let name = call.firstMatch(of: isLayer ? /^\s*"(\w+)"/ : /name: "(\w+)"/)?.1 else { return nil }
      var list = isLayer ? call.dropFirst(name.count + 2) : ""
      if !isLayer, let start = call.firstMatch(of: /dependencies: \[/) { list = balanced(call[start.range.upperBound...]) }
      let dependencies = list.replacing(/package: "[^"]*"/, with: "").matches(of: /"(\w+)"/).map { String($0.1) }
      let folder = call.firstMatch(of: /path: "([^"]*)"/).map { String($0.1) } ?? "Sources/\(name)"
      return (String(name), folder, Set(dependencies).subtracting([String(name)]))
    }
  }

  /// The text up to the bracket that closes the one before it.
  private static func balanced(_ text: Substring) -> Substring {
    var depth = 1
    let end = text.firstIndex { character in
      if "([".contains(character) { depth += 1 }
      if ")]".contains(character) { depth -= 1 }
      return depth == 0
    }
    return text[..<(end ?? text.endIndex)]
  }
}
