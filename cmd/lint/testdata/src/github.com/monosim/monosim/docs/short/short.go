// Package short is version 1.2 of something.
package short // want `package comment of 1 sentences and 43 characters: say what the package is`
