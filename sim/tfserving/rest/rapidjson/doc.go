// Package rapidjson reads and writes JSON as RapidJSON 1.1.0 does, with which
// tensorflow_model_server of both profiles is built: the same numbers, the same error for the
// same byte, the same white space and digits. Standard JSON packages cannot do that. They hide
// whether a number was written as an integer, which duplicate of a key came first, and where the
// text went wrong.
//
// The two things to use first are Parse and Writer:
//
//	value, err := rapidjson.Parse(body, rapidjson.Options{StopWhenDone: true})
//	w := rapidjson.NewWriter()   // PrettyWriter: four spaces, a line per element
//	w.SingleLineArrays(true)     // kFormatSingleLineArray
//
// Both allow NaN, Inf and Infinity, as the server does (kParseNanAndInfFlag).
//
// To change:
//
//   - what is accepted: parse.go, string.go, number.go
//   - the words of errors: error.go
//   - the layout: writer.go
//   - digits: grisu.go
//
// Unstable: any commit may change it.
package rapidjson
