package stream

import _ "github.com/labstack/echo/v4"
