// Package untold says nothing of it.
package untold // want `package comment has no line "Unstable: any commit may change it."`
