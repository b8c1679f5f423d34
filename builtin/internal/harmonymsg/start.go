package harmonymsg

// Headers of the messages that a prompt may leave open.
const (
	AnalysisHeader = Channel + "analysis" + Message
	FinalHeader    = Channel + "final" + Message
)
