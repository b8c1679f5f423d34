// Package deepseekv3 is the parser module of DeepSeek V3, R1, V3.1 and V3.2.
package deepseekv3
