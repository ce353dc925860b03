// Replaced as the layer grows.
