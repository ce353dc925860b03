import MartletMedia
import MartletTensor

/// Runs recorded cases against an engine.
package struct CaseRunner: Sendable {
  package typealias Loader = @Sendable (RecordedCase) throws -> any CaseModel

  private let concurrency: Int
  private let load: Loader

  /// - Parameters:
  ///   - concurrency: number of cases to run at once, at least 1.
  ///   - load: loads the model of a case (`modelPath`) with its data files.
  package init(concurrency: Int, load: @escaping Loader) {
    self.concurrency = max(1, concurrency)
    self.load = load
  }

  /// Runs every case at or below the paths; a case below two of them runs once.
  /// - Parameter filter: run only cases whose folder contains this text.
  /// - Throws: if there is no case at or below a path.
  package func run(paths: [String], filter: String? = nil) async throws(CaseError) -> CaseReport {
    var folders: Set<String> = []
    for path in paths { folders.formUnion(try RecordedCase.folders(under: path)) }
    return await run(folders: folders.filter { folder in filter.map { folder.contains($0) } ?? true })
  }

  /// Runs the cases in these folders, several at a time. The report is sorted by path.
  package func run(folders: some Sequence<String>) async -> CaseReport {
    var pending = folders.sorted()[...]
    var results: [CaseResult] = []
    await withTaskGroup(of: CaseResult.self) { group in
      var running = 0
      while running > 0 || !pending.isEmpty {
        while running < concurrency, let folder = pending.popFirst() {
          group.addTask { self.result(folder: folder) }
          running += 1
        }
        if let result = await group.next() {
          results.append(result)
          running -= 1
        }
      }
    }
    return CaseReport(results: results)
  }

  /// Runs one case.
  package func result(folder: String) -> CaseResult {
    let recorded: RecordedCase
    do throws(CaseError) {
      recorded = try RecordedCase(folder: folder)
    } catch {
      return CaseResult(path: folder, name: "", family: "", failures: [CaseFailure(.malformedCase, "\(error)")])
    }
    var failures = failures(of: recorded)
    for path in recorded.alternativeModelPaths {
      let file = path.split(separator: "/").last.map(String.init) ?? path
      failures += self.failures(of: recorded.using(modelPath: path)).map { failure in
        CaseFailure(failure.kind, place: failure.place.isEmpty ? file : "\(file) \(failure.place)", failure.message)
      }
    }
    return CaseResult(path: folder, name: recorded.name, family: recorded.family, failures: failures)
  }

  private func failures(of recorded: RecordedCase) -> [CaseFailure] {
    // Files are read first: an unreadable input is a defect of the case, not the error that the case may expect.
    let steps: [ReadStep]
    do throws(MediaError) {
      steps = try ReadStep.read(recorded)
    } catch {
      return [CaseFailure(.malformedCase, "\(error)")]
    }
    let model: any CaseModel
    do {
      model = try load(recorded)
    } catch {
      return recorded.expectation == .outputs ? [CaseFailure(.load, "\(error)")] : []
    }
    let comparison = CaseComparison(tolerance: recorded.tolerance, distribution: recorded.distribution)
    var failures: [CaseFailure] = []
    for (index, step) in steps.enumerated() {
      let place = steps.count > 1 ? "step \(index)" : ""
      do {
        failures += try step.run(on: model, comparison: comparison, place: place)
      } catch {
        // Later steps depend on the state that this step would have left.
        return recorded.expectation == .outputs ? failures + [CaseFailure(.run, place: place, "\(error)")] : []
      }
    }
    switch recorded.expectation {
    case .outputs: return failures + model.generationFailures(of: recorded)
    case .error: return [CaseFailure(.noError, "an error was expected, but loading and running succeeded")]
    case .any: return []
    }
  }
}

/// A step with its files read.
private struct ReadStep {
  enum Arguments {
    case positional([CaseValue])
    case named([NamedCaseValue])
  }

  var method: String?
  var inputs: Arguments
  /// nil if outputs are not compared.
  var outputs: Arguments?

  static func read(_ recorded: RecordedCase) throws(MediaError) -> [ReadStep] {
    var steps: [ReadStep] = []
    for step in recorded.steps {
      var outputs: Arguments?
      if recorded.expectation == .outputs, let expected = step.outputs { outputs = try read(expected, recorded.folder) }
      steps.append(ReadStep(method: step.method, inputs: try read(step.inputs, recorded.folder), outputs: outputs))
    }
    return steps
  }

  private static func read(_ arguments: RecordedCase.Arguments, _ folder: String) throws(MediaError) -> Arguments {
    switch arguments {
    case .positional(let entries):
      var values: [CaseValue] = []
      for entry in entries { values.append(try entry.value(folder: folder)) }
      return .positional(values)
    case .named(let entries):
      var values: [NamedCaseValue] = []
      for entry in entries { values.append(NamedCaseValue(entry.name, try entry.entry.value(folder: folder))) }
      return .named(values)
    }
  }

  /// - Returns: the differences in the outputs.
  func run(on model: any CaseModel, comparison: CaseComparison, place: String) throws -> [CaseFailure] {
    let prefix = place.isEmpty ? "" : "\(place) "
    switch inputs {
    case .positional(let inputs):
      let actual = try model.run(method: method, inputs: inputs)
      guard let outputs else { return [] }
      guard case .positional(let expected) = outputs else { throw NamedArgumentsUnsupported() }
      guard actual.count == expected.count else {
        return [CaseFailure(.outputs, place: place, "\(actual.count) outputs, expected \(expected.count)")]
      }
      return zip(actual, expected).enumerated().flatMap { index, pair in
        comparison.failures(actual: pair.0, expected: pair.1, place: "\(prefix)output \(index)")
      }
    case .named(let inputs):
      var expected: [NamedCaseValue] = []
      if let outputs {
        guard case .named(let values) = outputs else { throw NamedArgumentsUnsupported() }
        expected = values
      }
      let actual = try model.run(method: method, inputs: inputs, outputs: expected.map(\.name))
      return expected.flatMap { output in
        let outputPlace = "\(prefix)output '\(output.name)'"
        guard let value = actual[output.name] else {
          return [CaseFailure(.outputs, place: outputPlace, "is missing")]
        }
        return comparison.failures(
          actual: value.shaped(like: output.value, ignoringUnits: model.ignoresUnitExtents), expected: output.value, place: outputPlace)
      }
    }
  }
}

extension CaseValue {
  /// A Core ML feature with a single number has rank 0 or 1, depending on the source: the expected rank is used.
  /// - Parameter ignoringUnits: true if shapes that differ only in extents of 1 are equal.
  fileprivate func shaped(like expected: CaseValue, ignoringUnits: Bool) -> CaseValue {
    guard case .tensor(let own, let order) = self, case .tensor(let other, _) = expected else { return self }
    let isNumber = own.elementCount == 1 && other.elementCount == 1 && own.shape.count <= 1 && other.shape.count <= 1
    let agrees = ignoringUnits && own.shape.filter { $0 != 1 } == other.shape.filter { $0 != 1 }
    guard isNumber || agrees, let same = HostTensor(dtype: own.dtype, shape: other.shape, bytes: own.bytes) else { return self }
    return .tensor(same, dimOrder: order)
  }
}
