package config_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/config"
)

const yaml = `
upstreams: [{name: gpu, base_url: "http://127.0.0.1:8000/v1"}]
models: [{name: m, parser: hermes, engine_profile: vllm}]
`

// The environment goes before the file, and a misspelt setting is an error that names
// the nearest one.
func ExampleLoad() {
	cfg, err := config.Load(config.Sources{Data: []byte(yaml), Environ: []string{"TURNKEY_LISTEN=127.0.0.1:9000"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(cfg.Listen, cfg.Models[0].Name, cfg.Models[0].Parser)

	_, err = config.Load(config.Sources{Data: []byte("lisen: 127.0.0.1:9000\n" + yaml)})
	fmt.Println(err)
	// Output:
	// 127.0.0.1:9000 m hermes
	// configuration (inline): lisen: there is no such setting; did you mean listen?
}
