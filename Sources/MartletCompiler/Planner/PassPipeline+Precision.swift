import MartletKernels
package import MartletVocabulary

extension PassPipeline {
  /// The standard passes and those that only some precisions have.
  package static func standard(for precision: ProductPrecision) -> PassPipeline {
    var passes = standard.passes
    // First: the weights of the products are quantised weights like others.
    if precision.level == .exact { passes.insert(KeepRealRows(), at: 0) }
    if precision.narrowsActivations { passes.append(NarrowActivations()) }
    return PassPipeline(passes)
  }
}
