package import MartletTensor

/// Positions repeated according to a tensor of counts.
package enum RepeatedIndices {
  /// A kernel that writes position `i` `counts[i]` times. With a slot, it stores the number of written positions there; without one, the
  /// counts must fill the destination exactly. Both tensors are row-major int64.
  package static func kernel(counts: TensorView, to destination: TensorView, slot: Int?) -> Kernel {
    let capacity = destination.elementCount
    return { context in
      let counts = context.elements(counts, as: Int64.self)
      let target = context.elements(destination, as: Int64.self)
      var next = 0
      for position in 0..<counts.count {
        let count = counts[position]
        guard count >= 0 else { throw KernelError("repeat count \(count) is negative") }
        guard count <= capacity - next else { throw KernelError("the repeat counts add up to more than \(capacity)") }
        for _ in 0..<Int(count) {
          target[next] = Int64(position)
          next += 1
        }
      }
      if let slot {
        context.set(slot: slot, .int(Int64(next)))
      } else if next != capacity {
        throw KernelError("the repeat counts add up to \(next), not to \(capacity)")
      }
    }
  }
}
