import CoreML

// Prints what the model computes from ones; the product depends on its weights.
let model = try arithmetic(configuration: MLModelConfiguration())
let ones = MLShapedArray<Float>(repeating: 1, shape: [1, 3])
let output = try model.prediction(x: ones, y: ones)
print(arithmetic.urlOfModelInThisBundle.lastPathComponent, output.sumShapedArray.scalars, output.productShapedArray.scalars)
