// Package answers reads scripts that say what models answer to which inputs, as mock servers take
// them: values, errors and delays.
//
// The two things to use first:
//
//	script, err := answers.Parse("answers.yaml", text)   // err begins with file:line:column
//	answer := script.Find(answers.Question{Model: "ranker", Method: "Predict", Inputs: inputs})
//
// A script lists rules for each model; the first that fits a request answers it. A request that none
// fits is answered as without a script:
//
//	models:
//	  ranker:
//	    - inputs: {x: [1.0, 2.0]}        # these inputs are equal to those of the request
//	      outputs: {y: [2.5, 3.0]}       # in the dtypes of the signature
//	      delay: 20ms
//	    - examples: [{age: 30}]          # for Classify and Regress
//	      outputs: {scores: [[0.25, 0.75]]}
//	    - version: 3                     # also signature and method
//	      error: {code: UNAVAILABLE, message: busy}
//
// A list is a dimension. A mapping {dtype: DT_INT64, shape: [0, 2], values: []} says more of a tensor, and
// {b64: ...} is a string of any bytes.
//
// To change:
//
//   - the keys of a rule: rule.go
//   - how values are written, and when they are equal: values.go
//   - which rule answers: answers.go
//
// Unstable: any commit may change it.
package answers
