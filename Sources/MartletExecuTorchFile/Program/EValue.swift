package import MartletBytes

/// A value of an execution plan: an input, an output, a constant or an intermediate result.
///
/// Lists of integers and of tensors contain indices of other values in the plan, because those may be computed at run time. Lists of
/// doubles and booleans contain literals. Indices are valid (see `ExecutionPlan`).
///
/// Source: `EValue` and the union `KernelTypes` of `program.fbs`.
package enum EValue: Sendable {
  /// `Null`, or an absent value.
  case none
  case int(Int64)
  case bool(Bool)
  case double(Double)
  case tensor(ProgramTensor)
  case string(String)
  /// Indices of integer values.
  case intList([Int])
  case doubleList([Double])
  case boolList([Bool])
  /// Indices of tensors.
  case tensorList([Int])
  /// Indices of tensors; `nil` for an absent one.
  case optionalTensorList([Int?])

  /// Kind of the value, for messages.
  package var kindName: String {
    switch self {
    case .none: "none"
    case .int: "int"
    case .bool: "bool"
    case .double: "double"
    case .tensor: "tensor"
    case .string: "string"
    case .intList: "int list"
    case .doubleList: "double list"
    case .boolList: "bool list"
    case .tensorList: "tensor list"
    case .optionalTensorList: "optional tensor list"
    }
  }

  package var tensor: ProgramTensor? {
    if case .tensor(let tensor) = self { tensor } else { nil }
  }

  package var int: Int64? {
    if case .int(let value) = self { value } else { nil }
  }
}

/// A tensor of an execution plan. A class, because values are copied far more often than created.
///
/// Source: `Tensor` of `program.fbs`. As in ExecuTorch, the storage offset must be 0.
package final class ProgramTensor: Sendable {
  /// Meaning of the extents in `layout.sizes` at run time.
  package enum ShapeDynamism: Int8, Sendable, Hashable {
    /// The extents are the shape.
    case fixed = 0
    /// The extents are upper bounds.
    case upperBound = 1
    /// The extents have no meaning.
    case unbound = 2
  }

  /// A location in one of the plan's memory areas. Tensors with disjoint lifetimes may share it.
  package struct PlannedLocation: Sendable, Hashable {
    /// Index in `ExecutionPlan.bufferSizes`, at least 1.
    package let memoryID: Int
    /// Offset from the start of the area in bytes. The tensor fits in the area from here.
    package let offset: Int
  }

  /// Source of the elements. A `ByteView` here has exactly `layout.byteCount` bytes, without alignment.
  package enum Data: Sendable {
    /// Constant: bytes of the file.
    case constant(ByteView)
    /// Written by instructions and undefined before, except that a mutable buffer starts as zeros and persists.
    case planned(PlannedLocation)
    /// Like `planned`, but initialised with bytes of the file when the method is loaded.
    case mutableInitialized(ByteView, PlannedLocation)
    /// The entry `name` of a `.ptd` file: a constant or, with a location, the initial value of a planned tensor.
    case external(name: String, PlannedLocation?)
    /// Memory of the caller (an input or output that is not planned), or allocated by the kernel that computes the tensor.
    case callerProvided
  }

  package let layout: TensorLayout
  package let data: Data
  package let shapeDynamism: ShapeDynamism
  package let requiresGrad: Bool
  /// Name in the exported module, such as `encoder.weight`, if the exporter recorded it.
  package let qualifiedName: String?
  /// The device for the tensor; the CPU unless the exporter chose another.
  package let device: Device
  /// `data_buffer_idx` as stored: an index into the constants or the initial values; 0 for neither.
  package let dataBufferIndex: Int

  init(
    layout: TensorLayout, data: Data, shapeDynamism: ShapeDynamism = .fixed, requiresGrad: Bool = false, qualifiedName: String? = nil,
    device: Device = .cpu, dataBufferIndex: Int = 0
  ) {
    self.layout = layout
    self.data = data
    self.shapeDynamism = shapeDynamism
    self.requiresGrad = requiresGrad
    self.qualifiedName = qualifiedName
    self.device = device
    self.dataBufferIndex = dataBufferIndex
  }

  /// The place that instructions may write.
  package var place: PlannedLocation? {
    switch data {
    case .planned(let place), .mutableInitialized(_, let place): place
    case .external(_, let place): place
    case .constant, .callerProvided: nil
    }
  }

  /// What the tensor is called as a state: its name in the module, or else its place.
  package func stateName(at place: PlannedLocation) -> String {
    qualifiedName ?? "memory \(place.memoryID) at \(place.offset)"
  }

  package var scalarType: ScalarType { layout.scalarType }
  package var sizes: [Int] { layout.sizes }
  package var dimOrder: [Int] { layout.dimOrder }
}

/// A device for a tensor or memory area.
///
/// Source: `DeviceType` of `program.fbs`.
package struct Device: Sendable, Hashable {
  /// 0 is the CPU, 1 is CUDA; later schemas may add values.
  package let type: Int8
  package let index: Int8

  package static let cpu = Device(type: 0, index: 0)
}
