// Package registry keeps the parser modules: those that ship, those of an
// operator's folder, those that an administrator hands in, and parser processes.
//
// A request takes a Lease of the versions that are live; a change of a module
// is one atomic swap: new requests take the new version, running ones keep
// theirs, and a version that was replaced is closed when its last request ends.
// Before a version goes live it is verified, inspected, compiled and tested.
//
// # Parts
//
// A Registry is made of five parts, each of which knows the ones before it:
//
//   - names (names.go, table.go, slot.go, lease.go): which version answers to
//     which name. A state is never changed, only replaced, so that requests read
//     it without a lock.
//   - loader (load.go, verify.go, builtin.go): makes a version of a module's
//     bytes. A wasm.Build carries their digest and manifest along, so that each is
//     found out once.
//   - store (store.go, watch.go): the folder, and what was last seen in it.
//   - deployer (deploy.go, trial.go, shadow.go, canary.go, process.go): brings
//     versions into service, at once or by a trial, and takes them out.
//   - guard (guard.go, faults.go): counts faults, ends trials that are decided,
//     keeps versions over their budget in quarantine.
//
// # Locks
//
// There are two orders of locks, from the outside in: Registry.change, version.mu;
// and shadowRun.mu, then what a parser's session locks. faults.mu is held around
// nothing else. Registry.change is held while a module is compiled and tested, so
// no request takes it, and nothing that package wasm calls back: onModuleFault
// only counts and wakes.
package registry
