import Fruit

// Four fruits at the same time, with one model.
let scale = FruitScale()
let fruits = [(firmness: 2.0, hue: 30.0), (firmness: 9.0, hue: 100.0), (firmness: 5.0, hue: 50.0), (firmness: 1.0, hue: 110.0)]
let reports = try await withThrowingTaskGroup(of: (Int, RipenessReport?).self) { group in
  for (index, fruit) in fruits.enumerated() {
    group.addTask { (index, try await scale.report(firmness: fruit.firmness, hue: fruit.hue)) }
  }
  var reports: [Int: RipenessReport] = [:]
  for try await (index, report) in group { reports[index] = report }
  return reports
}
for (index, fruit) in fruits.enumerated() {
  print("firmness \(fruit.firmness) N, hue \(fruit.hue)°: \(reports[index]?.text ?? "no result")")
}
print("models loaded: \(await ModelManager.shared.loadCount)")
