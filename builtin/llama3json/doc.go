// Package llama3json reads what Llama 3 writes.
package llama3json
