public import Foundation

/// A processor that models can run on.
public protocol MLComputeDeviceProtocol {}

/// The machine's CPU.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  static let shared = MLCPUComputeDevice()

  public override func isEqual(_ object: Any?) -> Bool { object is MLCPUComputeDevice }
  public override var hash: Int { 0 }
  public override var description: String { "MLCPUComputeDevice" }
}

/// A GPU. No instance exists, because models run on the CPU only.
public final class MLGPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  private override init() {}
}

/// A neural engine. No instance exists, because models run on the CPU only.
public final class MLNeuralEngineComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  public let totalCoreCount: Int

  private init(totalCoreCount: Int) { self.totalCoreCount = totalCoreCount }
}

/// A device that models can run on.
public enum MLComputeDevice: Sendable, Hashable {
  case cpu(MLCPUComputeDevice)
  case gpu(MLGPUComputeDevice)
  case neuralEngine(MLNeuralEngineComputeDevice)

  public static var allComputeDevices: [MLComputeDevice] { [.cpu(.shared)] }
}

extension MLComputeDevice: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cpu: "CPU"
    case .gpu: "GPU"
    case .neuralEngine: "Neural Engine"
    }
  }
}
