// Command callbench-go is the runner of Go.
package main

import (
	"callbench.org/adapters/go/kit"
	"callbench.org/adapters/go/nethttp"
)

func main() { kit.Run("0.1.0", nethttp.Hello(), nethttp.JSON()) }
