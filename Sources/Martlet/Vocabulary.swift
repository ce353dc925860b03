// Types that the faces share with the engine: element types, shapes and storage, locks and log messages. All of them are `package`, so that
// users of the module do not see them.
@_exported public import MartletLock
@_exported public import MartletLog
@_exported public import MartletTensor
