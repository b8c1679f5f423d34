package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/registry"
)

// adminAPI serves the administrator's endpoints.
type adminAPI struct{ *Server }

// addRoutes adds the endpoints, if there is a key for them.
func (s adminAPI) addRoutes(e *echo.Echo) {
	if s.cfg.Admin.Key == "" {
		return
	}
	g := e.Group("/admin", s.requireKey)
	g.GET("/modules", s.listModules)
	g.GET("/modules/:name", s.showModule)
	g.PUT("/modules/:name", s.putModule)
	g.DELETE("/modules/:name", s.changeHandler(s.registry.Remove))
	g.POST("/modules/:name/rollback", s.changeHandler(s.registry.Rollback))
	g.POST("/modules/:name/promote", s.changeHandler(s.registry.Promote))
}

// requireKey lets requests pass that carry the administrator's key.
func (s adminAPI) requireKey(next echo.HandlerFunc) echo.HandlerFunc {
	want := sha256.Sum256([]byte(s.cfg.Admin.Key.Reveal()))
	return func(c echo.Context) error {
		key, ok := strings.CutPrefix(c.Request().Header.Get(echo.HeaderAuthorization), "Bearer ")
		got := sha256.Sum256([]byte(key))
		if !ok || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="turnkey admin"`)
			return &openai.Error{Status: http.StatusUnauthorized, Code: "admin_key", Message: "the administrator's key is needed: Authorization: Bearer KEY"}
		}
		return next(c)
	}
}

// ModuleList is what GET /admin/modules answers.
type ModuleList struct {
	Modules []registry.Module  `json:"modules"`
	Refused []registry.Refusal `json:"refused"`
}

func (s adminAPI) listModules(c echo.Context) error {
	l := ModuleList{s.registry.Modules(), s.registry.Refused()}
	if l.Refused == nil {
		l.Refused = []registry.Refusal{}
	}
	return c.JSON(http.StatusOK, l)
}

func (s adminAPI) showModule(c echo.Context) error {
	return s.writeModule(c, http.StatusOK)
}

// module answers with the module's state.
func (s adminAPI) writeModule(c echo.Context, status int) error {
	m, ok := s.registry.Module(c.Param("name"))
	if !ok {
		return adminError(&registry.NoModuleError{Module: c.Param("name")})
	}
	if m.ETag != "" {
		c.Response().Header().Set("ETag", strconv.Quote(m.ETag))
	}
	return c.JSON(status, m)
}

// headerSignature carries a module's detached signature, in base64.
const headerSignature = "X-Turnkey-Signature"

func (s adminAPI) putModule(c echo.Context) error {
	ok, err := condition(c)
	if err != nil {
		return err
	}
	change := registry.Change{Signature: []byte(c.Request().Header.Get(headerSignature)), If: ok}
	if err := rollout(c, &change); err != nil {
		return &openai.Error{Status: http.StatusBadRequest, Code: "rollout", Message: err.Error()}
	}
	if change.Binary, err = s.readBody(c, int64(s.registry.MaxModuleBytes()), "modules.limits"); err != nil {
		return err
	}
	name, status := c.Param("name"), http.StatusOK
	if m, ok := s.registry.Module(name); !ok || m.BuiltIn {
		status = http.StatusCreated
	}
	if err := s.registry.Put(c.Request().Context(), name, change); err != nil {
		return adminError(err)
	}
	return s.writeModule(c, status)
}

// rollout reads how a version is to go live from the query.
func rollout(c echo.Context, change *registry.Change) (err error) {
	o := registry.Rollout{Percent: 10}
	number := map[string]*int{"percent": &o.Percent, "max_faults": &o.Faults, "max_differences": &o.Differences, "promote_after": &o.Promote}
	given := false
	for name, values := range c.QueryParams() {
		value := values[len(values)-1]
		switch n := number[name]; {
		case n != nil:
			given = true
			if *n, err = strconv.Atoi(value); err != nil {
				return fmt.Errorf("%s: want a whole number, got %q", name, value)
			}
		case name == "rollout":
			given, o.Mode = true, registry.Mode(value)
		case name == "shadow":
			if change.Shadow, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("shadow: want true or false, got %q", value)
			}
		default:
			return fmt.Errorf("there is no parameter %q", name)
		}
	}
	if !given {
		return nil
	}
	change.Rollout = &o
	return o.Check()
}

// changeHandler is an endpoint that changes a module without a body.
func (s adminAPI) changeHandler(change func(context.Context, string, registry.Condition) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		ok, err := condition(c)
		if err != nil {
			return err
		}
		if err := change(c.Request().Context(), c.Param("name"), ok); err != nil {
			return adminError(err)
		}
		if _, there := s.registry.Module(c.Param("name")); !there {
			return c.NoContent(http.StatusNoContent)
		}
		return s.writeModule(c, http.StatusOK)
	}
}

// condition reads what state the module has to be in. A change without it is
// refused: two administrators would undo each other's work.
func condition(c echo.Context) (registry.Condition, error) {
	match, none := c.Request().Header.Get("If-Match"), c.Request().Header.Get("If-None-Match")
	switch {
	case match == "" && none == "":
		return nil, &openai.Error{Status: http.StatusPreconditionRequired, Code: "if_match",
			Message: "say what the change is based on: If-Match with the module's ETag, or If-None-Match: * for a new module"}
	case none != "" && (none != "*" || match != ""):
		return nil, &openai.Error{Status: http.StatusBadRequest, Code: "if_none_match", Message: "If-None-Match can only be *, and goes without If-Match"}
	case none == "*":
		return func(etag string) bool { return etag == "" }, nil
	case strings.TrimSpace(match) == "*":
		return func(etag string) bool { return etag != "" }, nil
	}
	var tags []string
	for tag := range strings.SplitSeq(match, ",") {
		tags = append(tags, strings.TrimSpace(tag))
	}
	return func(etag string) bool { return etag != "" && slices.Contains(tags, strconv.Quote(etag)) }, nil
}

// adminError gives an error of the registry its status.
func adminError(err error) error {
	var refused *registry.RefusedError
	var none *registry.NoModuleError
	var nothing *registry.NothingError
	switch {
	case errors.Is(err, registry.ErrChanged):
		return &openai.Error{Status: http.StatusPreconditionFailed, Code: "changed", Message: "the module was changed meanwhile: look at it again"}
	case errors.As(err, &none):
		return &openai.Error{Status: http.StatusNotFound, Code: "module_not_found", Message: err.Error()}
	case errors.As(err, &nothing):
		return &openai.Error{Status: http.StatusConflict, Code: "nothing_to_change", Message: err.Error()}
	case !errors.As(err, &refused):
		return err
	}
	status := http.StatusUnprocessableEntity
	switch refused.Step {
	case registry.StepSize:
		status = http.StatusRequestEntityTooLarge
	case registry.StepNames, registry.StepModels:
		status = http.StatusConflict
	}
	return &openai.Error{Status: status, Code: "module_refused_" + string(refused.Step), Message: err.Error()}
}
