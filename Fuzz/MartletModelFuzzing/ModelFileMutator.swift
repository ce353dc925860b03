package import MartletFuzzing

/// Mutates a file of any kind that the engine and its tools read, with regard to the structure of its format.
package enum ModelFileMutator {
  /// Extensions of models select their formats; without one the content does. `donor` is a model.
  package static let mutation: FileMutation = { bytes, suffix, seed, donor in
    switch suffix {
    case "": CoreMLMutator.isModel(bytes) ? CoreMLMutator.mutate(bytes, seed: seed) : ProgramMutator.mutate(bytes, seed: seed)
    case "pte", "bpte", "ptd": ProgramMutator.mutate(bytes, seed: seed)
    case "net", "shape": EspressoMutator.mutate(text: bytes, seed: seed)
    case "weights": EspressoMutator.mutate(weights: bytes, seed: seed)
    case "mlmodel": CoreMLMutator.mutate(bytes, seed: seed, donor: donor)
    default: FileMutator.mutate(bytes, as: suffix, seed: seed)
    }
  }
}
