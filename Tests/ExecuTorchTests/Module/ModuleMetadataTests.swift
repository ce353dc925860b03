import ExecuTorch
import Testing

struct ModuleMetadataTests {
  @Test func `a program has the names of its methods and of its constants`() throws {
    let module = Fixture.module("methods.pte")
    let names: Set = [
      "forward", "two", "rows", "counted", "picture", "scaled", "context_length", "greeting", "scale", "is_ready",
    ]
    #expect(try module.methodNames() == names)
    #expect(module.isLoaded() && !module.isLoaded("forward"))
  }

  @Test func `the metadata of a method are the file's, and do not load it`() throws {
    let module = Fixture.module("methods.pte")
    let metadata = try module.methodMetadata("forward")
    #expect(!module.isLoaded("forward"))
    #expect(metadata.name == "forward")
    #expect(metadata.inputValueTags == [.tensor, .tensor] && metadata.outputValueTags == [.tensor])
    #expect(metadata.inputTensorMetadata.keys.sorted() == [0, 1] && metadata.outputTensorMetadata.keys.sorted() == [0])
    let input = try #require(metadata.inputTensorMetadata[1])
    #expect(input.shape == [3] && input.dimensionOrder == [0] && input.dataType == .float)
    #expect(input.isMemoryPlanned && input.name == "")
    #expect(metadata.attributeTensorMetadata.isEmpty && metadata.backendNames.isEmpty)
    // Three tensors of 12 bytes, each in a place of 16.
    #expect(metadata.memoryPlannedBufferSizes == [48])
    #expect(metadata.instructionCount == 1)
  }

  @Test func `values that are no tensors have tags only`() throws {
    let module = Fixture.module("methods.pte")
    let scaled = try module.methodMetadata("scaled")
    #expect(scaled.inputValueTags == [.tensor, .integer, .double, .boolean])
    #expect(scaled.inputTensorMetadata.keys.sorted() == [0])
    let counted = try module.methodMetadata("counted")
    #expect(counted.outputValueTags == [.tensor, .integer] && counted.outputTensorMetadata.keys.sorted() == [0])
    #expect(try module.methodMetadata("greeting").outputValueTags == [.string])
    #expect(try module.methodMetadata("scale").outputValueTags == [.double])
    #expect(try module.methodMetadata("is_ready").outputValueTags == [.boolean])
    #expect(try module.methodMetadata("context_length").inputValueTags.isEmpty)
  }

  @Test func `a dynamic tensor has its largest shape, another order of axes its own`() throws {
    let module = Fixture.module("methods.pte")
    #expect(try module.methodMetadata("rows").inputTensorMetadata[0]?.shape == [4, 3])
    let picture = try #require(try module.methodMetadata("picture").inputTensorMetadata[0])
    #expect(picture.shape == [1, 2, 3, 4] && picture.dimensionOrder == [0, 2, 3, 1])
  }

  @Test func `inputs and outputs that are left to the caller are not planned`() throws {
    let metadata = try Fixture.module("unplanned.pte").methodMetadata("forward")
    #expect(metadata.inputTensorMetadata[0]?.isMemoryPlanned == false)
    #expect(metadata.outputTensorMetadata[0]?.isMemoryPlanned == false)
  }

  @Test func `attributes have names`() throws {
    let attributes = try Fixture.module("counter.pte").methodMetadata("forward").attributeTensorMetadata
    #expect(attributes.map(\.name) == ["total"])
    #expect(attributes.first?.shape == [2] && attributes.first?.dataType == .float)
  }

  @Test func `delegates are named by their backend`() throws {
    let metadata = try Fixture.module("delegated.pte").methodMetadata("forward")
    #expect(metadata.backendNames == ["XnnpackBackend"])
    #expect(metadata.instructionCount == 1)
  }
}
