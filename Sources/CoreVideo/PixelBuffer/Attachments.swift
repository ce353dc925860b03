public import Foundation

/// Whether an attachment is copied when attachments are propagated to another buffer.
public enum CVAttachmentMode: UInt32, Sendable {
  case shouldNotPropagate = 0
  case shouldPropagate = 1
}

/// Attaches `value` to the buffer and replaces the previous value of `key`.
public func CVBufferSetAttachment(_ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ attachmentMode: CVAttachmentMode) {
  buffer.setAttachment(CVBuffer.Attachment(value: value, mode: attachmentMode), for: key)
}

/// Attaches the values of a dictionary. Entries whose key is not a string are ignored.
public func CVBufferSetAttachments(_ buffer: CVBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode) {
  for (key, value) in theAttachments {
    guard let key = key as? String else { continue }
    CVBufferSetAttachment(buffer, key as CFString, value as AnyObject, attachmentMode)
  }
}

/// The value of `key`, which the buffer retains, and its mode; nil if there is none.
public func CVBufferGetAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> Unmanaged<CFTypeRef>? {
  unsafe CVBufferCopyAttachment(buffer, key, attachmentMode).map { unsafe Unmanaged.passUnretained($0) }
}

/// The value of `key` and its mode; nil if there is none.
public func CVBufferCopyAttachment(
  _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
  guard let attachment = buffer.attachment(for: key) else { return nil }
  unsafe attachmentMode?.pointee = attachment.mode
  return attachment.value
}

public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool {
  buffer.attachment(for: key) != nil
}

/// All attachments of one mode; nil if there are none.
public func CVBufferGetAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  CVBufferCopyAttachments(buffer, attachmentMode)
}

/// All attachments of one mode; nil if there are none.
public func CVBufferCopyAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
  let attachments = buffer.attachments(of: attachmentMode)
  return attachments.isEmpty ? nil : attachments as CFDictionary
}

public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) {
  buffer.setAttachment(nil, for: key)
}

public func CVBufferRemoveAllAttachments(_ buffer: CVBuffer) {
  buffer.removeAllAttachments()
}

/// Copies the attachments of `sourceBuffer` with mode `shouldPropagate` to `destinationBuffer`, which keeps its other attachments.
public func CVBufferPropagateAttachments(_ sourceBuffer: CVBuffer, _ destinationBuffer: CVBuffer) {
  for (key, value) in sourceBuffer.attachments(of: .shouldPropagate) {
    CVBufferSetAttachment(destinationBuffer, key as CFString, value, .shouldPropagate)
  }
}
