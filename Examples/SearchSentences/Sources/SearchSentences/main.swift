import CoreML

// SearchSentences [QUERY …]

let text = try String(contentsOf: Bundle.main.url(forResource: "sentences", withExtension: "txt")!, encoding: .utf8)
let index = try SentenceIndex(text.split(separator: "\n").map(String.init))
let queries =
  CommandLine.arguments.count > 1
  ? Array(CommandLine.arguments.dropFirst())
  : ["send e-mail", "an editor for photographs", "astronomy for beginners", "store passwords", "learn french"]

for query in queries {
  print(query)
  for (sentence, likeness) in try index.search(query, count: 2) {
    print(String(format: "  %.2f  ", likeness) + sentence)
  }
}
