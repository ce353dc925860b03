// Clients of ExecuTorchLLM expect it to export Foundation.
@_exported public import Foundation

/// The name that ExecuTorch's guide gives to the runner.
public typealias TextLLMRunner = TextRunner
