/// The amount of a test's work: `some` in debug builds, whose kernels and references are about fifty times slower, `all` in optimised ones.
///
/// For numbers of samples and lists of similar cases. Only optimised builds run everything.
package func inDebug<T>(_ some: @autoclosure () -> T, otherwise all: @autoclosure () -> T) -> T {
  #if DEBUG
    some()
  #else
    all()
  #endif
}
