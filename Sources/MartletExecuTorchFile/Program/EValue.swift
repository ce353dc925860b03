package import MartletBytes

/// A value of an execution plan: an input, an output, a constant or an intermediate result.
///
/// Lists of integers and of tensors hold indices of other values of the plan, because those may be computed at run time; lists of
/// doubles and booleans hold literals. Indices are valid (see `ExecutionPlan`).
///
/// Source: `EValue` and the union `KernelTypes` of `program.fbs`.
package enum EValue: Sendable {
  /// Nothing: `Null`, or no value at all.
  case none
  case int(Int64)
  case bool(Bool)
  case double(Double)
  case tensor(ProgramTensor)
  case string(String)
  /// Indices of values, each an integer.
  case intList([Int])
  case doubleList([Double])
  case boolList([Bool])
  /// Indices of tensors.
  case tensorList([Int])
  /// Indices of tensors, or `nil` for an absent one.
  case optionalTensorList([Int?])

  /// What the value is, for messages.
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

/// A tensor of an execution plan. An object, because values are handed about far more often than they are made.
///
/// Source: `Tensor` of `program.fbs`. The storage offset is always 0, as in ExecuTorch; other values are refused.
package final class ProgramTensor: Sendable {
  /// How the extents in `layout.sizes` bind the tensor at run time.
  package enum ShapeDynamism: Int8, Sendable, Hashable {
    /// The extents are the shape.
    case fixed = 0
    /// The extents are upper bounds.
    case upperBound = 1
    /// The extents say nothing.
    case unbound = 2
  }

  /// A place in one of the plan's memory areas. Tensors that live at different times may share it.
  package struct PlannedLocation: Sendable, Hashable {
    /// Index in `ExecutionPlan.bufferSizes`, from 1 on.
    package let memoryID: Int
    /// Bytes from the start of the area. The tensor's bytes fit in the area from here.
    package let offset: Int
  }

  /// Where the elements come from. A `ByteView` here has exactly `layout.byteCount` bytes, at any alignment.
  package enum Data: Sendable {
    /// Never written: bytes of the file.
    case constant(ByteView)
    /// Written by instructions; undefined before that, except that a mutable buffer starts as zeros and persists.
    case planned(PlannedLocation)
    /// As `planned`, but the bytes of the file are copied there once, when the method is loaded.
    case mutableInitialized(ByteView, PlannedLocation)
    /// The entry `name` of a `.ptd` file: a constant, or with a location the initial value of a planned tensor.
    case external(name: String, PlannedLocation?)
    /// The memory is the caller's (an input or output that is not planned), or made by the kernel that computes the tensor.
    case callerProvided
  }

  package let layout: TensorLayout
  package let data: Data
  package let shapeDynamism: ShapeDynamism
  package let requiresGrad: Bool
  /// The name in the exported module, such as `encoder.weight`, when the exporter recorded it.
  package let qualifiedName: String?
  /// Where the tensor should live; the CPU unless the exporter said otherwise.
  package let device: Device
  /// `data_buffer_idx` as stored: an index into the constants or the initial values, 0 for neither.
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

  package var scalarType: ScalarType { layout.scalarType }
  package var sizes: [Int] { layout.sizes }
  package var dimOrder: [Int] { layout.dimOrder }
}

/// A device that a tensor or memory area is meant for.
///
/// Source: `DeviceType` of `program.fbs`.
package struct Device: Sendable, Hashable {
  /// 0 is the CPU, 1 CUDA; later schemas may add numbers.
  package let type: Int8
  package let index: Int8

  package static let cpu = Device(type: 0, index: 0)
}
