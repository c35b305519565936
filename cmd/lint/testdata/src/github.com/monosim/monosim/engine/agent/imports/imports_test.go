package imports_test

import (
	_ "net" // want `import of net in deterministic room engine/agent/imports`
	_ "os"
	_ "path/filepath"
	_ "runtime"
	_ "sync" // want `import of sync `
	//lint:hidden two worlds run side by side
	_ "sync/atomic"
)
