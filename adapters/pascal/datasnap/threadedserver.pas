unit ThreadedServer;

{ TFPHTTPServer with a thread per connection, for a given host and any free port, with an orderly end. }

{$mode objfpc}{$H+}

interface

uses
  Classes, fphttpserver, ssockets, SyncObjs, SysUtils;

type
  { The component, and what of it is protected: its address, and the making of connections. }
  TOpenServer = class(TFPHttpServer)
  private
    FConnections: TThreadList;
  protected
    function CreateConnection(Data: TSocketStream): TFPHTTPConnection; override;
  public
    constructor Create(Above: TComponent); override;
    destructor Destroy; override;
    { Wakes threads that still read from a connection. }
    procedure ShutConnections;
    property Address;
  end;

  TThreadedServer = class
  private
    FServer: TOpenServer;
    FAccepting: TThread;
    FListens: TEvent;
    FPort: Word;
    FFailure: string;
    procedure FirstIdle(Sender: TObject);
  public
    { Raises ESocketError if the port cannot be used. }
    constructor Create(const Host: string; Port: Word; Handler: THTTPServerRequestHandler);
    destructor Destroy; override;
    property Port: Word read FPort;
  end;

implementation

uses
  Serving, Sockets;

const
  // The component's default is 5. If more clients connect at once, Linux delays the next one for a second.
  Waiting = 1024;
  AnHourMs = 60 * 60 * 1000;

type
  TNotedConnection = class(TFPHTTPConnection)
  public
    destructor Destroy; override;
  end;

  TAccepting = class(TThread)
  private
    FOwner: TThreadedServer;
  public
    constructor Create(Owner: TThreadedServer);
    procedure Execute; override;
  end;

destructor TNotedConnection.Destroy;
begin
  TOpenServer(Server).FConnections.Remove(Self);
  inherited Destroy;
end;

constructor TOpenServer.Create(Above: TComponent);
begin
  FConnections := TThreadList.Create;
  inherited Create(Above);
end;

destructor TOpenServer.Destroy;
begin
  inherited Destroy;
  FConnections.Free;
end;

function TOpenServer.CreateConnection(Data: TSocketStream): TFPHTTPConnection;
begin
  // From the first connection on, it only waits in accept, as the component does by default.
  AcceptIdleTimeout := 0;
  Result := TNotedConnection.Create(Self, Data);
  FConnections.Add(Result);
end;

procedure TOpenServer.ShutConnections;
var
  Each: Pointer;
  Open: TList;
begin
  Open := FConnections.LockList;
  try
    for Each in Open do
      fpShutdown(TFPHTTPConnection(Each).Socket.Handle, 2);
  finally
    FConnections.UnlockList;
  end;
end;

constructor TAccepting.Create(Owner: TThreadedServer);
begin
  FOwner := Owner;
  inherited Create(False);
end;

procedure TAccepting.Execute;
begin
  try
    FOwner.FServer.Active := True; // Comes back when the server has stopped.
  except
    on Failure: Exception do
    begin
      if FOwner.FPort <> 0 then
      begin
        // A program with this component would end in the same way if it has no descriptor or thread left for a
        // connection.
        WriteLn(StdErr, 'no more connections can be accepted: ', Failure.Message);
        Halt(1);
      end;
      FOwner.FFailure := Failure.Message;
      FOwner.FListens.SetEvent;
    end;
  end;
end;

constructor TThreadedServer.Create(const Host: string; Port: Word; Handler: THTTPServerRequestHandler);
begin
  FListens := TEvent.Create(nil, True, False, '');
  FServer := TOpenServer.Create(nil);
  FServer.Address := Host;
  FServer.Port := Port;
  FServer.QueueSize := Waiting;
  FServer.Threaded := True;
  FServer.OnRequest := Handler;
  // The component does not report its port in any other way: the first pause shows it.
  FServer.OnAcceptIdle := @FirstIdle;
  FServer.AcceptIdleTimeout := 1;
  FAccepting := TAccepting.Create(Self);
  FListens.WaitFor(INFINITE);
  if FPort = 0 then
    raise ESocketError.Create(FFailure);
end;

procedure TThreadedServer.FirstIdle(Sender: TObject);
begin
  if FPort <> 0 then
    Exit;
  FServer.AcceptIdleTimeout := AnHourMs;
  FPort := PortOf(TInetServer(Sender).Socket);
  FListens.SetEvent;
end;

destructor TThreadedServer.Destroy;
begin
  if FPort <> 0 then
  begin
    FServer.Active := False;
    // The server checks for its end after it has accepted a connection: this one.
    TInetSocket.Create(FServer.Address, FPort).Free;
  end;
  if FAccepting <> nil then
    FAccepting.WaitFor;
  FAccepting.Free;
  FServer.ShutConnections;
  FServer.Free;
  FListens.Free;
  inherited Destroy;
end;

end.
