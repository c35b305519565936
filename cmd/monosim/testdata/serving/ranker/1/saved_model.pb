{
  "signatures": {
    "serving_default": {
      "inputs": {"features": {"dtype": 1, "shape": [-1, 3]}},
      "outputs": {"score": {"dtype": 1, "shape": [-1]}},
      "method": "tensorflow/serving/predict"
    }
  }
}
