import MartletTensor

extension SharedLibrary.LoadFailure {
  func mediaError(file: String, field: String) -> MediaError {
    MediaError(
      file: file, field: field,
      reason: .missingLibrary(name: libraryName, debianPackage: debianPackage, detail: detail))
  }
}
