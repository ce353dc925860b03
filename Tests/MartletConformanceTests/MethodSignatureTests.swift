import Martlet
import MartletExecuTorchFile
import Testing

@Suite("Signatures of methods")
struct MethodSignatureTests {
  @Test("Values that the engine does not have are shown as what they are")
  func unsupportedValues() {
    let float8 = ProgramTensor(.float8e5m2, sizes: [2, 3], data: .callerProvided)
    let half = ProgramTensor(.float16, sizes: [4], data: .callerProvided)
    let program = ExecuTorchProgram(
      calling: "aten::clone.out", arguments: [], values: [.tensor(float8), .tensor(half), .intList([]), .none], inputs: [0, 1, 2, 3],
      outputs: [0])
    let signature = MethodSignature(program.plans[0])
    #expect(
      signature.inputs.map(\.description)
        == ["input0: float8e5m2[2, 3]", "input1: float16[4]", "input2: int list", "input3: none"])
    #expect(signature.outputs[0].kind == .unsupported("float8e5m2[2, 3]"))
    #expect(signature.inputs[1].kind == .tensor(.float16, shape: [4], isDynamic: [false]))
  }
}
