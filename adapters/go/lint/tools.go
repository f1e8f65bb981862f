//go:build tools

// Package lint pins the version of what lints the adapter, in a module of its own, so that the adapter needs nothing.
package lint

import _ "honnef.co/go/tools/cmd/staticcheck"
