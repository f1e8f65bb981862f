//go:build tools

// Package lint pins the version of the linter in a separate module, so that the adapter itself has no dependencies.
package lint

import _ "honnef.co/go/tools/cmd/staticcheck"
