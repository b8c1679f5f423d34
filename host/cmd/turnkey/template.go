package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt"
)

func templateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "template", Short: "Look at chat templates"}
	cmd.AddCommand(templateRenderCommand(), templateCheckCommand())
	return cmd
}

// templateSource is where a chat template comes from.
type templateSource struct{ template, tokenizerConfig string }

func templateRenderCommand() *cobra.Command {
	var source templateSource
	cmd := &cobra.Command{
		Use:   "render --chat-template FILE | --tokenizer-config FILE < request.json",
		Short: "Print the prompt that a chat template makes of a request",
		Long: "Reads a chat completion request and prints the prompt, byte for byte as Python's jinja2 renders it for Hugging Face's tokenizers. " +
			"chat_template_kwargs of the request reach the template; a tokenizer_config.json also tells the text of the beginning and end tokens.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return renderTemplate(cmd, &source) },
	}
	cmd.Flags().StringVar(&source.template, "chat-template", "", "file with the chat template")
	cmd.Flags().StringVar(&source.tokenizerConfig, "tokenizer-config", "", "a model's tokenizer_config.json, with its chat template in it or beside it")
	return cmd
}

func renderTemplate(cmd *cobra.Command, source *templateSource) error {
	template, in, err := source.loadTemplate()
	if err != nil {
		return err
	}
	body, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	var request struct {
		Messages []jsonx.Raw `json:"messages"`
		Tools    []jsonx.Raw `json:"tools"`
		Args     jsonx.Raw   `json:"chat_template_kwargs"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return fmt.Errorf("the request on standard input: %w", err)
	}
	if request.Messages == nil {
		return errors.New("the request on standard input has no messages")
	}
	in.Messages, in.Tools, in.Args = request.Messages, request.Tools, jsonx.Members(request.Args)
	text, err := template.Render(cmd.Context(), in)
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// loadTemplate compiles the template, and reads what else the tokenizer's configuration
// tells.
func (s *templateSource) loadTemplate() (*prompt.Template, prompt.Input, error) {
	switch {
	case (s.template == "") == (s.tokenizerConfig == ""):
		return nil, prompt.Input{}, errors.New("give --chat-template or --tokenizer-config")
	case s.tokenizerConfig != "":
		text, err := os.ReadFile(s.tokenizerConfig)
		if err != nil {
			return nil, prompt.Input{}, err
		}
		tokenizer, err := prompt.ReadTokenizerConfig(text)
		if err != nil {
			return nil, prompt.Input{}, fmt.Errorf("%s: %w", s.tokenizerConfig, err)
		}
		t, err := prompt.Compile(tokenizer.ChatTemplate)
		return t, prompt.Input{BOS: tokenizer.BOS, EOS: tokenizer.EOS}, err
	}
	text, err := os.ReadFile(s.template)
	if err != nil {
		return nil, prompt.Input{}, err
	}
	t, err := prompt.Compile(string(text))
	return t, prompt.Input{}, err
}
