program callbench_pascal;

{ The Pascal adapter: servers only, for the load driver to call. }

{$mode objfpc}{$H+}

uses
  // The C library's memory manager must come first. Free Pascal's own keeps blocks per thread, which stay while any
  // part of them is used. A session from a thread that lived for one call would hold 64 KiB.
  cmem,
  cthreads, BaseUnix, SysUtils, KeepAliveServer, RestServer, Serving, Session;

procedure Stop(Signal: cint); cdecl;
begin
  FpExit(0);
end;

function Stack(const Name: string; Serve: TServe; const Options: array of string): TStack;
var
  Index: Integer;
begin
  Result.Name := Name;
  Result.Serve := Serve;
  SetLength(Result.Options, Length(Options));
  for Index := 0 to High(Options) do
    Result.Options[Index] := Options[Index];
end;

begin
  FpSignal(SIGTERM, @Stop);
  FpSignal(SIGPIPE, SignalHandler(SIG_IGN));
  Randomize;
  SetMultiByteConversionCodePage(CP_UTF8);
  with TSession.Create([
      Stack('fphttpserver', @ServeServer, RestOptions),
      Stack('fphttpserver-session', @ServeSession, RestOptions),
      Stack('fphttpserver-invocation', @ServeInvocation, RestOptions),
      Stack('keepalive', @ServeKeepAlive, [])]) do
  begin
    Run;
    Free;
  end;
end.
