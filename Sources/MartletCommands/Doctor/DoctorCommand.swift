import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletColor
import MartletBytes
import MartletKernels
import MartletMedia
import MartletTensor

/// `martlet doctor`: what this machine has of what the engine can use.
struct DoctorCommand: ParsableCommand, CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Shows instruction sets, libraries found, and the package of each one that is missing.",
    discussion: """
      Models run without any of the libraries; they read and write picture files. The exit status is 0 also if some are missing.
      """)

  @Flag(help: "Print JSON.")
  var json = false

  /// A library of the system.
  struct Library {
    let name: String
    let purpose: String
    /// The Debian package that has it; nil if the library can be used.
    let missingPackage: String?
    /// Why it cannot be used.
    let detail: String?
  }

  func run() throws {
    let machine = MachineProfile.current
    let libraries = Self.libraries
    if json { return print(Self.page(machine, libraries).text) }
    print("instruction set   \(machine.step)\(Self.restriction)")
    print("to choose from    \(MachineProfile.steps.filter(\.isAvailable).map(\.name).joined(separator: ", ")) (MARTLET_ISA)")
    print("vectors           \(machine.vectorByteCount) bytes")
    print("integer kernels   \(machine.integerVariant)")
    print("bfloat16 products \(BFloat16Unit.current.rawValue)")
    print("processors        \(AvailableProcessors.count)")
    print("data caches       \(Self.caches(machine))")
    for library in libraries {
      let name = library.name + String(repeating: " ", count: max(1, 18 - library.name.count))
      if let package = library.missingPackage {
        print("\(name)missing (\(library.purpose)): apt-get install \(package)")
      } else {
        print("\(name)found (\(library.purpose))")
      }
    }
    let missing = libraries.compactMap(\.missingPackage)
    if !missing.isEmpty { print("\nAll of them: apt-get install \(missing.joined(separator: " "))") }
  }

  /// The caches that kernels adapt their blocks to.
  private static func caches(_ machine: MachineProfile) -> String {
    let sizes = machine.cacheByteCounts.enumerated().compactMap { level, bytes in bytes.map { "L\(level + 1) \($0 >> 10) KiB" } }
    guard let source = machine.cacheSource else { return "unknown, taken to be usual ones" }
    return "\(sizes.joined(separator: ", ")), according to the \(source)"
  }

  static var libraries: [Library] {
    let pictures = PictureLibrary.allCases.map { library in
      let failure = library.loadFailure
      return Library(name: library.rawValue, purpose: library.formats, missingPackage: failure?.debianPackage, detail: failure?.detail)
    }
    var profiles = Library(name: "liblcms2", purpose: "colour profiles with tables", missingPackage: nil, detail: nil)
    if case .missingLibrary(_, let package, let detail) = ColorLibrary.loadFailure?.reason {
      profiles = Library(name: profiles.name, purpose: profiles.purpose, missingPackage: package, detail: detail)
    }
    return pictures + [profiles]
  }

  /// The request of the environment, and whether it has an effect; empty without one.
  private static var restriction: String {
    ProcessInfo.processInfo.environment["MARTLET_ISA"].map {
      " (MARTLET_ISA=\($0)\(MachineProfile.ignoresRequestedStep ? ": no instruction set of this architecture, ignored" : ""))"
    } ?? ""
  }

  private static func page(_ machine: MachineProfile, _ libraries: [Library]) -> JSONValue {
    .members([
      "instructionSet": .string(machine.step),
      "instructionSets": .array(MachineProfile.steps.filter(\.isAvailable).map { .string($0.name) }),
      "requestedInstructionSetIsKnown": .boolean(!MachineProfile.ignoresRequestedStep),
      "vectorBytes": .integer(machine.vectorByteCount),
      "integerKernels": .string(machine.integerVariant),
      "bfloat16Tiles": .boolean(machine.hasBFloat16Tiles),
      "processors": .integer(AvailableProcessors.count),
      "cacheBytes": .array(machine.cacheByteCounts.map { $0.map { .integer($0) } ?? .null }),
      "cacheSource": machine.cacheSource.map { .string($0) } ?? .null,
      "libraries": .array(
        libraries.map { library in
          .members([
            "name": .string(library.name),
            "purpose": .string(library.purpose),
            "found": .boolean(library.missingPackage == nil),
            "debianPackage": library.missingPackage.map { .string($0) } ?? .null,
            "detail": library.detail.map { .string($0) } ?? .null,
          ])
        }),
    ])
  }
}
