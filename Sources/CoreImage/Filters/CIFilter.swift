import CoreGraphics
import Foundation

/// An operation on images with inputs that have names. Filters can be changed, and must not be shared by threads while they are.
///
/// `outputImage` is a recipe with the inputs at that time. Values of the inputs named `inputTransform` are a `CGAffineTransform`, an
/// `AffineTransform` or a `CIVector` of six numbers. A subclass overrides `outputImage`.
open class CIFilter: NSObject, NSCopying {
  let definition: FilterDefinition?
  private var values: [String: Any] = [:]
  /// The name that the filter was made by; a name of the client's choice if it sets one.
  open var name: String

  public override init() {
    definition = nil
    name = ""
    super.init()
    name = String(describing: type(of: self))
  }

  init(_ definition: FilterDefinition) {
    self.definition = definition
    name = definition.name
    super.init()
  }

  /// A filter with the default values of its inputs; nil for a name of no filter here.
  public convenience init?(name: String) {
    guard let definition = FilterDefinition.all[name] else { return nil }
    self.init(definition)
  }

  /// A filter with values for some of its inputs; nil for a name of no filter here.
  public convenience init?(name: String, parameters params: [String: Any]?) {
    self.init(name: name)
    for (key, value) in params ?? [:] { setValue(value, forKey: key) }
  }

  /// Same, under the name that this has in Objective-C.
  public convenience init?(name: String, withInputParameters params: [String: Any]?) { self.init(name: name, parameters: params) }

  /// The names of all filters, or those of a category, in alphabetical order.
  open class func filterNames(inCategory category: String?) -> [String] {
    FilterDefinition.all.values.filter { category == nil || category == kCICategoryBuiltIn || $0.category == category }.map(\.name).sorted()
  }

  open class func filterNames(inCategories categories: [String]?) -> [String] {
    guard let categories else { return filterNames(inCategory: nil) }
    return categories.map { Set(filterNames(inCategory: $0)) }.reduce(into: Set(filterNames(inCategory: nil))) { $0.formIntersection($1) }
      .sorted()
  }

  open class func localizedName(forFilterName filterName: String) -> String? { FilterDefinition.all[filterName]?.displayName }

  open var inputKeys: [String] { definition?.inputs.map(\.key) ?? [] }
  open var outputKeys: [String] { [kCIOutputImageKey] }

  /// Gives every input its default value.
  open func setDefaults() { values = [:] }

  /// Sets an input; nil sets its default value. Keys that the filter does not have are ignored.
  open func setValue(_ value: Any?, forKey key: String) {
    guard definition == nil || inputKeys.contains(key) else { return }
    values[key] = value is NSNull ? nil : value
  }

  /// The value of an input, or `outputImage`; nil for an image that is not set and a key that the filter does not have.
  open func value(forKey key: String) -> Any? {
    if key == kCIOutputImageKey { return outputImage }
    return values[key] ?? definition?.inputs.first { $0.key == key }?.defaultValue
  }

  /// The result; nil where an input is missing.
  open var outputImage: CIImage? {
    guard let definition else { return nil }
    return definition.output(FilterValues(definition: definition, given: values)).map { recipe in
      CIImage(recipe, properties: (values[kCIInputImageKey] as? CIImage)?.properties ?? [:])
    }
  }

  /// Name and category, and for each input its class and default value.
  open var attributes: [String: Any] {
    guard let definition else { return [kCIAttributeFilterName: name] }
    var result: [String: Any] = [
      kCIAttributeFilterName: definition.name, kCIAttributeFilterDisplayName: definition.displayName,
      kCIAttributeFilterCategories: [definition.category, kCICategoryBuiltIn],
    ]
    for input in definition.inputs {
      var described: [String: Any] = [kCIAttributeClass: input.kind.rawValue]
      described[kCIAttributeDefault] = input.defaultValue
      result[input.key] = described
    }
    return result
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    guard let definition else { return self }
    let copy = type(of: self).instance(definition) ?? CIFilter(definition)
    copy.values = values
    copy.name = name
    return copy
  }

  /// A filter of a subclass that has a definition.
  class func instance(_ definition: FilterDefinition) -> CIFilter? { nil }
}
