package main

import (
	"os"

	"golang.org/x/tools/go/packages"
)

// checkSystem type-checks the packages and their imports for another operating system. It returns
// the type errors. It fails if a package or the system does not exist.
//
// Types are checked from source, which takes a tenth of the processor time of a build. A build
// would first compile the standard library for that system.
func checkSystem(system string, patterns []string) (found []string, err error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax,
		Env:  append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for p := range packages.Postorder(pkgs) {
		if len(p.Errors) > 0 { // a package that only imports a broken one lists no errors of its own
			found = append(found, loadErrors(p)...)
		}
	}
	return found, nil
}
