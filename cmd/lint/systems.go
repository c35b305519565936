package main

import (
	"os"

	"golang.org/x/tools/go/packages"
)

// checkSystem lists what of the packages and of all that they import is no right Go for an
// operating system. It fails where there is no such package or system.
//
// Types are checked from sources: that takes a tenth of the processor time of a build, which
// compiles the standard library for that system first.
func checkSystem(system string, patterns []string) (found []string, err error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Env:  append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for p := range packages.Postorder(pkgs) {
		if len(p.Errors) > 0 { // importers of a package with errors have none of their own
			found = append(found, loadErrors(p)...)
		}
	}
	return found, nil
}
