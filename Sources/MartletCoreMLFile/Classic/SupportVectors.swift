import MartletBytes
import MartletTensor

package enum SupportVectorKernel: Sendable, Equatable {
  /// x · y
  case linear
  /// exp(-gamma ‖x - y‖²)
  case rbf(gamma: Double)
  /// (gamma x · y + c)^degree
  case polynomial(degree: Int, c: Double, gamma: Double)
  /// tanh(gamma x · y + c)
  case sigmoid(gamma: Double, c: Double)
}

/// Vectors as rows of a matrix.
package struct SupportVectors: Sendable, Equatable {
  package enum Storage: Sendable, Equatable {
    /// Row-major.
    case dense(NumberTable<Double>)
    case sparse(SparseRows)
  }

  package let count: Int
  /// The length of the dense vectors, or one more than the largest column of the sparse ones.
  package let columnCount: Int
  package let storage: Storage

  /// Number of columns that sparse vectors may have.
  package static let maximumSparseColumns = 1 << 24
}

/// Rows that store only some columns; the values of others are 0.
package struct SparseRows: Sendable, Equatable {
  /// Row `r` has the entries from `starts[r]` to `starts[r + 1]`.
  package let starts: NumberTable<Int>
  /// Columns from 0, ascending within a row.
  package let columns: NumberTable<Int32>
  package let values: NumberTable<Double>

  /// One more than the largest column; nil if the tables are inconsistent.
  var checkedColumnCount: Int? {
    guard starts.first == 0, starts.last == columns.count, values.count == columns.count,
      zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 })
    else { return nil }
    var count = 0
    for row in 0..<starts.count - 1 {
      var last: Int32 = -1
      for entry in starts[row]..<starts[row + 1] {
        guard columns[entry] > last, columns[entry] < SupportVectors.maximumSparseColumns else { return nil }
        last = columns[entry]
      }
      count = max(count, Int(widening: last) + 1)
    }
    return count
  }
}

extension ClassicReader {
  func kernel(_ source: SpecKernel) throws(FileError) -> SupportVectorKernel {
    func positive(_ gamma: Double) throws(FileError) -> Double {
      guard gamma >= 0 else { throw error("kernel.gamma", "\(gamma) is negative or not a number") }
      return gamma
    }
    switch source.kernel {
    case .linearKernel: return .linear
    case .rbfKernel(let kernel): return .rbf(gamma: try positive(kernel.gamma))
    case .sigmoidKernel(let kernel): return .sigmoid(gamma: try positive(kernel.gamma), c: kernel.c)
    case .polyKernel(let kernel):
      guard kernel.degree >= 0 else { throw error("kernel.degree", "\(kernel.degree) is negative") }
      return .polynomial(degree: Int(widening: kernel.degree), c: kernel.c, gamma: try positive(kernel.gamma))
    case nil: throw error("kernel", "the kernel is missing")
    }
  }

  func vectors(_ source: SpecDenseSupportVectors) throws(FileError) -> SupportVectors {
    let vectors = source.vectors
    let (values, columnCount) = try flattened(vectors, field: "denseSupportVectors.vectors", row: \.values)
    return SupportVectors(count: vectors.count, columnCount: columnCount, storage: .dense(NumberTable(values)))
  }

  func vectors(_ source: SpecSparseSupportVectors) throws(FileError) -> SupportVectors {
    let vectors = source.vectors
    var starts = [0]
    var columns: [Int32] = []
    var values: [Double] = []
    var columnCount = 0
    starts.reserveCapacity(vectors.count)
    for (index, vector) in vectors.enumerated() {
      var nodes = vector.nodes
      for pair in zip(nodes, nodes.dropFirst()) where pair.0.index >= pair.1.index {
        nodes.sort { $0.index < $1.index }
        break
      }
      var last: Int32 = -1
      for node in nodes {
        func field() -> String {
          "sparseSupportVectors.vectors[\(index)].nodes[\(vector.nodes.lastIndex { $0.index == node.index } ?? 0)].index"
        }
        guard node.index >= 1 else { throw error(field(), "\(node.index) is not positive; indices count from 1") }
        guard node.index <= SupportVectors.maximumSparseColumns else {
          throw error(field(), "\(node.index) exceeds the limit of \(SupportVectors.maximumSparseColumns) columns")
        }
        // In range: the index is at least 1.
        let column = node.index - 1
        guard column != last else { throw error(field(), "\(node.index) occurs twice in the vector") }
        last = column
        columns.append(column)
        values.append(node.value)
      }
      columnCount = max(columnCount, Int(widening: last) + 1)
      starts.append(columns.count)
    }
    return SupportVectors(
      count: vectors.count, columnCount: columnCount,
      storage: .sparse(SparseRows(starts: NumberTable(starts), columns: NumberTable(columns), values: NumberTable(values))))
  }
}
