// Empty: with an assembly file in its package, Go takes a function without a body, which clock.go links to the runtime's.
