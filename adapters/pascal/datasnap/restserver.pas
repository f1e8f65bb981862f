unit RestServer;

{ The REST interface of DataSnap over TFPHTTPServer: its paths, its answers, its session header. }

{$mode objfpc}{$H+}

interface

uses
  fphttpserver, fpjson, LifeCycles, Service, Serving, ThreadedServer;

type
  TRestServer = class(TServing)
  private
    FCycles: TLifeCycles;
    FServer: TThreadedServer;
    FHost: string;
    procedure Answer(Sender: TObject; var Request: TFPHTTPConnectionRequest; var Response: TFPHTTPConnectionResponse);
    function Called(Request: TFPHTTPConnectionRequest; Response: TFPHTTPConnectionResponse): TJSONObject;
  public
    constructor Create(Cycle: TLifeCycle; Calls: TService; const Host: string; Port: Word; SessionsMs: Int64);
    destructor Destroy; override;
    function Endpoint: string; override;
  end;

const
  RestOptions: array[0..0] of string = ('session_ms');

function ServeServer(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
function ServeSession(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
function ServeInvocation(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;

implementation

uses
  Classes, httpdefs, httpprotocol, Refusal, Requests, ServerMethods, Sessions, ssockets, SysUtils;

const
  Root = '/datasnap/rest/TServerMethods1/';
  // DataSnap's own: twenty minutes.
  UsualSessionMs = 20 * 60 * 1000;
  LongestSessionMs = Int64(1000) * 60 * 60 * 24 * 365;
  SessionKey = 'dssession=';

function Serve(Cycle: TLifeCycle; Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
var
  SessionsMs: Int64;
begin
  SessionsMs := Whole(Options, 'session_ms', 1, LongestSessionMs, UsualSessionMs);
  try
    Result := TRestServer.Create(Cycle, Calls, Host, Port, SessionsMs);
  except
    on Failure: ESocketError do
      raise ERefusal.Create(OutOfResources, Format('cannot listen on %s:%d: %s', [Host, Port, Failure.Message]));
  end;
end;

function ServeServer(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
begin
  Result := Serve(lcServer, Calls, Host, Port, Options);
end;

function ServeSession(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
begin
  Result := Serve(lcSession, Calls, Host, Port, Options);
end;

function ServeInvocation(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;
begin
  Result := Serve(lcInvocation, Calls, Host, Port, Options);
end;

constructor TRestServer.Create(Cycle: TLifeCycle; Calls: TService; const Host: string; Port: Word; SessionsMs: Int64);
begin
  FHost := Host;
  FCycles := TLifeCycles.Create(Cycle, Calls, SessionsMs);
  FServer := TThreadedServer.Create(Host, Port, @Answer);
end;

destructor TRestServer.Destroy;
begin
  FServer.Free;
  FCycles.Free;
  inherited Destroy;
end;

function TRestServer.Endpoint: string;
begin
  Result := Format('http://%s:%d%sHelloWorld', [FHost, FServer.Port, Root]);
end;

{ Returns the session of a Pragma header: dssession=ID. Other parts follow after a comma. }
function SessionIn(const Pragma: string): string;
var
  Part: string;
begin
  Result := '';
  for Part in Pragma.Split([',']) do
    if Part.Trim.StartsWith(SessionKey, True) then
      Exit(Part.Trim.Substring(Length(SessionKey)));
end;

procedure TRestServer.Answer(Sender: TObject; var Request: TFPHTTPConnectionRequest; var Response: TFPHTTPConnectionResponse);
var
  Said: TJSONObject;
begin
  Response.Code := 200;
  Response.ContentType := 'application/json; charset=UTF-8';
  // The component closes each connection after its answer and does not say so.
  Response.SetHeader(hhConnection, 'close');
  try
    Said := Called(Request, Response);
  except
    on Failure: ESessionExpired do
    begin
      Response.Code := 403;
      Response.CodeText := 'Forbidden';
      Said := TJSONObject.Create(['SessionExpired', Failure.Message]);
    end;
    on Failure: ENoMethod do
    begin
      Response.Code := 404;
      Response.CodeText := 'Not Found';
      Said := TJSONObject.Create(['error', Failure.Message]);
    end;
  end;
  try
    // As a stream, because the component adds a line end to texts.
    Response.ContentStream := TStringStream.Create(Said.AsJSON);
    Response.FreeContentStream := True;
  finally
    Said.Free;
  end;
end;

function TRestServer.Called(Request: TFPHTTPConnectionRequest; Response: TFPHTTPConnectionResponse): TJSONObject;
var
  Path, Id, Value: string;
  Parts: array of string;
  Index: Integer;
  Methods: IServerMethods;
begin
  Path := Request.PathInfo;
  if not Path.StartsWith(Root) or (Request.Method <> 'GET') then
    raise ENoMethod.Create('there is only GET ' + Root + 'METHOD/PARAMETER...');
  Parts := Path.Substring(Length(Root)).Split(['/']);
  for Index := 0 to High(Parts) do
    Parts[Index] := HTTPDecode(Parts[Index]);
  Id := SessionIn(Request.GetHeader(hhPragma));
  Methods := FCycles.ObjectFor(Id);
  Response.SetHeader(hhPragma, Format('dssession=%s,dssessionexpires=%d', [Id, FCycles.Sessions.LifetimeMs]));
  Value := Methods.Call(Parts[0], Copy(Parts, 1, Length(Parts) - 1));
  Result := TJSONObject.Create(['result', TJSONArray.Create([Value])]);
end;

end.
