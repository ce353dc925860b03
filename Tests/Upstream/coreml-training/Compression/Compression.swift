@_exported import Foundation

public enum FilterOperation { case compress, decompress }
public enum Algorithm { case lzfse }

/// Hands its input on: the samples that the script makes are not compressed.
public final class OutputFilter {
  private let output: (Data?) throws -> Void

  public init(
    _ operation: FilterOperation, using algorithm: Algorithm, bufferCapacity: Int = 65536,
    writingTo output: @escaping (Data?) throws -> Void
  ) throws {
    self.output = output
  }

  public func write(_ data: Data) throws { try output(data.isEmpty ? nil : data) }
}
