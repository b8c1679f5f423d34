// Package replay is a backend that plays recorded raw outputs of models in place
// of an engine: to try turnkey out, to show a parser's work, and to look again at
// an output that went wrong.
//
// # Transcripts
//
// A transcript is a text file, NAME.txt, in a folder or one below it: a head of
// lines "key: value", a line "---", and then the model's raw output as it stands,
// markup and all. One line feed at the very end does not count. In the head,
// empty lines and lines that begin with # are skipped.
//
//	model:    names of the models that it answers for, or * for all
//	cue:      words; if they stand in the last user message this is the answer
//	          (upper and lower case are alike; the line may be repeated)
//	default:  true: the answer where no cue fits
//	calls:    tools that it calls; it is only played if the request offers them
//	finish:   stop (as without the line), length or content_filter
//	delay:    time between two tokens, such as 20ms
//
// Transcripts are tried in the order of their names. The output is cut into
// pieces as a tokenizer would, always the same; token ids are made up. A request's
// max_tokens and stop cut the answer as an engine would.
package replay

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Config says what is played.
type Config struct {
	// Dir is the folder of the transcripts; "" plays those that are built in.
	Dir string
	// Delay is the time between two tokens, for transcripts that don't say.
	Delay time.Duration
}

// Backend plays transcripts.
type Backend struct {
	transcripts []*Transcript
	delay       time.Duration
}

// profile: a recording can't be constrained, and tells its ends as vLLM does.
var profile = &backend.Profile{
	Name:            "replay",
	ContinuousUsage: true,
	TemplateArgs:    true,
	Evidence:        backend.EvidenceStopReason,
}

// New reads the transcripts.
func New(cfg Config) (*Backend, error) {
	var files fs.FS = os.DirFS(cfg.Dir)
	if cfg.Dir == "" {
		files, _ = fs.Sub(builtin, "transcripts")
	}
	list, err := loadTranscripts(files)
	if err != nil {
		return nil, fmt.Errorf("transcripts: %w", err)
	}
	return &Backend{transcripts: list, delay: cfg.Delay}, nil
}

// Transcripts lists what can be played.
func (b *Backend) Transcripts() []*Transcript { return b.transcripts }

// Profile is that of an engine which can't be constrained.
func (b *Backend) Profile() *backend.Profile { return profile }

// Stream chooses a transcript by the model and the last user message.
func (b *Backend) Stream(ctx context.Context, r *backend.Request) (backend.Stream, error) {
	model := r.Model
	if model == "" {
		model = r.Chat.Model
	}
	t := chooseTranscript(b.transcripts, model, lastUserText(r.Chat), toolNames(r))
	if t == nil {
		return nil, &backend.Error{Status: http.StatusNotFound, Code: backend.CodeStatus, Public: true,
			Message: fmt.Sprintf("there is no transcript for the model %q and this message: add one with default: true", model)}
	}
	delay := t.Delay
	if delay < 0 {
		delay = b.delay
	}
	return newStream(ctx, r, t, model, delay), nil
}

func lastUserText(r *openai.ChatRequest) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Text()
		}
	}
	return ""
}

func toolNames(r *backend.Request) []string {
	if !r.ShowTools {
		return nil
	}
	names := make([]string, len(r.Chat.Tools))
	for i, t := range r.Chat.Tools {
		names[i] = t.Name
	}
	return names
}
