unit Session;

{ The conversation with the core: which request does what. A server's half only. }

{$mode objfpc}{$H+}

interface

uses
  fpjson, Lines, Service, Serving;

type
  TSession = class
  private
    FLines: TLines;
    FStacks: array of TStack;
    FCalls: TService;
    FServing: TServing;
    FLastId: Int64;
    FStopped: Boolean;
    function Hello: TJSONObject;
    function Answered(const Line: RawByteString): TJSONObject;
    function Act(Request: TJSONObject): TJSONObject;
    function Serve(Request: TJSONObject): TJSONObject;
    function Counts: TJSONObject;
    procedure StopServing;
    procedure MustServe;
  public
    constructor Create(const Stacks: array of TStack);
    { Talks until the core says stop or its line ends. }
    procedure Run;
  end;

implementation

uses
  Monotonic, Refusal, Requests, Sockets, SysUtils;

const
  Adapter = 'pascal';
  CommonOptions: array[0..3] of string = ('delay_us', 'stall_us', 'stall_every_us', 'burn_us');

function Known(const Stack: TStack): TStringArray;
var
  Each: string;
begin
  Result := Stack.Options;
  for Each in CommonOptions do
    Insert(Each, Result, Length(Result));
end;

function Said(const What: string): TJSONObject;
begin
  Result := TJSONObject.Create(['is', What]);
end;

constructor TSession.Create(const Stacks: array of TStack);
var
  Index: Integer;
begin
  FLines := TLines.Create;
  SetLength(FStacks, Length(Stacks));
  for Index := 0 to High(Stacks) do
    FStacks[Index] := Stacks[Index];
end;

procedure TSession.Run;
var
  Line: RawByteString;
begin
  FLines.Say(Hello);
  while not FStopped and FLines.Next(Line) do
    FLines.Say(Answered(Line));
  if FServing <> nil then
    StopServing;
end;

function TSession.Hello: TJSONObject;
var
  Each: TStack;
  Names: TJSONArray;
begin
  Names := TJSONArray.Create;
  for Each in FStacks do
    Names.Add(Adapter + '/' + Each.Name);
  Result := Said('hello');
  Result.Add('contract', 1);
  Result.Add('adapter', Adapter);
  Result.Add('language', 'pascal');
  Result.Add('version', '0.1.0');
  Result.Add('runtime', 'Free Pascal ' + {$I %FPCVERSION%});
  Result.Add('libraries', TJSONObject.Create(['fcl-web', {$I %FPCVERSION%}, 'fcl-net', {$I %FPCVERSION%}]));
  Result.Add('clock', TJSONObject.Create(['name', 'CLOCK_MONOTONIC', 'resolution_ns', ResolutionNs, 'reading_ns', ReadingNs]));
  Result.Add('features', TJSONArray.Create(['burn']));
  Result.Add('stacks', Names);
  Result.Add('unavailable', TJSONObject.Create);
end;

function TSession.Answered(const Line: RawByteString): TJSONObject;
var
  Request: TJSONObject;
  Kind: string;
begin
  Request := nil;
  try
    try
      // Ids rise by one, so that a line without a readable id still has one.
      Inc(FLastId);
      if FLines.TooLong then
        raise ERefusal.Create(BadRequest, Format('the line is longer than %d bytes', [Longest]));
      Request := Parsed(Line);
      if IdOf(Request) = 0 then
        raise ERefusal.Create(BadRequest, 'the request has no id: it must be a whole number from 1 on');
      FLastId := IdOf(Request);
      Result := Act(Request);
    except
      on Failure: Exception do
      begin
        Kind := 'internal';
        if Failure is ERefusal then
          Kind := ERefusal(Failure).Kind;
        Result := TJSONObject.Create(['is', 'error', 'kind', Kind, 'message', Failure.Message]);
      end;
    end;
    Result.Add('id', FLastId);
  finally
    Request.Free;
  end;
end;

function TSession.Act(Request: TJSONObject): TJSONObject;
var
  What: string;
begin
  What := Text(Request, 'do');
  case What of
    'serve': Result := Serve(Request);
    'counted': Result := Counts;
    'stop-serving':
    begin
      StopServing;
      Result := Said('stopped-serving');
    end;
    'stop':
    begin
      if FServing <> nil then
        StopServing;
      FStopped := True;
      Result := Said('stopped');
    end;
    'connect', 'call', 'drive', 'disconnect', 'codec', 'heap', 'serve-all', 'channel':
      raise ERefusal.Create(Unsupported, 'the adapter pascal serves only: it has no ' + What);
    else
      raise ERefusal.Create(BadRequest, 'there is nothing to do called ' + Shown(What));
  end;
end;

function TSession.Serve(Request: TJSONObject): TJSONObject;
var
  Stack, Each: TStack;
  Host: string;
  Number: in_addr;
  Options: TJSONObject;
  Delays: TDelays;
begin
  if FServing <> nil then
    raise ERefusal.Create(BadRequest, 'something is served already: say stop-serving first');
  Stack := Default(TStack);
  for Each in FStacks do
    if Text(Request, 'stack') = Adapter + '/' + Each.Name then
      Stack := Each;
  if Stack.Serve = nil then
    raise ERefusal.Create(BadRequest, 'stack ' + Shown(Text(Request, 'stack')) + ' is not one of mine: hello lists them');
  Host := Text(Request, 'host');
  if not TryStrToHostAddr(Host, Number) then
    raise ERefusal.Create(BadRequest, 'host is ' + Shown(Host) + ': it must be an IPv4 address in numbers');
  Options := Members(Request, 'options');
  RefuseUnknown(Options, Known(Stack));
  Delays.Each := Microseconds(Options, 'delay_us', False);
  Delays.Stall := Microseconds(Options, 'stall_us', False);
  Delays.StallEvery := Microseconds(Options, 'stall_every_us', False);
  Delays.Burn := Microseconds(Options, 'burn_us', True);
  if (Delays.Stall > 0) and (Delays.Stall >= Delays.StallEvery) then
    raise ERefusal.Create(BadRequest, 'stall_us must be less than stall_every_us, and both be given');
  FCalls := TService.Create(Delays);
  try
    FServing := Stack.Serve(FCalls, Host, Whole(Request, 'port', 0, 65535, 0), Options);
  except
    FreeAndNil(FCalls);
    raise;
  end;
  Result := TJSONObject.Create(['is', 'serving', 'endpoint', FServing.Endpoint]);
end;

function TSession.Counts: TJSONObject;
var
  Calls: TJSONObject;
  Made, User, System: Int64;
begin
  MustServe;
  Made := FCalls.TakeHellos;
  Calls := TJSONObject.Create;
  if Made > 0 then
    Calls.Add('Hello', Made);
  ProcessorTime(User, System);
  Result := Said('counts');
  Result.Add('calls', Calls);
  Result.Add('processor', TJSONObject.Create(['user_ns', IntToStr(User), 'system_ns', IntToStr(System)]));
end;

procedure TSession.StopServing;
begin
  MustServe;
  FreeAndNil(FServing);
  FreeAndNil(FCalls);
end;

procedure TSession.MustServe;
begin
  if FServing = nil then
    raise ERefusal.Create(BadRequest, 'nothing is served: say serve first');
end;

end.
