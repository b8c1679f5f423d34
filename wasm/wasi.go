package wasm

import (
	"context"
	"encoding/binary"
	"log/slog"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"golang.org/x/time/rate"
)

// The stub of WASI preview 1: every function is there, so that toolchains'
// modules load; none reaches anything outside of the guest.

const wasiModule = "wasi_snapshot_preview1"

// WASI's error numbers.
const (
	errnoSuccess    = 0
	errnoBadf       = 8
	errnoFault      = 21
	errnoInval      = 28
	errnoNotcapable = 76
)

const (
	// clockNow is where the clock stands: not 0, which Go's runtime takes for a
	// broken clock.
	clockNow = 1_000_000_000

	// maxPolls is how often a guest may sleep in one call; a sleep takes no time.
	maxPolls = 64

	// maxRandom is the most random bytes that a guest gets at once.
	maxRandom = 4096

	// maxLine is how much of what a guest writes at once goes to the log, in bytes.
	maxLine = 1024
)

// wasiSignatures are the functions of WASI preview 1.
var wasiSignatures = map[string]string{
	"proc_exit":   "(i32) → ()",
	"sched_yield": "() → i32",
}

// wasiParams are the parameters of the functions that answer an error number: i
// is an i32, I an i64.
var wasiParams = map[string]string{
	"args_get": "ii", "args_sizes_get": "ii", "environ_get": "ii", "environ_sizes_get": "ii",
	"clock_res_get": "ii", "clock_time_get": "iIi", "poll_oneoff": "iiii", "proc_raise": "i",
	"random_get": "ii", "sched_yield": "",
	"fd_advise": "iIIi", "fd_allocate": "iII", "fd_close": "i", "fd_datasync": "i",
	"fd_fdstat_get": "ii", "fd_fdstat_set_flags": "ii", "fd_fdstat_set_rights": "iII",
	"fd_filestat_get": "ii", "fd_filestat_set_size": "iI", "fd_filestat_set_times": "iIIi",
	"fd_pread": "iiiIi", "fd_prestat_get": "ii", "fd_prestat_dir_name": "iii", "fd_pwrite": "iiiIi",
	"fd_read": "iiii", "fd_readdir": "iiiIi", "fd_renumber": "ii", "fd_seek": "iIii",
	"fd_sync": "i", "fd_tell": "ii", "fd_write": "iiii",
	"path_create_directory": "iii", "path_filestat_get": "iiiii", "path_filestat_set_times": "iiiiIIi",
	"path_link": "iiiiiii", "path_open": "iiiiiIIii", "path_readlink": "iiiiii",
	"path_remove_directory": "iii", "path_rename": "iiiiii", "path_symlink": "iiiii",
	"path_unlink_file": "iii",
	"sock_accept":      "iii", "sock_recv": "iiiiii", "sock_send": "iiiii", "sock_shutdown": "ii",
}

// wasiFuncs do something; all others answer wasiRefuse's error.
var wasiFuncs = map[string]func(i *instance, p []uint64) uint32{
	"args_get":          wasiNothing,
	"args_sizes_get":    wasiNoSizes,
	"environ_get":       wasiNothing,
	"environ_sizes_get": wasiNoSizes,
	"clock_res_get":     func(i *instance, p []uint64) uint32 { return i.put64(p[1], 1) },
	"clock_time_get":    func(i *instance, p []uint64) uint32 { return i.put64(p[2], clockNow) },
	"sched_yield":       wasiNothing,
	"random_get":        wasiRandom,
	"poll_oneoff":       wasiPoll,
	"fd_write":          wasiWrite,
	"fd_fdstat_get":     wasiStat,
}

func init() {
	for name, params := range wasiParams {
		wasiSignatures[name] = signature(wasiTypes(params), []api.ValueType{api.ValueTypeI32})
	}
}

func wasiTypes(params string) []api.ValueType {
	types := make([]api.ValueType, len(params))
	for at, c := range params {
		types[at] = api.ValueTypeI32
		if c == 'I' {
			types[at] = api.ValueTypeI64
		}
	}
	return types
}

// addWASI puts the stub into the engine. It finds the guest through the context
// of the call.
func addWASI(ctx context.Context, engine wazero.Runtime) error {
	b := engine.NewHostModuleBuilder(wasiModule)
	for name, params := range wasiParams {
		f := wasiFuncs[name]
		if f == nil {
			f = wasiRefuse(name)
		}
		export := func(ctx context.Context, stack []uint64) {
			i := ctx.Value(instanceKey{}).(*instance)
			for at, c := range params {
				if c == 'i' { // the upper half may hold anything
					stack[at] = uint64(uint32(stack[at]))
				}
			}
			stack[0] = uint64(f(i, stack))
		}
		b.NewFunctionBuilder().
			WithGoFunction(api.GoFunc(export), wasiTypes(params), []api.ValueType{api.ValueTypeI32}).
			Export(name)
	}
	exit := func(_ context.Context, stack []uint64) { panic(&ExitError{Code: uint32(stack[0])}) }
	b.NewFunctionBuilder().
		WithGoFunction(api.GoFunc(exit), wasiTypes("i"), nil).
		Export("proc_exit")
	_, err := b.Instantiate(ctx)
	return err
}

func wasiRefuse(name string) func(*instance, []uint64) uint32 {
	errno := uint32(errnoNotcapable)
	if strings.HasPrefix(name, "fd_") {
		errno = errnoBadf
	}
	return func(*instance, []uint64) uint32 { return errno }
}

func wasiNothing(*instance, []uint64) uint32 { return errnoSuccess }

func wasiNoSizes(i *instance, p []uint64) uint32 {
	return max(i.put32(p[0], 0), i.put32(p[1], 0))
}

// wasiRandom gives the same bytes at every call.
func wasiRandom(i *instance, p []uint64) uint32 {
	b, ok := i.memoryAt(uint32(p[0]), uint32(p[1]))
	if !ok {
		return errnoFault
	}
	if len(b) > maxRandom {
		return errnoInval
	}
	state := uint64(0x9e3779b97f4a7c15)
	for at := range b {
		state = state*6364136223846793005 + 1442695040888963407
		b[at] = byte(state >> 56)
	}
	return errnoSuccess
}

// wasiPoll answers that the first subscription's time has come, a few times;
// then the guest is taken to wait for ever.
func wasiPoll(i *instance, p []uint64) uint32 {
	if i.polls++; i.polls > maxPolls {
		panic(ErrWaits)
	}
	in, ok := i.memoryAt(uint32(p[0]), 48)
	if !ok {
		return errnoFault
	}
	if kind := in[8]; kind != 0 { // not a clock
		return errnoBadf
	}
	out, ok := i.memoryAt(uint32(p[1]), 32)
	if !ok {
		return errnoFault
	}
	var userdata [8]byte
	copy(userdata[:], in)
	clear(out)
	copy(out, userdata[:])
	return i.put32(p[3], 1)
}

// wasiWrite logs what goes to stdout and stderr.
func wasiWrite(i *instance, p []uint64) uint32 {
	if p[0] != 1 && p[0] != 2 {
		return errnoBadf
	}
	if uint32(p[2]) > 64 {
		return errnoInval
	}
	vectors, ok := i.memoryAt(uint32(p[1]), 8*uint32(p[2]))
	if !ok {
		return errnoFault
	}
	var line [maxLine]byte
	kept, written := 0, uint32(0)
	for ; len(vectors) > 0; vectors = vectors[8:] {
		b, ok := i.memoryAt(binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:]))
		if !ok {
			return errnoFault
		}
		kept += copy(line[kept:], b)
		written += uint32(len(b))
	}
	i.module.logOutput(int(p[0]), line[:kept])
	return i.put32(p[3], written)
}

// wasiStat says that stdin, stdout and stderr are character devices.
func wasiStat(i *instance, p []uint64) uint32 {
	if p[0] > 2 {
		return errnoBadf
	}
	b, ok := i.memoryAt(uint32(p[1]), 24)
	if !ok {
		return errnoFault
	}
	clear(b)
	b[0] = 2
	return errnoSuccess
}

func (i *instance) put32(at uint64, v uint32) uint32 {
	b, ok := i.memoryAt(uint32(at), 4)
	if !ok {
		return errnoFault
	}
	binary.LittleEndian.PutUint32(b, v)
	return errnoSuccess
}

func (i *instance) put64(at uint64, v uint64) uint32 {
	b, ok := i.memoryAt(uint32(at), 8)
	if !ok {
		return errnoFault
	}
	binary.LittleEndian.PutUint64(b, v)
	return errnoSuccess
}

// newOutputLimit is how often a module's output is logged.
func newOutputLimit() *rate.Limiter { return rate.NewLimiter(5, 50) }

// logOutput logs what a guest wrote, as long as it does not write too often.
func (m *Module) logOutput(fd int, line []byte) {
	log := m.runtime.logger
	if !log.Enabled(context.Background(), slog.LevelDebug) || !m.outputLimit.Allow() {
		return
	}
	log.Debug("output of a parser module", "module", m.manifest.Module, "version", m.manifest.Version,
		"fd", fd, "text", strings.TrimRight(string(line), "\n"))
}
