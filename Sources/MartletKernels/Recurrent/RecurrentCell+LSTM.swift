import MartletVocabulary

extension RecurrentCell {
  /// The cell state after a step of an LSTM, and its activation.
  ///
  /// - Parameters:
  ///   - gates: the sums of the input, forget, output and cell gates, `stride` elements apart, which are activated.
  ///   - before: the cell state before the step.
  ///   - c: where the cell state after the step goes; may be `before`.
  ///   - shown: where its activation goes; may be the cell gate.
  ///   - peephole: factors of the cell state in the input, forget and output gates, `stride` elements apart.
  @inline(__always)
  func stepLSTM(
    _ gates: UnsafeMutablePointer<Float>, before: UnsafePointer<Float>, _ c: UnsafeMutablePointer<Float>,
    shown: UnsafeMutablePointer<Float>, _ peephole: UnsafePointer<Float>?, _ stride: Int, _ count: Int
  ) {
    let (input, forget) = unsafe (gates, gates + stride)
    let (output, new) = unsafe (gates + 2 * stride, gates + 3 * stride)
    if let p = unsafe peephole {
      for i in 0..<count { unsafe input[i] += before[i] * p[i] }
      for i in 0..<count { unsafe forget[i] += before[i] * p[stride + i] }
    }
    unsafe gateActivation.apply(count, input, input)
    if couplesForgetGate {
      for i in 0..<count { unsafe forget[i] = 1 - input[i] }
    } else {
      unsafe gateActivation.apply(count, forget, forget)
    }
    unsafe cellActivation.apply(count, new, new)
    for i in 0..<count { unsafe c[i] = forget[i] * before[i] + input[i] * new[i] }
    if let clip {
      for i in 0..<count {
        let v = unsafe c[i]
        unsafe c[i] = v < -clip ? -clip : v > clip ? clip : v
      }
    }
    if let p = unsafe peephole {
      for i in 0..<count { unsafe output[i] += c[i] * p[2 * stride + i] }
    }
    unsafe gateActivation.apply(count, output, output)
    unsafe activation.apply(count, c, shown)
  }
}
