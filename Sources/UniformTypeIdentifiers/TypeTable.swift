/// A type that is declared here.
struct TypeDeclaration: Sendable {
  let identifier: String
  let parents: [String]
  let extensions: [String]
  let mimeTypes: [String]
  let description: String?
}

/// The types that are known, from the lines of a text.
enum TypeTable {
  /// Identifier | identifiers of the types that it conforms to | file name extensions | MIME types | description. Preferred tags come first.
  private static let text = """
    public.item|||
    public.content|||
    public.composite-content|public.content||
    public.data|public.item||application/octet-stream
    public.directory|public.item||
    public.folder|public.directory|||folder
    public.volume|public.folder|||volume
    public.symlink|public.item|||symbolic link
    public.disk-image|public.item|||disk image
    com.apple.package|public.directory|||package
    com.apple.bundle|public.directory|||bundle
    com.apple.framework|com.apple.bundle|framework||framework
    com.apple.application|||
    com.apple.application-bundle|com.apple.application com.apple.bundle com.apple.package|app||application
    public.executable|public.item|||executable
    public.unix-executable|public.data public.executable|||Unix executable
    public.text|public.data public.content|||text
    public.plain-text|public.text|txt text|text/plain|text
    public.utf8-plain-text|public.plain-text||text/plain;charset=utf-8|Unicode text
    public.utf16-plain-text|public.plain-text||text/plain;charset=utf-16|Unicode text
    public.rtf|public.text|rtf|text/rtf application/rtf|rich text
    public.html|public.text|html htm shtml|text/html|HTML text
    public.xml|public.text|xml|application/xml text/xml|XML text
    public.json|public.text|json|application/json|JSON text
    public.yaml|public.text|yml yaml|application/x-yaml|YAML
    public.css|public.text|css|text/css|CSS
    public.comma-separated-values-text|public.delimited-values-text|csv|text/csv|CSV document
    public.tab-separated-values-text|public.delimited-values-text|tsv|text/tab-separated-values|TSV document
    public.delimited-values-text|public.text|||delimited text
    net.daringfireball.markdown|public.plain-text|md markdown|text/markdown|Markdown text
    public.source-code|public.plain-text|||source code
    public.script|public.source-code|||script
    public.shell-script|public.script|sh command|text/x-sh application/x-sh|shell script
    public.python-script|public.script|py|text/x-python-script|Python script
    public.swift-source|public.source-code|swift||Swift source
    public.c-source|public.source-code|c||C source
    public.c-header|public.source-code|h||C header
    public.c-plus-plus-source|public.source-code|cp cpp cc cxx||C++ source
    public.objective-c-source|public.source-code|m||Objective-C source
    com.netscape.javascript-source|public.source-code public.executable|js mjs|text/javascript application/javascript|JavaScript
    com.apple.property-list|public.data|plist||property list
    com.apple.xml-property-list|public.xml com.apple.property-list||application/x-plist|XML property list
    com.apple.binary-property-list|com.apple.property-list|||binary property list
    public.url|public.data|||URL
    public.file-url|public.url|||file URL
    public.image|public.data public.content|||image
    public.jpeg|public.image|jpeg jpg jpe jfif|image/jpeg image/jpg|JPEG image
    public.png|public.image|png|image/png|PNG image
    public.tiff|public.image|tiff tif|image/tiff|TIFF image
    com.compuserve.gif|public.image|gif|image/gif|GIF image
    com.microsoft.bmp|public.image|bmp dib|image/bmp image/x-bmp|BMP image
    com.microsoft.ico|public.image|ico|image/vnd.microsoft.icon image/x-icon|icon image
    com.apple.icns|public.image|icns||icon image
    org.webmproject.webp|public.image|webp|image/webp|WebP image
    public.heif-standard|public.image||
    public.heif|public.heif-standard|heif hif|image/heif|HEIF image
    public.heic|public.heif-standard|heic|image/heic|HEIC image
    public.heics|public.heif-standard|heics|image/heic-sequence|HEIC sequence
    public.avif|public.heif-standard|avif|image/avif|AVIF image
    public.svg-image|public.image public.xml|svg svgz|image/svg+xml|SVG document
    public.camera-raw-image|public.image|||raw image
    com.adobe.raw-image|public.camera-raw-image|dng|image/x-adobe-dng|DNG image
    com.adobe.photoshop-image|public.image|psd|image/vnd.adobe.photoshop|Photoshop document
    com.apple.live-photo|public.content|||Live Photo
    com.adobe.pdf|public.data public.composite-content|pdf|application/pdf|PDF document
    public.audiovisual-content|public.data public.content|||audiovisual content
    public.movie|public.audiovisual-content|||movie
    public.video|public.movie|||video
    public.audio|public.audiovisual-content|||audio
    com.apple.quicktime-movie|public.movie|mov qt|video/quicktime|QuickTime movie
    public.mpeg|public.movie|mpg mpeg mpe|video/mpeg|MPEG movie
    public.mpeg-2-video|public.video|m2v|video/mpeg2|MPEG-2 video
    public.mpeg-2-transport-stream|public.movie|ts|video/mp2t|MPEG-2 transport stream
    public.mpeg-4|public.movie|mp4 mpg4|video/mp4|MPEG-4 movie
    com.apple.m4v-video|public.movie|m4v|video/x-m4v|Apple MPEG-4 movie
    public.avi|public.movie|avi vfw|video/avi video/x-msvideo|AVI movie
    org.webmproject.webm|public.movie|webm|video/webm|WebM movie
    org.matroska.mkv|public.movie|mkv|video/x-matroska|Matroska movie
    public.mp3|public.audio|mp3 mpga|audio/mpeg audio/mp3|MP3 audio
    public.mpeg-4-audio|public.mpeg-4 public.audio|m4a|audio/mp4 audio/x-m4a|MPEG-4 audio
    com.apple.protected-mpeg-4-audio|public.audio|m4p||protected MPEG-4 audio
    com.microsoft.waveform-audio|public.audio|wav wave|audio/vnd.wave audio/wav audio/x-wav|Waveform audio
    public.aiff-audio|public.audio|aiff aif|audio/aiff audio/x-aiff|AIFF audio
    org.xiph.flac|public.audio|flac|audio/flac|FLAC audio
    com.apple.coreaudio-format|public.audio|caf|audio/x-caf|Core Audio file
    public.midi-audio|public.audio|midi mid|audio/midi|MIDI audio
    public.playlist|public.content|||playlist
    public.archive|public.data|||archive
    public.zip-archive|public.archive|zip|application/zip|ZIP archive
    org.gnu.gnu-zip-archive|public.archive|gz gzip|application/gzip application/x-gzip|gzip archive
    public.bzip2-archive|public.archive|bz2 bz|application/x-bzip2|bzip2 archive
    public.tar-archive|public.archive|tar|application/x-tar|tar archive
    com.apple.archive|public.archive|aar yaa||Apple archive
    public.database|public.data|||database
    public.spreadsheet|public.content|||spreadsheet
    public.presentation|public.composite-content|||presentation
    public.font|public.data|||font
    public.truetype-ttf-font|public.font|ttf|font/ttf|TrueType font
    public.opentype-font|public.font|otf|font/otf|OpenType font
    public.3d-content|public.content|||3D content
    com.pixar.universal-scene-description|public.3d-content public.data|usd||USD scene
    com.pixar.universal-scene-description-mobile|public.3d-content public.data|usdz|model/vnd.usdz+zip|USDZ scene
    public.message|public.data|||message
    public.contact|public.data|||contact
    public.calendar-event|public.data|||event
    public.log|public.plain-text|log||log
    public.x509-certificate|public.data|cer crt|application/x-x509-ca-cert|certificate
    com.apple.coreml.model|public.data|mlmodel||Core ML model
    com.apple.coreml.mlpackage|com.apple.package|mlpackage||Core ML package
    """

  static let all: [TypeDeclaration] = text.split(separator: "\n").map { line in
    let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init) + ["", "", "", ""]
    func words(_ index: Int) -> [String] { fields[index].split(separator: " ").map(String.init) }
    return TypeDeclaration(
      identifier: fields[0], parents: words(1), extensions: words(2), mimeTypes: words(3), description: fields[4].isEmpty ? nil : fields[4])
  }

  static let byIdentifier = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }

  /// Types by a tag in lower case, in the order of the table.
  static let byExtension = index(\.extensions)
  static let byMIMEType = index(\.mimeTypes)

  private static func index(_ tags: KeyPath<TypeDeclaration, [String]>) -> [String: [TypeDeclaration]] {
    var result: [String: [TypeDeclaration]] = [:]
    for declaration in all { for tag in declaration[keyPath: tags] { result[tag, default: []].append(declaration) } }
    return result
  }
}
