// Apple's framework exports Foundation, too.
@_exported public import Foundation

/// The module that Apple's `OSLog` framework re-exports: log messages, signposts and locks. Reading stored messages (`OSLogStore`) is absent,
/// since messages are written and not kept.
@_exported public import os
