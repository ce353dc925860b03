import Foundation

/// Objects that are equal if they have the same class and content.
protocol ComparedByContent: NSObject {
  var content: [AnyHashable] { get }
}

extension ComparedByContent {
  func hasContent(of object: Any?) -> Bool { (object as? Self)?.content == content }
}
