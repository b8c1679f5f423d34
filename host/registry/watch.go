package registry

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// run calls rescan when the folder may have changed, until ctx ends. What comes
// from reload is a wish to look also at what was refused.
func (s *store) watchFolder(ctx context.Context, reload <-chan struct{}, rescan func(ctx context.Context, retry bool)) {
	w := s.newWatcher()
	defer w.close()
	quiet := time.NewTimer(0) // since the folder's last change; at once: it may have changed before it was watched
	defer quiet.Stop()
	var poll <-chan time.Time
	if s.cfg.Poll > 0 && s.cfg.Dir != "" {
		t := time.NewTicker(s.cfg.Poll)
		defer t.Stop()
		poll = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.events:
			quiet.Reset(s.cfg.Debounce)
		case err := <-w.errors:
			s.log.Warn("watching the modules folder", "error", err)
			quiet.Reset(s.cfg.Debounce)
		case <-quiet.C:
			rescan(ctx, false)
		case <-poll:
			w.addFolder(s.cfg.Dir) // it may have been made anew
			rescan(ctx, false)
		case <-reload:
			rescan(ctx, true)
		}
	}
}

// watcher is a watcher of the folder; without one its channels are silent.
type watcher struct {
	*fsnotify.Watcher
	events chan fsnotify.Event
	errors chan error
}

func (w *watcher) addFolder(dir string) {
	if w.Watcher != nil {
		_ = w.Add(dir)
	}
}

func (w *watcher) close() {
	if w.Watcher != nil {
		_ = w.Close()
	}
}

func (s *store) newWatcher() *watcher {
	if s.cfg.Dir == "" {
		return &watcher{}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.warnUnwatched(err)
		return &watcher{}
	}
	if err := w.Add(s.cfg.Dir); err != nil {
		s.warnUnwatched(err)
	}
	return &watcher{w, w.Events, w.Errors}
}

func (s *store) warnUnwatched(err error) {
	s.log.Warn("the modules folder can't be watched: changes are found by polling and by SIGHUP", "error", err, "modules.poll", s.cfg.Poll)
}
