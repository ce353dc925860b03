import MartletBytes
import MartletTensor

/// Texts in a mapped file. They are checked as far as memory is concerned; one that is not UTF-8 has replacement characters.
@safe
package struct StoredTexts: RandomAccessCollection, Sendable {
  private let bytes: ByteView
  /// Where each text begins in the bytes, and where the last one ends.
  private let starts: NumberTable<UInt32>

  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count - 1 }

  /// - Throws: `FileError` if the texts do not lie one after the other within the bytes.
  init(bytes: ByteView, starts: NumberTable<UInt32>) throws(FileError) {
    var end: UInt32 = 0
    for start in starts {
      guard start >= end else { throw bytes.error(field: "data", "a text ends before its start") }
      end = start
    }
    guard !starts.isEmpty, end <= UInt64(clamping: bytes.count) else { throw bytes.error(field: "data", "a text exceeds the bytes of all") }
    self.bytes = bytes
    self.starts = starts
  }

  package subscript(position: Int) -> String {
    let (start, end) = (Int(widening: starts[position]), Int(widening: starts[position + 1]))
    // In range by the checks of the initialiser.
    let text = unsafe UnsafeRawBufferPointer(start: bytes.unsafeBaseAddress + start, count: end - start)
    return unsafe String(decoding: text, as: UTF8.self)
  }
}

/// A type of keys, with the form in which many of them are stored.
package protocol StoredKey: Comparable, Hashable, Sendable {
  associatedtype Stored: RandomAccessCollection & Sendable where Stored.Element == Self, Stored.Index == Int
}

extension String: StoredKey { package typealias Stored = StoredTexts }
extension Int64: StoredKey { package typealias Stored = NumberTable<Int64> }

/// Keys by position: a list, or keys in a mapped file with a list of their positions in ascending order, in which they are searched.
package struct KeyTable<Key: StoredKey>: RandomAccessCollection, Sendable {
  indirect enum Form: Sendable {
    case list([Key])
    case stored(Key.Stored, order: NumberTable<UInt32>)
  }

  let form: Form

  package init(_ keys: [Key]) { form = .list(keys) }

  /// - Throws: `FileError` if the order names positions that there are not.
  init(stored keys: Key.Stored, order: NumberTable<UInt32>, in file: ByteView) throws(FileError) {
    guard order.count == keys.count, order.allSatisfy({ $0 < UInt64(clamping: keys.count) }) else {
      throw file.error(field: "data", "the order of keys does not fit")
    }
    form = .stored(keys, order: order)
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int {
    switch form {
    case .list(let keys): keys.count
    case .stored(let keys, _): keys.count
    }
  }

  package subscript(position: Int) -> Key {
    switch form {
    case .list(let keys): keys[position]
    case .stored(let keys, _): keys[position]
    }
  }

  /// Finds positions of keys.
  var positions: KeyPositions<Key> { KeyPositions(self) }

  /// The positions in ascending order of their keys; that of the first of equal keys comes first.
  var order: [UInt32] { indices.sorted { (self[$0], $0) < (self[$1], $1) }.map { UInt32(clamping: $0) } }
}

extension KeyTable: Equatable {
  package static func == (a: KeyTable, b: KeyTable) -> Bool { a.elementsEqual(b) }
}

extension KeyTable: ExpressibleByArrayLiteral {
  package init(arrayLiteral keys: Key...) { self.init(keys) }
}

/// The positions of keys in a table. Of equal keys the first one counts.
struct KeyPositions<Key: StoredKey>: Sendable {
  /// Nil for a table that is searched in its file.
  private let places: [Key: Int]?
  private let table: KeyTable<Key>

  init(_ table: KeyTable<Key>) {
    self.table = table
    places =
      if case .list(let keys) = table.form { Dictionary(zip(keys, keys.indices), uniquingKeysWith: { $1 < $0 ? $1 : $0 }) } else { nil }
  }

  subscript(key: Key) -> Int? {
    guard case .stored(let keys, let order) = table.form else { return places?[key] }
    let place = order.partitioned { keys[Int(widening: order[$0])] >= key }
    guard place < order.count, keys[Int(widening: order[place])] == key else { return nil }
    return Int(widening: order[place])
  }
}

/// Values by key: a dictionary, or keys and values in a mapped file.
package struct MappingTable<Key: StoredKey, Value: StoredKey>: Sendable {
  indirect enum Form: Sendable {
    case dictionary([Key: Value])
    case stored(KeyPositions<Key>, Value.Stored)
  }

  let form: Form
  package let count: Int

  package init(_ dictionary: [Key: Value]) {
    form = .dictionary(dictionary)
    count = dictionary.count
  }

  /// - Throws: `FileError` if there are not as many values as keys.
  init(stored keys: KeyTable<Key>, _ values: Value.Stored, in file: ByteView) throws(FileError) {
    guard keys.count == values.count else {
      throw file.error(field: "data", "there are \(values.count) values for \(keys.count) keys")
    }
    form = .stored(keys.positions, values)
    count = keys.count
  }

  subscript(key: Key) -> Value? {
    switch form {
    case .dictionary(let dictionary): dictionary[key]
    case .stored(let positions, let values): positions[key].map { values[$0] }
    }
  }
}

extension MappingTable: Equatable {
  package static func == (a: MappingTable, b: MappingTable) -> Bool { a.dictionary == b.dictionary }

  /// All keys and values.
  var dictionary: [Key: Value] {
    switch form {
    case .dictionary(let dictionary): dictionary
    case .stored(let positions, let values): Dictionary(zip(positions.keys, values), uniquingKeysWith: { first, _ in first })
    }
  }
}

extension MappingTable: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral pairs: (Key, Value)...) { self.init(Dictionary(pairs, uniquingKeysWith: { first, _ in first })) }
}

extension KeyPositions {
  fileprivate var keys: KeyTable<Key> { table }
}

/// Keys of one of two types.
package enum Categories: Sendable, Equatable {
  case strings(KeyTable<String>)
  case integers(KeyTable<Int64>)

  package var count: Int {
    switch self {
    case .strings(let keys): keys.count
    case .integers(let keys): keys.count
    }
  }
}

/// The positions of categories. Of equal ones the first one counts.
package struct CategoryPositions: Sendable {
  private let strings: KeyPositions<String>?
  private let integers: KeyPositions<Int64>?

  package init(_ categories: Categories) {
    switch categories {
    case .strings(let keys): (strings, integers) = (keys.positions, nil)
    case .integers(let keys): (strings, integers) = (nil, keys.positions)
    }
  }

  package subscript(text: String) -> Int? { strings?[text] }
  package subscript(number: Int64) -> Int? { integers?[number] }
}

extension CategoricalMapping {
  /// The number that a text stands for; nil if the mapping gives none for it.
  package func integer(for text: String) -> Int64? {
    guard case .toIntegers(let table, let unknown) = self else { return nil }
    return table[text] ?? unknown
  }

  /// The text that a number stands for; nil if the mapping gives none for it.
  package func text(for number: Int64) -> String? {
    guard case .toStrings(let table, let unknown) = self else { return nil }
    return table[number] ?? unknown
  }
}
