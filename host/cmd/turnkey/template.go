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

// templateSource is where a chat template comes from, and how it is rendered.
type templateSource struct {
	template, tokenizerConfig string
	asServed                  bool
}

func templateRenderCommand() *cobra.Command {
	var source templateSource
	cmd := &cobra.Command{
		Use:   "render --chat-template FILE | --tokenizer-config FILE < request.json",
		Short: "Print the prompt that a chat template makes of a request",
		Long: "Reads a chat completion request and prints the prompt, byte for byte as Python's jinja2 renders it for Hugging Face's tokenizers. " +
			"chat_template_kwargs of the request reach the template; a tokenizer_config.json also tells the text of the beginning and end tokens. " +
			"With --as-served the request is prepared as the server prepares it: content in the form that the template reads, a message that is continued, " +
			"less of the conversation where the template refuses it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return renderTemplate(cmd, &source) },
	}
	cmd.Flags().StringVar(&source.template, "chat-template", "", "file with the chat template")
	cmd.Flags().StringVar(&source.tokenizerConfig, "tokenizer-config", "", "a model's tokenizer_config.json, with its chat template in it or beside it")
	cmd.Flags().BoolVar(&source.asServed, "as-served", false, "prepare the request as the server does")
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
		Continue bool        `json:"continue_final_message"`
		Generate jsonx.Raw   `json:"add_generation_prompt"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return fmt.Errorf("the request on standard input: %w", err)
	}
	if request.Messages == nil {
		return errors.New("the request on standard input has no messages")
	}
	in.Messages, in.Tools = request.Messages, request.Tools
	if !jsonx.IsNull(request.Generate) {
		in.Args = []jsonx.Member{{Name: "add_generation_prompt", Value: request.Generate}}
	}
	in.Args = append(in.Args, jsonx.Members(request.Args)...)
	var p prompt.Prompt
	if source.asServed {
		in.Continue = request.Continue
		p, err = template.RenderTurn(cmd.Context(), in)
	} else {
		p.Text, err = template.Render(cmd.Context(), in)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), p.Text)
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
