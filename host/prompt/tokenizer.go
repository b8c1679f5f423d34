package prompt

import (
	"errors"
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// TokenizerConfig is what a model's tokenizer_config.json says of its prompts.
type TokenizerConfig struct {
	// ChatTemplate is the template's source; of several, the one called default.
	ChatTemplate string
	// BOS and EOS are the texts of the beginning and end tokens; "" where the file
	// names none.
	BOS, EOS string
}

// ReadTokenizerConfig reads a tokenizer_config.json of a model repository. The error
// says which member can't be read.
func ReadTokenizerConfig(text []byte) (c TokenizerConfig, err error) {
	config, err := jsonx.Check(text)
	if err != nil {
		return c, err
	}
	if c.ChatTemplate, err = chatTemplate(jsonx.Get(config, "chat_template")); err != nil {
		return c, err
	}
	if c.BOS, err = tokenText(config, "bos_token"); err != nil {
		return c, err
	}
	c.EOS, err = tokenText(config, "eos_token")
	return c, err
}

// chatTemplate reads a template, or the default one of a list of named ones.
func chatTemplate(v jsonx.Raw) (string, error) {
	if s, ok := jsonx.String(v); ok {
		return s, nil
	}
	for list := jsonx.ArrayOf(v); ; {
		named, ok := list.Next()
		if !ok {
			return "", errors.New("chat_template: there is none; it may stand in a file of its own, chat_template.jinja")
		}
		if name, _ := jsonx.String(jsonx.Get(named, "name")); name == "default" {
			return chatTemplate(jsonx.Get(named, "template"))
		}
	}
}

// tokenText reads a token, which is its text or an object that holds it.
func tokenText(config jsonx.Raw, name string) (string, error) {
	v := jsonx.Get(config, name)
	if jsonx.IsObject(v) {
		v = jsonx.Get(v, "content")
	}
	if jsonx.IsNull(v) {
		return "", nil
	}
	s, ok := jsonx.String(v)
	if !ok {
		return "", fmt.Errorf("%s: want a token's text", name)
	}
	return s, nil
}
