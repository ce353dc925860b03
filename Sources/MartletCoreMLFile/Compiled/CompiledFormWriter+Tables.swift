import MartletBytes
import MartletTensor

/// Tables of classic models.
extension CompiledFormWriter {
  mutating func append(_ tables: StoredTables) {
    switch tables {
    case .vectors(let vectors, let coefficients):
      switch vectors.storage {
      case .dense(let values):
        append(.denseVectors)
        body.append(vectors.count)
        body.append(vectors.columnCount)
        append(values)
      case .sparse(let rows):
        append(.sparseVectors)
        append(rows.starts)
        append(rows.columns)
        append(rows.values)
      }
      append(coefficients)
    case .samples(let samples, let count):
      append(.samples)
      body.append(count)
      append(samples)
    case .categories(.strings(let keys)):
      append(.strings)
      append(keys: keys)
    case .categories(.integers(let keys)):
      append(.integers)
      append(keys: keys)
    case .toIntegers(let table):
      append(.stringsToIntegers)
      let pairs = table.pairs
      append(keys: KeyTable(pairs.map(\.key)))
      append(NumberTable(pairs.map(\.value)))
    case .toStrings(let table):
      append(.integersToStrings)
      let pairs = table.pairs
      append(keys: KeyTable(pairs.map(\.key)))
      append(texts: pairs.map(\.value))
    case .similarities(let table):
      append(.similarities)
      switch table.items {
      case nil: body.append(CompiledForm.NamesTag.none.rawValue)
      case .strings(let keys)?:
        body.append(CompiledForm.NamesTag.strings.rawValue)
        append(keys: keys)
      case .integers(let keys)?:
        body.append(CompiledForm.NamesTag.integers.rawValue)
        append(keys: keys)
      }
      append(table.baseItems)
      append(table.shifts)
      append(table.starts)
      append(table.similarItems)
      append(table.similarities)
    }
  }

  private mutating func append(_ tag: CompiledForm.TableTag) { body.append(tag.rawValue) }

  private mutating func append<Element>(_ numbers: NumberTable<Element>) {
    unsafe numbers.withUnsafeBytes { bytes in
      body.append(bytes.count)
      unsafe append(aligned: bytes)
    }
  }

  private mutating func append(texts: some Sequence<String>) {
    var bytes: [UInt8] = []
    var starts: [UInt32] = [0]
    for text in texts {
      bytes += text.utf8
      // In range: a message has less than 2^31 bytes.
      starts.append(UInt32(clamping: bytes.count))
    }
    append(NumberTable(bytes))
    append(NumberTable(starts))
  }

  private mutating func append(keys: KeyTable<String>) {
    append(texts: keys)
    append(NumberTable(keys.order))
  }

  private mutating func append(keys: KeyTable<Int64>) {
    append(NumberTable(Array(keys)))
    append(NumberTable(keys.order))
  }
}

extension MappingTable {
  /// The keys in ascending order, with their values.
  fileprivate var pairs: [(key: Key, value: Value)] { dictionary.sortedByKey }
}
