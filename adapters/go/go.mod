module callbench.org/adapters/go

go 1.19
