// Package process serves a parser from a process of its own, for parsers that
// can't be WebAssembly: they need a library that does not compile to it, say. The
// host starts the process (hashicorp/go-plugin: gRPC over a local socket with
// mutual TLS that both sides make up at the start) and speaks the chunk ABI with
// it: the same open blocks and the same 16-byte event records as with a module.
//
//	func main() { process.Serve(&myparser.Module) }
//
// A process is not a sandbox: it has the files, the network and the clock of the
// user that it runs as. Use WebAssembly for code that you would not run yourself.
package process

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Handshake tells a host's process from one that a user started by hand. It is
// no secret: the mutual TLS is what keeps others out.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  abi.Major,
	MagicCookieKey:   "TURNKEY_PARSER",
	MagicCookieValue: "chunk-abi-1",
}

// PluginName is the name under which a process serves its parsers.
const PluginName = "parsers"

// Names of the gRPC service.
const (
	Service          = "turnkey.Parsers"
	MethodManifest   = "/" + Service + "/Manifest"
	MethodConstraint = "/" + Service + "/Constraint"
	MethodSession    = "/" + Service + "/Session"
)

// Codec is the gRPC content subtype of the service: messages are Frames, bytes
// as they stand.
const Codec = "turnkey-abi"

// Frame is one message of the service.
//
// Manifest answers the manifest to an empty frame; Constraint answers a
// constraint to an open block. Session is a stream: the host sends requests, one
// byte that says which and its body, and gets an answer to each.
//
//	'O' open block
//	'P' offset u32, left context u8, left context and data
//	'F' offset u32, reason u32
//
//	answer: number of events u32, the events, the bytes of their literals
//
// Numbers are little-endian.
type Frame []byte

// The requests of a session.
const (
	RequestOpen   = 'O'
	RequestPush   = 'P'
	RequestFinish = 'F'
)

// MaxFrame is the largest message in bytes.
const MaxFrame = 64 << 20

// AppendPush appends the request of a push to dst.
func AppendPush(dst Frame, off abi.RawOffset, back int, data []byte) Frame {
	dst = binary.LittleEndian.AppendUint32(append(dst, RequestPush), uint32(off))
	return append(append(dst, byte(back)), data...)
}

// AppendFinish appends the request of a finish to dst.
func AppendFinish(dst Frame, off abi.RawOffset, reason abi.Finish) Frame {
	dst = binary.LittleEndian.AppendUint32(append(dst, RequestFinish), uint32(off))
	return binary.LittleEndian.AppendUint32(dst, uint32(reason))
}

// AppendAnswer appends an answer to dst.
func AppendAnswer(dst Frame, a abi.Answer) Frame {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(a.Events)))
	for _, e := range a.Events {
		dst = abi.AppendEvent(dst, e)
	}
	return append(dst, a.Literals...)
}

// DecodeAnswer reads an answer; its events go into events. The literals stay in
// f.
func DecodeAnswer(f Frame, events []abi.Event) (abi.Answer, error) {
	if len(f) < 4 {
		return abi.Answer{}, errors.New("an answer without its number of events")
	}
	n, rest := binary.LittleEndian.Uint32(f), f[4:]
	if uint64(n)*abi.EventSize > uint64(len(rest)) {
		return abi.Answer{}, fmt.Errorf("an answer of %d bytes can't hold %d events", len(f), n)
	}
	for range n {
		events = append(events, abi.DecodeEvent(rest))
		rest = rest[abi.EventSize:]
	}
	return abi.Answer{Events: events, Literals: rest}, nil
}

// Serve serves the parsers of m until the host ends the process. It does not
// return. Started by hand, the process says what it is and exits.
func Serve(m *sdk.Module) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: Handshake,
		Plugins:         plugin.PluginSet{PluginName: &Plugin{Module: m}},
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(MaxFrame), grpc.MaxSendMsgSize(MaxFrame))...)
		},
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, JSONFormat: true}),
	})
}

// Plugin is the service as go-plugin knows it. The host leaves Module empty.
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
	Module *sdk.Module
}

// GRPCServer registers the service in a parser's process.
func (p *Plugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	s.RegisterService(&description, &server{p.Module})
	return nil
}

// GRPCClient gives the host the connection.
func (p *Plugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// server answers for one module.
type server struct{ module *sdk.Module }

var description = grpc.ServiceDesc{
	ServiceName: Service,
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{
		{MethodName: "Manifest", Handler: unaryHandler((*server).serveManifest)},
		{MethodName: "Constraint", Handler: unaryHandler((*server).serveConstraint)},
	},
	Streams: []grpc.StreamDesc{{
		StreamName: "Session", ServerStreams: true, ClientStreams: true,
		Handler: func(s any, stream grpc.ServerStream) error { return s.(*server).serveSession(stream) },
	}},
}

// unaryHandler is gRPC's handler for a call of one request and one answer.
func unaryHandler(method func(*server, Frame) (Frame, error)) grpc.MethodHandler {
	return func(s any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var in Frame
		if err := decode(&in); err != nil {
			return nil, err
		}
		out, err := method(s.(*server), in)
		return &out, err
	}
}

// serveManifest answers the manifest, with its siblings written out.
func (s *server) serveManifest(Frame) (Frame, error) {
	return manifest.Resolve([]byte(s.module.Manifest))
}

// serveConstraint answers the constraint for an open block.
func (s *server) serveConstraint(in Frame) (_ Frame, err error) {
	defer recoverPanic(&err)
	if s.module.Constraint == nil {
		return nil, nil
	}
	open, err := abi.DecodeOpen(in)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return s.module.Constraint(&open), nil
}

// serveSession runs one session. A parser that panics ends its own session only.
func (s *server) serveSession(stream grpc.ServerStream) (err error) {
	defer recoverPanic(&err)
	var session *sdk.Session
	var in, out Frame
	for {
		if err := stream.RecvMsg(&in); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		answer, err := s.answerRequest(&session, in)
		if err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		out = AppendAnswer(out[:0], answer)
		if err := stream.SendMsg(&out); err != nil {
			return err
		}
	}
}

// answerRequest answers one request of a session, which the first one opens.
func (s *server) answerRequest(session **sdk.Session, in Frame) (abi.Answer, error) {
	if len(in) == 0 {
		return abi.Answer{}, errors.New("an empty request")
	}
	request, body := in[0], in[1:]
	switch {
	case request == RequestOpen && *session == nil:
		open, err := abi.DecodeOpen(body)
		if err != nil {
			return abi.Answer{}, err
		}
		opened, answer := sdk.Open(s.module, &open)
		*session = opened
		return answer, nil
	case request == RequestPush && *session != nil && len(body) >= 5 && int(body[4]) <= len(body)-5:
		return (*session).Push(abi.RawOffset(binary.LittleEndian.Uint32(body)), int(body[4]), body[5:]), nil
	case request == RequestFinish && *session != nil && len(body) == 8:
		reason := abi.Finish(binary.LittleEndian.Uint32(body[4:]))
		return (*session).Finish(abi.RawOffset(binary.LittleEndian.Uint32(body)), reason), nil
	}
	return abi.Answer{}, fmt.Errorf("request %q of %d bytes makes no sense here", request, len(in))
}

// recoverPanic makes a panic of the parser the error of its own call. What it says
// goes to the host's log, so it holds none of the text that was parsed.
func recoverPanic(err *error) {
	if r := recover(); r != nil {
		*err = status.Errorf(codes.Internal, "the parser panicked: %v", r)
	}
}

func init() { encoding.RegisterCodec(codec{}) }

// codec passes Frames as they stand.
type codec struct{}

func (codec) Name() string { return Codec }

func (codec) Marshal(v any) ([]byte, error) {
	f, ok := v.(*Frame)
	if !ok {
		return nil, fmt.Errorf("%s: can't send a %T", Codec, v)
	}
	// The transport may keep the bytes beyond the call, and the frame is reused.
	return append([]byte(nil), *f...), nil
}

func (codec) Unmarshal(data []byte, v any) error {
	f, ok := v.(*Frame)
	if !ok {
		return fmt.Errorf("%s: can't receive a %T", Codec, v)
	}
	*f = append((*f)[:0], data...)
	return nil
}
