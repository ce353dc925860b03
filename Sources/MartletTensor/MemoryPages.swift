import MartletSystem

/// Sizes of the system's memory pages.
package enum MemoryPages {
  /// Size of a page in bytes.
  package static let byteCount = max(Int(widening: sysconf(Int32(_SC_PAGESIZE))), 1)

  /// Size in bytes of a large page, which Linux composes of many small ones: 2 MiB with pages of 4 KiB, 512 MiB with pages of 64 KiB.
  package static let largeByteCount: Int = {
    #if os(Linux)
      let reported = SystemFile.text("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
    #else
      let reported: String? = nil
    #endif
    return largeByteCount(reported: reported, pageByteCount: byteCount)
  }()

  /// Size in bytes of a piece in which large memory is taken from the system: a large page, unless these are too large for that.
  package static let pieceByteCount = pieceByteCount(largeByteCount: largeByteCount)

  /// - Parameter reported: text in which the system reports the size of a large page. Otherwise it is what one page of page table entries
  ///   maps, which take 8 bytes each.
  package static func largeByteCount(reported: String?, pageByteCount: Int) -> Int {
    let usual = (Extent(pageByteCount) * (pageByteCount / 8)).clamped
    guard let count = reported?.lines.first.flatMap({ Int($0, radix: 10) }) else { return usual }
    return count >= pageByteCount && count.nonzeroBitCount == 1 ? count : usual
  }

  package static func pieceByteCount(largeByteCount: Int) -> Int { min(largeByteCount, 4 << 20) }
}
