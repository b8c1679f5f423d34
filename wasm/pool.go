package wasm

import (
	"fmt"
	"runtime"
	"slices"
)

// pool keeps a module's instances and spreads its sessions over them.
type pool struct {
	module *Module

	// starting is held while an instance for many sessions starts: who waits for
	// it finds room in that instance.
	starting startingMutex

	mu        poolMutex // guards the fields below, and the instances' that say so
	instances []*instance
	count     int // instances alive or starting
	closed    bool
}

// acquire gives an instance with room for one more session. alone asks for one
// that has served nobody and will serve nobody else.
func (p *pool) acquire(alone bool) (*instance, error) {
	if i, err := p.takeLive(alone, true); i != nil || err != nil {
		return i, err
	}
	if p.module.limits.sharesInstances() && !alone {
		p.starting.Lock()
		defer p.starting.Unlock()
		if i, err := p.takeLive(alone, true); i != nil || err != nil {
			return i, err
		}
	}
	p.mu.Lock()
	if err := exceeds("Instances", p.count+1, p.module.limits.Instances); err != nil {
		p.mu.Unlock()
		if i, e := p.takeLive(alone, false); i != nil || e != nil {
			return i, e
		}
		return nil, fmt.Errorf("module %s %s: %w", p.module.manifest.Module, p.module.manifest.Version, err)
	}
	p.count++
	p.mu.Unlock()
	return p.startInstance(alone)
}

// takeLive gives an instance that is alive. A busy one is taken only if there are as
// many as processors, or, if spread is false, in any case.
func (p *pool) takeLive(alone, spread bool) (*instance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	most := p.module.limits.SessionsPerInstance
	if alone {
		most = 1
	}
	var best *instance
	for _, i := range p.instances {
		if i.exclusive || i.wornOut.Load() || i.sessions >= most || alone && i.served > 0 {
			continue
		}
		if best == nil || i.sessions < best.sessions {
			best = i
		}
	}
	if best == nil || spread && best.sessions > 0 && p.count < runtime.GOMAXPROCS(0) {
		return nil, nil
	}
	best.addSession(alone)
	return best, nil
}

func (p *pool) startInstance(alone bool) (*instance, error) {
	i, err := newInstance(p.module)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && p.closed {
		i.closeGuest()
		err = ErrClosed
	}
	if err != nil {
		p.count--
		return nil, err
	}
	i.addSession(alone)
	p.instances = append(p.instances, i)
	return i, nil
}

// release ends a session's use of an instance, and the instance if it is not to
// be used again.
func (p *pool) release(i *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i.sessions--
	if i.sessions > 0 || !slices.Contains(p.instances, i) {
		return
	}
	spent := i.served > 0 && !p.module.limits.sharesInstances()
	if spent || i.exclusive || i.wornOut.Load() || p.count > runtime.GOMAXPROCS(0) {
		p.forgetInstance(i)
		i.closeGuest()
	}
}

// removeDead takes a dead instance out.
func (p *pool) removeDead(i *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgetInstance(i)
}

func (p *pool) forgetInstance(i *instance) {
	if at := slices.Index(p.instances, i); at >= 0 {
		p.instances = slices.Delete(p.instances, at, at+1)
		p.count--
	}
}

// closeAll ends all instances, after the calls that are running in them.
func (p *pool) closeAll() {
	p.mu.Lock()
	p.closed = true
	instances := slices.Clone(p.instances)
	p.mu.Unlock()
	for _, i := range instances {
		i.endWhenIdle()
	}
}

func (p *pool) instanceCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.instances)
}

// wasShared says whether more than one session has used the instance.
func (p *pool) wasShared(i *instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return i != nil && i.served > 1
}
