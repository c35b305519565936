// Package told says it.
//
// Unstable: any commit may change it.
package told
