// What the faces share with the engine: element types, shapes and storage, locks and log messages. All of it is `package`, so that users
// of the module see nothing.
@_exported public import MartletLock
@_exported public import MartletLog
@_exported public import MartletTensor
