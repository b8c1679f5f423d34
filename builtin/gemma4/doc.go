package gemma4
