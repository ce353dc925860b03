#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Sizes of the system's memory pages.
package enum MemoryPages {
  /// Size of a page in bytes.
  package static let byteCount = max(Int(widening: sysconf(Int32(_SC_PAGESIZE))), 1)

  /// Size in bytes of a large page, which Linux composes of many small ones. 2 MiB if the system does not report it: the size on x86-64,
  /// and on arm64 with pages of 4 KiB.
  package static let largeByteCount: Int = {
    let usual = 2 << 20
    #if os(Linux)
      let text = SystemFile.text("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
      guard let count = text?.lines.first.flatMap({ Int($0, radix: 10) }) else { return usual }
      return count >= byteCount && count.nonzeroBitCount == 1 ? count : usual
    #else
      return usual
    #endif
  }()
}
