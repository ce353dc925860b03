package import MartletTensor

/// Several named arrays in NumPy's `.npz` format: a ZIP archive of `.npy` files.
package enum NumPyArchive {
  package struct Array: Sendable {
    /// The name without `.npy`.
    package var name: String
    package var tensor: HostTensor

    package init(name: String, tensor: HostTensor) {
      self.name = name
      self.tensor = tensor
    }
  }

  /// Default limit for the size, in bytes, of all arrays in deflated entries.
  package static let defaultMaximumByteCount = 1 << 34

  /// The arrays in the order of the archive; stored and deflated entries.
  /// - Parameter bfloat16Names: arrays whose `uint16` elements are bfloat16 bit patterns.
  /// - Parameter maximumByteCount: limit for the size of all deflated arrays. A small file can expand a thousandfold.
  package static func read(
    path: String, bfloat16Names: Set<String> = [], maximumByteCount: Int = defaultMaximumByteCount
  ) throws(MediaError) -> [Array] {
    try decode(
      FileContents.read(path: path), name: path, bfloat16Names: bfloat16Names, maximumByteCount: maximumByteCount)
  }

  /// Writes stored (uncompressed) entries.
  package static func write(_ arrays: [Array], path: String) throws(MediaError) {
    try FileContents.write(encode(arrays, name: path), path: path)
  }

  package static func decode(
    _ bytes: [UInt8], name: String, bfloat16Names: Set<String> = [], maximumByteCount: Int = defaultMaximumByteCount
  ) throws(MediaError) -> [Array] {
    let archive = try ZipArchive(bytes, name: name)
    var arrays: [Array] = []
    var left = maximumByteCount
    for entry in archive.entries where entry.name.hasSuffix(".npy") {
      let arrayName = String(entry.name.dropLast(4))
      let content = try archive.content(of: entry, maximumByteCount: left)
      left = max(left - content.count, 0)
      let tensor = try NumPyFile.decode(
        content, name: "\(name)(\(entry.name))", asBFloat16: bfloat16Names.contains(arrayName))
      arrays.append(Array(name: arrayName, tensor: tensor))
    }
    return arrays
  }

  package static func encode(_ arrays: [Array], name: String) throws(MediaError) -> [UInt8] {
    try ZipArchive.encode(arrays.map { ("\($0.name).npy", NumPyFile.encode($0.tensor)) }, name: name)
  }
}
