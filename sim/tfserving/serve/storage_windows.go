package serve

import "os"

// readNames are the names in a directory.
func (d *disk) readNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// present says whether there is something of the name.
func present(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
