package route

// Oak2 answers need another route.
func route(family string) bool {
	switch family {
	case "acorn_json":
		return true
	}
	return family == "llamacpp"
}
