package replay

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed transcripts
var builtin embed.FS

// Transcript is one recorded answer.
type Transcript struct {
	// File is where it was read from.
	File string
	// Models are the models that it answers for; "*" stands for all.
	Models []string
	// Cues are words of the last user message that ask for it.
	Cues []string
	// Default says that it answers where no cue fits.
	Default bool
	// Calls are the tools that it calls: a request must offer all of them.
	Calls []string
	// Finish is the finish reason.
	Finish string
	// Delay is the time between two tokens; negative: the backend's.
	Delay time.Duration
	// Text is the raw output of the model.
	Text string
}

// headEnd is the line between a transcript's head and its text.
const headEnd = "---"

// parseTranscript reads a transcript. The text is everything behind the line "---" but for
// one line feed at its end, which editors add.
func parseTranscript(file, s string) (*Transcript, error) {
	t := &Transcript{File: file, Finish: "stop", Delay: -1}
	for number := 1; ; number++ {
		line, rest, more := strings.Cut(s, "\n")
		line = strings.TrimSpace(line)
		if line == headEnd {
			t.Text = strings.TrimSuffix(rest, "\n")
			break
		}
		if !more {
			return nil, fmt.Errorf("%s: the line %q that ends the head is missing", file, headEnd)
		}
		if err := t.field(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		s = rest
	}
	if len(t.Models) == 0 {
		return nil, fmt.Errorf("%s: it names no model: add a line such as model: *", file)
	}
	if len(t.Cues) == 0 && !t.Default {
		return nil, fmt.Errorf("%s: it can never be chosen: add a line such as cue: weather, or default: true", file)
	}
	return t, nil
}

// field reads one line of the head.
func (t *Transcript) field(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return errors.New(`want a line "key: value"`)
	}
	switch key {
	case "model":
		t.Models = append(t.Models, strings.Fields(value)...)
	case "cue":
		t.Cues = append(t.Cues, strings.ToLower(value))
	case "calls":
		t.Calls = append(t.Calls, strings.Fields(value)...)
	case "default":
		if value != "true" && value != "false" {
			return errors.New("default must be true or false")
		}
		t.Default = value == "true"
	case "finish":
		if !slices.Contains([]string{"stop", "length", "content_filter"}, value) {
			return fmt.Errorf("finish can't be %q: use stop, length or content_filter", value)
		}
		t.Finish = value
	case "delay":
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("delay can't be %q: write it as 20ms", value)
		}
		t.Delay = d
	default:
		return fmt.Errorf("no key %q: use model, cue, calls, default, finish or delay", key)
	}
	return nil
}

// loadTranscripts reads all transcripts below a folder, in the order of their names.
func loadTranscripts(files fs.FS) ([]*Transcript, error) {
	var list []*Transcript
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".txt" {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		t, err := parseTranscript(name, string(data))
		if err != nil {
			return err
		}
		list = append(list, t)
		return nil
	})
	if err == nil && len(list) == 0 {
		err = errors.New("there is no transcript: *.txt")
	}
	return list, err
}

// chooseTranscript picks the answer to a message for a model: the first transcript of which
// a cue stands in the message, else a default. A transcript that calls tools needs
// a request that offers them; where one is offered, such a default comes first.
func chooseTranscript(list []*Transcript, model, message string, tools []string) *Transcript {
	message = strings.ToLower(message)
	var plain, calling *Transcript
	for _, t := range list {
		if !t.fitsRequest(model, tools) {
			continue
		}
		if slices.ContainsFunc(t.Cues, func(cue string) bool { return strings.Contains(message, cue) }) {
			return t
		}
		switch {
		case !t.Default:
		case len(t.Calls) > 0 && calling == nil:
			calling = t
		case len(t.Calls) == 0 && plain == nil:
			plain = t
		}
	}
	if calling != nil {
		return calling
	}
	return plain
}

func (t *Transcript) fitsRequest(model string, tools []string) bool {
	if !slices.Contains(t.Models, model) && !slices.Contains(t.Models, "*") {
		return false
	}
	for _, name := range t.Calls {
		if !slices.Contains(tools, name) {
			return false
		}
	}
	return true
}
