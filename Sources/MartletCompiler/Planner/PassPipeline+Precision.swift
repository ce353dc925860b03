package import MartletGraph
import MartletKernels
package import MartletVocabulary

extension PassPipeline {
  /// As `run`, with what besides pays on this machine for products of this precision.
  package func run(on graph: Graph, for precision: ProductPrecision) throws -> Graph {
    let result = try run(on: graph)
    return precision.narrowsActivations ? try NarrowActivations().rewrite(result) ?? result : result
  }
}
