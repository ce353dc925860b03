import Testing
import UniformTypeIdentifiers

struct TypeTests {
  @Test func `types have identifiers, extensions and MIME types`() {
    #expect(UTType.png.identifier == "public.png")
    #expect(UTType.jpeg.identifier == "public.jpeg")
    #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
    #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
    #expect(UTType.jpeg.tags[.filenameExtension]?.contains("jpg") == true)
    #expect(UTType.image.preferredFilenameExtension == nil)
    #expect(UTType.json.preferredMIMEType == "application/json")
    #expect(UTType.mpeg4Movie.preferredFilenameExtension == "mp4")
    #expect(UTType.png.localizedDescription == "PNG image")
    #expect(UTType.png.description == "public.png")
    #expect(UTType.png.isPublic && UTType.png.isDeclared && !UTType.png.isDynamic)
    #expect(!UTType.gif.isPublic)
  }

  @Test func `types are found by identifier, extension and MIME type`() {
    #expect(UTType("public.heic") == .heic)
    #expect(UTType("PUBLIC.HEIC") == .heic)
    #expect(UTType("nobody.knows") == nil)
    #expect(UTType(filenameExtension: "jpg") == .jpeg)
    #expect(UTType(filenameExtension: "JPG") == .jpeg)
    #expect(UTType(filenameExtension: "") == nil)
    #expect(UTType(filenameExtension: "png", conformingTo: .image) == .png)
    #expect(UTType(mimeType: "image/webp") == .webP)
    #expect(UTType(mimeType: "audio/wav") == .wav)
    #expect(UTType(tag: "mov", tagClass: .filenameExtension, conformingTo: nil) == .quickTimeMovie)
    #expect(UTType.types(tag: "json", tagClass: .filenameExtension, conformingTo: nil) == [.json])
    #expect(UTType.types(tag: "json", tagClass: .filenameExtension, conformingTo: .image) == [])
  }

  @Test func `types conform to others`() {
    #expect(UTType.png.conforms(to: .image))
    #expect(UTType.png.conforms(to: .data) && UTType.png.conforms(to: .content) && UTType.png.conforms(to: .item))
    #expect(UTType.png.conforms(to: .png))
    #expect(!UTType.png.conforms(to: .movie))
    #expect(UTType.png.isSubtype(of: .image) && !UTType.png.isSubtype(of: .png))
    #expect(UTType.image.isSupertype(of: .heic))
    #expect(UTType.mpeg4Audio.conforms(to: .audio))
    #expect(UTType.swiftSource.conforms(to: .text))
    #expect(UTType.folder.conforms(to: .directory) && !UTType.folder.conforms(to: .data))
    #expect(UTType.png.supertypes == [.image, .data, .content, .item])
  }

  @Test func `names that nobody declares make dynamic types`() throws {
    let type = try #require(UTType(filenameExtension: "weights"))
    #expect(type.isDynamic && !type.isDeclared && !type.isPublic)
    #expect(type.preferredFilenameExtension == "weights")
    #expect(type.conforms(to: .data))
    #expect(UTType(filenameExtension: "weights") == type)
    #expect(UTType(type.identifier) == type)
    #expect(UTType(type.identifier)?.tags == [.filenameExtension: ["weights"]])
    let image = try #require(UTType(filenameExtension: "txt", conformingTo: .image))
    #expect(image.isDynamic && image.conforms(to: .image))
    #expect(UTType(filenameExtension: "mlmodel")?.preferredFilenameExtension == "mlmodel")
    #expect(UTType(filenameExtension: "mlpackage")?.conforms(to: .package) == true)
    #expect(UTType("dyn.zz") == nil)
    #expect(UTType("dyn.6") == nil)
  }

  @Test func `a program's own types have the parents it gives them`() {
    let own = UTType(exportedAs: "org.example.Drawing", conformingTo: .image)
    #expect(own.identifier == "org.example.drawing")
    #expect(own.conforms(to: .image) && own.conforms(to: .data))
    #expect(UTType(importedAs: "org.example.other").conforms(to: .data))
    #expect(UTType(importedAs: "org.example.other").preferredFilenameExtension == nil)
  }

  @Test func `types are values that can be stored`() throws {
    let data = try JSONEncoder().encode([UTType.png, .json])
    #expect(String(decoding: data, as: UTF8.self) == #"["public.png","public.json"]"#)
    #expect(try JSONDecoder().decode([UTType].self, from: data) == [.png, .json])
    #expect(Set([UTType.png, UTType("public.png")!]).count == 1)
  }

  @Test func `file names get the extension of a type unless they have one of it`() {
    let folder = URL(fileURLWithPath: "/photographs", isDirectory: true)
    #expect(folder.appendingPathComponent("readme", conformingTo: .plainText).path == "/photographs/readme.txt")
    #expect(folder.appendingPathComponent("puppy.jpg", conformingTo: .image).path == "/photographs/puppy.jpg")
    #expect(folder.appendingPathComponent("puppy.JPG", conformingTo: .jpeg).path == "/photographs/puppy.JPG")
    #expect(folder.appendingPathComponent("puppy.jpg", conformingTo: .plainText).path == "/photographs/puppy.jpg.txt")
    #expect(folder.appendingPathComponent("merges.txt", conformingTo: .url).path == "/photographs/merges.txt")
    #expect(!folder.appendingPathComponent("readme", conformingTo: .plainText).hasDirectoryPath)
    #expect(folder.appendingPathComponent("album", conformingTo: .folder).absoluteString == "file:///photographs/album/")
    #expect(folder.appendingPathComponent("Viewer", conformingTo: .applicationBundle).absoluteString == "file:///photographs/Viewer.app/")

    var file = URL(fileURLWithPath: "/photographs/puppy")
    file.appendPathExtension(for: .png)
    #expect(file.absoluteString == "file:///photographs/puppy.png")
    file.appendPathExtension(for: .image)
    #expect(file.absoluteString == "file:///photographs/puppy.png")
    #expect(file.appendingPathExtension(for: .json).absoluteString == "file:///photographs/puppy.png.json")
    #expect(file.appendingPathExtension(for: .applicationBundle).absoluteString == "file:///photographs/puppy.png.app/")
    file.appendPathComponent("copy", conformingTo: .tiff)
    #expect(file.path == "/photographs/puppy.png/copy.tiff")

    #expect(("/photographs" as NSString).appendingPathComponent("puppy", conformingTo: .gif) == "/photographs/puppy.gif")
    #expect(("puppy.gif" as NSString).appendingPathExtension(for: .gif) == "puppy.gif")
    #expect(("puppy" as NSString).appendingPathExtension(for: .image) == "puppy")
  }

  /// A misprint in the table would give a type without a declaration.
  @Test func `every parent and every type with a name is declared`() {
    let named: [UTType] = [
      .item, .content, .compositeContent, .directory, .volume, .symbolicLink, .diskImage, .package, .bundle, .framework, .application,
      .applicationBundle, .executable, .unixExecutable, .text, .plainText, .utf8PlainText, .utf16PlainText, .rtf, .html, .xml, .yaml, .css,
      .commaSeparatedText, .tabSeparatedText, .delimitedText, .sourceCode, .script, .shellScript, .pythonScript, .cSource, .cHeader,
      .cPlusPlusSource, .objectiveCSource, .javaScript, .propertyList, .xmlPropertyList, .binaryPropertyList, .url, .fileURL, .tiff, .gif,
      .bmp, .ico, .icns, .webP, .heif, .heics, .svg, .rawImage, .dng, .livePhoto, .pdf, .audiovisualContent, .video, .mpeg, .mpeg2Video,
      .mpeg2TransportStream, .appleProtectedMPEG4Audio, .avi, .mp3, .aiff, .midi, .playlist, .archive, .zip, .gzip, .bz2, .tarArchive,
      .appleArchive, .database, .spreadsheet, .presentation, .font, .threeDContent, .usd, .usdz, .message, .contact, .calendarEvent, .log,
      .x509Certificate,
    ]
    for type in named {
      #expect(type.isDeclared, "\(type)")
      for parent in type.supertypes { #expect(parent.isDeclared, "\(parent)") }
    }
  }
}
