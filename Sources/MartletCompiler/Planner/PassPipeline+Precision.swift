import MartletKernels
package import MartletVocabulary

extension PassPipeline {
  /// The standard passes, followed by those that only this precision allows.
  package static func standard(for precision: ProductPrecision) -> PassPipeline {
    precision.narrowsActivations ? PassPipeline(standard.passes + [NarrowActivations()]) : standard
  }
}
