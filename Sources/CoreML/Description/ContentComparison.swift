import Foundation

/// Objects that are equal if they are of one class and have the same content.
protocol ComparedByContent: NSObject {
  var content: [AnyHashable] { get }
}

extension ComparedByContent {
  func hasContent(of object: Any?) -> Bool { (object as? Self)?.content == content }
}
