unit KeepAliveServer;

{ A small server on ssockets with a thread per connection. A connection stays open for any number of calls. }

{$mode objfpc}{$H+}

interface

uses
  Classes, fpjson, Service, Serving, ssockets, SysUtils;

type
  TKeepAliveServer = class(TServing)
  private
    FSocket: TInetServer;
    FAccepting: TThread;
    FOpen: TThreadList;
    FService: TService;
    FHost: string;
    FPort: Word;
    procedure Connected(Sender: TObject; Data: TSocketStream);
    procedure ShutConnections;
  public
    { Raises ESocketError if the port cannot be used. }
    constructor Create(Calls: TService; const Host: string; Port: Word);
    destructor Destroy; override;
    function Endpoint: string; override;
  end;

function ServeKeepAlive(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;

implementation

uses
  HttpConnection, Refusal, Sockets;

const
  Waiting = 1024;
  Pause = 1; // milliseconds

type
  TAccepting = class(TThread)
  private
    FSocket: TInetServer;
  public
    constructor Create(Socket: TInetServer);
    procedure Execute; override;
  end;

  { One connection, until its client or the server closes it. }
  TConnectionThread = class(TThread)
  private
    FStream: TSocketStream;
    FService: TService;
    FOpen: TThreadList;
  public
    constructor Create(Stream: TSocketStream; Calls: TService; Open: TThreadList);
    procedure Execute; override;
  end;

function ServeKeepAlive(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
begin
  try
    Result := TKeepAliveServer.Create(Calls, Host, Port);
  except
    on Failure: ESocketError do
      raise ERefusal.Create(OutOfResources, Format('cannot listen on %s:%d: %s', [Host, Port, Failure.Message]));
  end;
end;

constructor TAccepting.Create(Socket: TInetServer);
begin
  FSocket := Socket;
  inherited Create(False);
end;

procedure TAccepting.Execute;
begin
  try
    FSocket.StartAccepting;
  except
    on Failure: Exception do
    begin
      WriteLn(StdErr, 'no more connections can be accepted: ', Failure.Message);
      Halt(1);
    end;
  end;
end;

constructor TConnectionThread.Create(Stream: TSocketStream; Calls: TService; Open: TThreadList);
begin
  FStream := Stream;
  FService := Calls;
  FOpen := Open;
  FreeOnTerminate := True;
  FOpen.Add(FStream);
  inherited Create(False);
end;

procedure TConnectionThread.Execute;
begin
  try
    AnswerAll(FStream, FService);
  except
    on Failure: Exception do
      WriteLn(StdErr, Failure.Message);
  end;
  // In this order: the end of the server waits until the list is empty, and then frees the service.
  FOpen.Remove(FStream);
  FStream.Free;
end;

constructor TKeepAliveServer.Create(Calls: TService; const Host: string; Port: Word);
begin
  FService := Calls;
  FHost := Host;
  FOpen := TThreadList.Create;
  FSocket := TInetServer.Create(Host, Port);
  FSocket.ReuseAddress := True;
  FSocket.QueueSize := Waiting;
  FSocket.OnConnect := @Connected;
  FSocket.Listen;
  FPort := PortOf(FSocket.Socket);
  FAccepting := TAccepting.Create(FSocket);
end;

procedure TKeepAliveServer.Connected(Sender: TObject; Data: TSocketStream);
begin
  TConnectionThread.Create(Data, FService, FOpen);
end;

procedure TKeepAliveServer.ShutConnections;
var
  Each: Pointer;
  Left: Integer;
begin
  repeat
    try
      Left := 0;
      for Each in FOpen.LockList do
      begin
        fpShutdown(TSocketStream(Each).Handle, 2);
        Inc(Left);
      end;
    finally
      FOpen.UnlockList;
    end;
    if Left > 0 then
      Sleep(Pause);
  until Left = 0;
end;

destructor TKeepAliveServer.Destroy;
begin
  if FAccepting <> nil then
  begin
    FSocket.StopAccepting;
    // The server checks for its end after it has accepted a connection: this one.
    TInetSocket.Create(FHost, FPort).Free;
    FAccepting.WaitFor;
    FAccepting.Free;
    ShutConnections;
  end;
  FSocket.Free;
  FOpen.Free;
  inherited Destroy;
end;

function TKeepAliveServer.Endpoint: string;
begin
  Result := Format('http://%s:%d/service/helloworld', [FHost, FPort]);
end;

end.
