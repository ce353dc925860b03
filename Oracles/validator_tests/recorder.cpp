// Runs coremltools' C++ tests of its validators and records every model that a test hands to one, with the verdict.
//
// The linker sends the calls of the tests here (--wrap), so that neither the tests nor the validators are changed. Models are
// written to the folder that the first argument names, and a line of JSON for each of them to cases.jsonl in it. After --check, the
// arguments are models, and their verdicts are printed.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "Format.hpp"
#include "Model.hpp"
#include "Validation/NeuralNetwork/NeuralNetworkShapes.hpp"
#include "Validation/Validators.hpp"
#include "tests/MLModelTests.hpp"

using namespace CoreML;
namespace spec = CoreML::Specification;

static std::string folder, test;
static int number = 0;
static int depth = 0;
static std::ofstream lines;

static std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    char buffer[8];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c < 32 || c > 126) {
      snprintf(buffer, sizeof buffer, "\\u%04x", c);
      result += buffer;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

static std::string verdict(const Result& result) {
  return result.good() ? "{\"accepted\": true, \"message\": " + quoted(result.message()) + "}"
                       : "{\"accepted\": false, \"message\": " + quoted(result.message()) + "}";
}

// The verdict of everything that coremltools checks when it loads a model.
static Result whole(const spec::Model& model) {
  depth += 1;
  Result result;
  try {
    result = Model::validate(model);
  } catch (const std::exception& error) {
    result = Result(ResultType::INVALID_MODEL_PARAMETERS, std::string("exception: ") + error.what());
  }
  depth -= 1;
  return result;
}

static void record(const char* function, const spec::Model& model, const Result& result) {
  char name[32];
  snprintf(name, sizeof name, "-%02d.mlmodel", number++);
  std::string file = test + name;
  std::ofstream(folder + "/" + file, std::ios::binary) << model.SerializeAsString();
  lines << "{\"test\": " << quoted(test) << ", \"file\": " << quoted(file) << ", \"function\": " << quoted(function)
        << ", \"verdict\": " << verdict(result) << ", \"whole\": " << verdict(whole(model)) << "}" << std::endl;
}

// MARK: Models around what tests hand over

static void complete(spec::FeatureDescription& feature, const std::string& name, bool addsType) {
  if (feature.name().empty()) feature.set_name(name);
  auto type = feature.mutable_type();
  if (addsType && type->has_multiarraytype() && type->multiarraytype().datatype() == spec::ArrayFeatureType::INVALID_ARRAY_DATA_TYPE)
    type->mutable_multiarraytype()->set_datatype(spec::ArrayFeatureType::FLOAT32);
}

// The model with what validators of a kind do not look at, and which a file needs: a version, names and types of features.
static spec::Model completed(const spec::Model& source) {
  spec::Model model = source;
  if (model.specificationversion() == 0) model.set_specificationversion(MLMODEL_SPECIFICATION_VERSION_NEWEST);
  bool isNetwork = model.has_neuralnetwork() || model.has_neuralnetworkclassifier() || model.has_neuralnetworkregressor();
  int index = 0;
  for (auto& feature : *model.mutable_description()->mutable_input()) complete(feature, "input" + std::to_string(index++), isNetwork);
  for (auto& feature : *model.mutable_description()->mutable_output()) complete(feature, "output" + std::to_string(index++), isNetwork);
  return model;
}

static void setType(spec::MILSpec::ValueType* type, const spec::FeatureType& feature) {
  auto isState = feature.has_statetype();
  auto& array = isState ? feature.statetype().arraytype() : feature.multiarraytype();
  auto tensor = (isState ? type->mutable_statetype()->mutable_wrappedtype() : type)->mutable_tensortype();
  switch (array.datatype()) {
    case spec::ArrayFeatureType::FLOAT16: tensor->set_datatype(spec::MILSpec::FLOAT16); break;
    case spec::ArrayFeatureType::INT32: tensor->set_datatype(spec::MILSpec::INT32); break;
    default: tensor->set_datatype(spec::MILSpec::FLOAT32);
  }
  tensor->set_rank(array.shape_size());
  for (auto extent : array.shape()) tensor->add_dimensions()->mutable_constant()->set_size(extent);
}

template <class Description>
static void addFunction(spec::MILSpec::Program* program, const std::string& name, const Description& description) {
  auto& function = (*program->mutable_functions())[name];
  function.set_opset("CoreML8");
  auto& block = (*function.mutable_block_specializations())["CoreML8"];
  auto addInput = [&](const spec::FeatureDescription& feature) {
    auto input = function.add_inputs();
    input->set_name(feature.name());
    setType(input->mutable_type(), feature.type());
  };
  for (auto& feature : description.input()) addInput(feature);
  for (auto& feature : description.state()) addInput(feature);
  for (auto& feature : description.output()) {
    auto operation = block.add_operations();
    operation->set_type("const");
    auto& label = (*operation->mutable_attributes())["name"];
    label.mutable_type()->mutable_tensortype()->set_datatype(spec::MILSpec::STRING);
    label.mutable_immediatevalue()->mutable_tensor()->mutable_strings()->add_values(feature.name());
    auto output = operation->add_outputs();
    output->set_name(feature.name());
    setType(output->mutable_type(), feature.type());
    auto& value = (*operation->mutable_attributes())["val"];
    setType(value.mutable_type(), feature.type());
    int64_t count = 1;
    for (auto extent : feature.type().multiarraytype().shape()) count *= extent;
    for (int64_t i = 0; i < count && i < 4096; i++) value.mutable_immediatevalue()->mutable_tensor()->mutable_floats()->add_values(0);
    block.add_outputs(feature.name());
  }
}

// An array of one element, for a description that has too few features for a file.
static void addArray(spec::FeatureDescription* feature, const char* name) {
  feature->set_name(name);
  feature->mutable_type()->mutable_multiarraytype()->set_datatype(spec::ArrayFeatureType::FLOAT32);
  feature->mutable_type()->mutable_multiarraytype()->add_shape(1);
}

// A model with a description that a test hands over, of a kind for which the test's policy holds: a program that does nothing, or the
// kind that nothing but the description constrains. No kind has models without outputs: where the policy allows them, one is added.
static spec::Model model(const spec::ModelDescription& description, int version, const ValidationPolicy& policy) {
  spec::Model model;
  model.set_specificationversion(version);
  *model.mutable_description() = description;
  auto result = model.mutable_description();
  bool hasFunctions = description.functions_size() > 0 || !description.defaultfunctionname().empty();
  if (policy.allowsEmptyOutput) {
    for (auto& function : *result->mutable_functions())
      if (function.output_size() == 0) addArray(function.add_output(), "another output");
    if (!hasFunctions && result->output_size() == 0) addArray(result->add_output(), "another output");
  }
  if (policy.allowsMultipleFunctions || (policy.allowsStatefulPrediction && !hasFunctions)) {
    auto program = model.mutable_mlprogram();
    program->set_version(1);
    for (auto& function : result->functions()) addFunction(program, function.name(), function);
    if (!hasFunctions) addFunction(program, "main", *result);
  } else {
    model.mutable_serializedmodel()->set_identifier("recorded");
    model.mutable_serializedmodel()->set_model("recorded");
  }
  return model;
}

// MARK: Calls of the tests

using Validator = Result (*)(const spec::Model&);

static Result recordedCall(const char* function, Validator validator, const spec::Model& model, bool isWhole) {
  depth += 1;
  Result result = validator(model);
  depth -= 1;
  if (depth == 0) record(function, isWhole ? model : completed(model), result);
  return result;
}

#define WRAP_VALIDATOR(symbol, function, isWhole)                                          \
  extern "C" Result __real_##symbol(const spec::Model&);                                   \
  extern "C" Result __wrap_##symbol(const spec::Model& model) {                            \
    return recordedCall(function, __real_##symbol, model, isWhole);                        \
  }

#include "wrapped.inc"

WRAP_VALIDATOR(_ZN6CoreML5Model8validateERKNS_13Specification5ModelE, "Model::validate", true)
WRAP_VALIDATOR(_ZN6CoreML16validateOptionalERKNS_13Specification5ModelE, "validateOptional", false)

extern "C" Result __real__ZN6CoreML24validateModelDescriptionERKNS_13Specification16ModelDescriptionEiRKNS_16ValidationPolicyE(
    const spec::ModelDescription&, int, const ValidationPolicy&);
extern "C" Result __wrap__ZN6CoreML24validateModelDescriptionERKNS_13Specification16ModelDescriptionEiRKNS_16ValidationPolicyE(
    const spec::ModelDescription& description, int version, const ValidationPolicy& policy) {
  depth += 1;
  Result result = __real__ZN6CoreML24validateModelDescriptionERKNS_13Specification16ModelDescriptionEiRKNS_16ValidationPolicyE(
      description, version, policy);
  depth -= 1;
  if (depth == 0) record("validateModelDescription", model(description, version, policy), result);
  return result;
}

extern "C" Result __real__ZN6CoreML26validateFeatureDescriptionERKNS_13Specification18FeatureDescriptionEiNS_13FeatureIOTypeE(
    const spec::FeatureDescription&, int, FeatureIOType);
extern "C" Result __wrap__ZN6CoreML26validateFeatureDescriptionERKNS_13Specification18FeatureDescriptionEiNS_13FeatureIOTypeE(
    const spec::FeatureDescription& feature, int version, FeatureIOType role) {
  depth += 1;
  Result result = __real__ZN6CoreML26validateFeatureDescriptionERKNS_13Specification18FeatureDescriptionEiNS_13FeatureIOTypeE(
      feature, version, role);
  depth -= 1;
  if (depth == 0) {
    spec::ModelDescription description;
    ValidationPolicy policy;
    policy.allowsStatefulPrediction = role == FeatureIOType::STATE;
    if (role == FeatureIOType::STATE) *description.add_state() = feature;
    if (role == FeatureIOType::INPUT) *description.add_input() = feature; else addArray(description.add_input(), "another input");
    if (role == FeatureIOType::OUTPUT) *description.add_output() = feature; else addArray(description.add_output(), "another output");
    record("validateFeatureDescription", model(description, version, policy), result);
  }
  return result;
}

extern "C" void __real__ZN6CoreML19NeuralNetworkShaperC1ERKNS_13Specification5ModelEb(void*, const spec::Model&, bool);
extern "C" void __wrap__ZN6CoreML19NeuralNetworkShaperC1ERKNS_13Specification5ModelEb(
    void* self, const spec::Model& model, bool constrains) {
  depth += 1;
  Result result;
  std::exception_ptr thrown;
  try {
    __real__ZN6CoreML19NeuralNetworkShaperC1ERKNS_13Specification5ModelEb(self, model, constrains);
  } catch (const std::exception& error) {
    result = Result(ResultType::INVALID_MODEL_PARAMETERS, error.what());
    thrown = std::current_exception();
  }
  depth -= 1;
  if (depth == 0) record("NeuralNetworkShaper", completed(model), result);
  if (thrown) std::rethrow_exception(thrown);
}

extern "C" void __real__ZN6CoreML5ModelC1ERKNS_13Specification5ModelE(void*, const spec::Model&);
extern "C" void __wrap__ZN6CoreML5ModelC1ERKNS_13Specification5ModelE(void* self, const spec::Model& model) {
  __real__ZN6CoreML5ModelC1ERKNS_13Specification5ModelE(self, model);
  if (depth == 0) record("Model", model, whole(model));
}

extern "C" Result __real__ZN6CoreML5Model4saveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(Model*, const std::string&);
extern "C" Result __wrap__ZN6CoreML5Model4saveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    Model* model, const std::string& path) {
  depth += 1;
  Result result = __real__ZN6CoreML5Model4saveERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(model, path);
  depth -= 1;
  record("Model::save", model->getProto(), result);
  return result;
}

// MARK: The tests

static void run(const char* name, int (*function)()) {
  test = name;
  number = 0;
  depth = 0;
  int result;
  try {
    result = function();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    result = 1;
  }
  lines << "{\"test\": " << quoted(name) << ", \"passed\": " << (result == 0 ? "true" : "false") << "}" << std::endl;
}

// Prints the verdict on models in files.
static int check(int count, char* paths[]) {
  int refused = 0;
  for (int i = 0; i < count; i++) {
    spec::Model model;
    std::ifstream file(paths[i], std::ios::binary);
    auto result = model.ParseFromIstream(&file) ? whole(model) : Result(ResultType::FAILED_TO_DESERIALIZE, "not a model");
    std::printf("%s\t%s\t%s\n", result.good() ? "accepted" : "refused", paths[i], result.message().c_str());
    refused += !result.good();
  }
  return refused == 0 ? 0 : 1;
}

int main(int count, char* arguments[]) {
  if (count > 1 && std::string(arguments[1]) == "--check") return check(count - 2, arguments + 2);
  folder = arguments[1];
  std::filesystem::create_directories(folder);
  lines.open(folder + "/cases.jsonl");
#undef MLMODEL_RUN_TEST
#define MLMODEL_RUN_TEST(name) run(#name, name);
#include "runs.inc"
}
