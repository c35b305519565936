// Package both is named in STABILITY.md, and says otherwise.
//
// Unstable: any commit may change it.
package both // want `package comment says "Unstable: any commit may change it.", but STABILITY.md names it`
