//go:build !race

package wasm

import "sync"

// The locks whose order the package's description tells. With the race detector
// they check it: see lock_race.go.
type (
	sessionMutex  = sync.Mutex
	startingMutex = sync.Mutex
	instanceMutex = sync.Mutex
	poolMutex     = sync.Mutex
)

// compilerSlowdown is by how much the build makes the compiler of modules slower.
const compilerSlowdown = 1
