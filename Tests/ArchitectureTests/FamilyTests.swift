import Foundation
import Testing

/// The folders of operators and kernels are the families of the table in Documentation/Architecture.md.
struct FamilyTests {
  /// A row of the table.
  private struct Family {
    var name: String
    var hasOperators: Bool
    var hasKernels: Bool
    /// The folder of C kernels; empty if there is none.
    var cFolder: String
    var headers: Set<String>
  }

  private let families: [Family]

  init() throws {
    let page = try Sources.text("Documentation/Architecture.md")
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("| Family |") })
    families = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let headers = cells[4].matches(of: /`([^`]+)`/).map { String($0.1) }
      return Family(
        name: cells[0], hasOperators: !cells[1].isEmpty, hasKernels: !cells[2].isEmpty,
        cFolder: cells[3].trimmingCharacters(in: CharacterSet(charactersIn: "`")), headers: Set(headers))
    }
    try #require(families.count > 20)
  }

  /// Names of the folders in a folder.
  private func folders(_ path: String) throws -> Set<String> {
    let place = Sources.root.appendingPathComponent(path)
    let entries = try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: [.isDirectoryKey])
    return Set(try entries.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent))
  }

  @Test func `operators and kernels are in the table's folders`() throws {
    #expect(try folders("Sources/MartletOps") == Set(families.filter(\.hasOperators).map(\.name)))
    #expect(try folders("Sources/MartletKernels") == Set(families.filter(\.hasKernels).map(\.name)))
    let names = Set(families.map(\.name))
    for other in ["Sources/MartletVocabulary", "Tests/MartletOpsTests", "Tests/MartletKernelsTests"] {
      #expect(try folders(other).subtracting(names).isEmpty, "\(other) has folders that are not families")
    }
  }

  @Test func `C kernels have their family's name in snake case`() throws {
    for family in families where !family.cFolder.isEmpty {
      #expect(family.cFolder == family.name.replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased())
      #expect(family.hasKernels && !family.headers.isEmpty, "\(family.name)")
    }
    let listed = Set(families.map(\.cFolder)).subtracting([""])
    #expect(try folders("Sources/CMartletKernels") == listed.union(["include", "simd"]))
    let include = Sources.root.appendingPathComponent("Sources/CMartletKernels/include")
    let headers = Set(try FileManager.default.contentsOfDirectory(atPath: include.path))
    #expect(headers == families.reduce(into: ["CMartletKernels.h", "martlet_dtype.h"]) { $0.formUnion($1.headers) })
  }
}
