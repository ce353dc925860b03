package import MartletBytes

/// The result of one case.
package struct CaseResult: Sendable, Equatable {
  /// The path of the case's folder.
  package var path: String
  /// Empty if `case.json` could not be read.
  package var name: String
  package var family: String
  /// Empty if the case passed.
  package var failures: [CaseFailure]

  package var passed: Bool { failures.isEmpty }

  package init(path: String, name: String, family: String, failures: [CaseFailure]) {
    self.path = path
    self.name = name
    self.family = family
    self.failures = failures
  }
}

/// The results of all cases, sorted by path.
package struct CaseReport: Sendable, Equatable {
  package let results: [CaseResult]
  package let passedCount: Int
  package var failedCount: Int { results.count - passedCount }

  package init(results: [CaseResult]) {
    self.results = results.sorted { $0.path < $1.path }
    passedCount = results.count { $0.passed }
  }

  /// `N passed, N failed`.
  package var summary: String { "\(passedCount) passed, \(failedCount) failed" }

  /// One line for each failed case, followed by the summary.
  package var text: String {
    var lines = results.filter { !$0.passed }.map { result in
      let rest = result.failures.count > 1 ? " (and \(result.failures.count - 1) more)" : ""
      return "FAIL \(result.path): \(result.failures[0])\(rest)"
    }
    lines.append(summary)
    return lines.joined(separator: "\n")
  }

  /// An object with the counts `passed` and `failed`, and `cases`: for each case its `path`, `name`, `family`, `status` and, if it
  /// failed, `failures` with `kind`, `place` and `message`.
  package var json: JSONValue {
    let cases = results.map { result in
      var members: [JSONValue.Member] = [
        .init("path", .string(result.path)), .init("name", .string(result.name)), .init("family", .string(result.family)),
        .init("status", .string(result.passed ? "passed" : "failed")),
      ]
      if !result.passed {
        let failures = result.failures.map { failure in
          JSONValue.object([
            .init("kind", .string(failure.kind.rawValue)), .init("place", .string(failure.place)),
            .init("message", .string(failure.message)),
          ])
        }
        members.append(.init("failures", .array(failures)))
      }
      return JSONValue.object(members)
    }
    return .object([
      .init("passed", .integer(passedCount)), .init("failed", .integer(failedCount)), .init("cases", .array(cases)),
    ])
  }
}
