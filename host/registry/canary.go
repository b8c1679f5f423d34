package registry

import "github.com/turnkey-parsers/turnkey/abi"

// canaryCounter counts the answers of a version on trial that came to their end.
type canaryCounter struct{ trial *trial }

func (c canaryCounter) onAnswer(made call, a abi.Answer, err error) abi.Answer {
	if err == nil && made.kind == callFinish {
		c.trial.countAnswer()
	}
	return a
}

func (canaryCounter) onDiscard() {}

func (canaryCounter) onClose() {}
