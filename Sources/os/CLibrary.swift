// The C library is visible through `os`, as on Apple's systems: code that asks `canImport(os)` calls it without another import.
#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif
