package import ArgumentParser

/// The commands that run, measure and describe models. They compile without `MartletConformance`; `verify` and `operators`, which need it, are
/// in `MartletCLI`.
package enum EngineCommands {
  /// In the order of the tool's help.
  package static let all: [any ParsableCommand.Type] = [
    ClassifyCommand.self, CompleteCommand.self, InspectCommand.self, RunCommand.self, BenchCommand.self, CompileCommand.self,
    TrainCommand.self, TokenizeCommand.self, PlanCommand.self, VisionCommand.self, CodegenCommand.self, DoctorCommand.self,
  ]
}
