import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// The iterations of a loop in one call: the arguments of the next one, and the memory of the last two. Reused by later calls.
@safe
final class LoopRounds: @unchecked Sendable {
  /// The call of the loop's method. Its arguments are the variables after the last iteration.
  let call: MethodCall
  /// The tensors of the last iteration, by output of the loop's method. `call` writes to those of the iteration before.
  private var current: [HostTensor?] = []

  /// - Parameter team: the threads of the call that runs the loop.
  init(team: ThreadTeam) { call = MethodCall(team: team) }

  /// Takes over the variables after the first iteration.
  func begin(_ loop: PlanLoop, _ context: KernelContext) {
    call.arguments.removeAll(keepingCapacity: true)
    for argument in loop.arguments {
      switch argument {
      case .tensor(let view): call.arguments.append(unsafe .tensor(view.type, UnsafeRawPointer(context.address(view))))
      case .scalar(let scalar): call.arguments.append(.scalar(context.value(of: scalar)))
      case .none: call.arguments.append(.none)
      }
    }
    while current.count <= loop.varying.count { current.append(nil) }
    while call.tensors.count <= loop.varying.count { call.tensors.append(nil) }
  }

  /// Turns the results of an iteration into the variables of the next one. Returns whether there is one.
  func advance(_ loop: PlanLoop) throws -> Bool {
    swap(&current, &call.tensors)
    for (number, input) in loop.varying.enumerated() {
      switch call.results[number + 1] {
      case .tensor(let type):
        call.arguments[input] = unsafe .tensor(type, UnsafeRawPointer(current[number + 1]!.sharedStorage.pointer))
      case .scalar(let scalar): call.arguments[input] = .scalar(scalar)
      case .string: throw ExecutionError(node: "loop", reason: "a variable became a string")
      case .none: call.arguments[input] = .none
      }
    }
    guard case .scalar(let flag) = call.results[0] else { throw ExecutionError(node: "loop", reason: "the flag is not a number") }
    return flag.boolValue
  }

  /// Address of a varying variable's elements after the last iteration.
  func address(of variable: Int) -> UnsafeMutableRawPointer { unsafe current[variable + 1]!.sharedStorage.pointer }
}

extension KernelContext {
  /// The current value of a scalar.
  func value(of scalar: ScalarOperand) -> Scalar { RuntimeScalar(operand: scalar).scalar(self) }
}
