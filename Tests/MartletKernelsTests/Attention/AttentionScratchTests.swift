import MartletKernels
import MartletTensor
import Testing

@Suite struct AttentionScratchTests {
  /// A cache is planned once, and then fewer keys count than it has room for: no number of them may need more scratch memory.
  @Test(arguments: [ProductArithmetic.single, .bfloat16], [1, 40])
  func isEnoughForFewerKeys(_ arithmetic: ProductArithmetic, _ queries: Int) {
    func need(_ keys: Int) -> Int {
      func view(_ rows: Int) -> TensorView {
        TensorView(buffer: BufferID(0), dtype: .float32, shape: [1, 2, rows, 32], strides: [rows * 64, 32, 64, 1])
      }
      var kernel = AttentionKernel(q: view(queries), k: view(keys), v: view(keys), output: view(queries), scale: 1, isCausal: true)
      kernel.arithmetic = arithmetic
      return kernel.scratchByteCount
    }
    let needs = (1...1200).map(need)
    for capacity in [100, 255, 256, 257, 384, 500, 512, 513, 700, 768, 1100, 1200] {
      #expect(needs[capacity - 1] >= needs[..<capacity].max()!, "\(capacity) keys")
    }
  }
}
