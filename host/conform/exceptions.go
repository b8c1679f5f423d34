package conform

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
)

// PublishedExceptions are the exceptions of templates that models and engines publish.
//
//go:embed exceptions.json
var PublishedExceptions []byte

// TemplateException argues why a template's turns can't be read back: the template
// itself loses what the message said. It covers only differences of which that can be
// shown: the template renders what was parsed as it renders the message. Unproven ones
// cover others too.
type TemplateException struct {
	// Template and Case are patterns of names, in which * stands for any text.
	Template string `json:"template"`
	Case     string `json:"case"`
	Why      string `json:"why"`
	Unproven bool   `json:"unproven"`
}

// ParseTemplateExceptions reads a list of exceptions from JSON.
func ParseTemplateExceptions(text []byte) ([]TemplateException, error) {
	var list []TemplateException
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("exceptions: %w", err)
	}
	for i, e := range list {
		if e.Template == "" || e.Case == "" || e.Why == "" {
			return nil, fmt.Errorf("exceptions[%d]: template, case and why are needed", i)
		}
		for _, pattern := range []string{e.Template, e.Case} {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("exceptions[%d]: %q: %w", i, pattern, err)
			}
		}
	}
	return list, nil
}

func (e *TemplateException) matches(c *templateCase) bool {
	return globMatches(e.Template, c.Template) && globMatches(e.Case, c.Name)
}

// covers says whether the exception is why a round trip failed.
func (e *TemplateException) covers(c *templateCase, trip *tripResult) bool {
	return (trip.rendersAlike || e.Unproven) && e.matches(c)
}

// concerns says whether the suite has a case that the exception is about.
func (e *TemplateException) concerns(s *templateSuite) bool {
	for i := range s.cases {
		if e.matches(&s.cases[i]) {
			return true
		}
	}
	return false
}

// globMatches is path.Match for names that may hold a slash.
func globMatches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
