module github.com/turnkey-parsers/turnkey

go 1.26

require (
	example.com/yaml v1.0.0
	github.com/labstack/echo/v4 v4.0.0
)

require example.com/other v1.0.0 // indirect
