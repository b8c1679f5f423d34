// Package mistral reads what Mistral's models write.
package mistral
