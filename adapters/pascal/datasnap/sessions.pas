unit Sessions;

{ The sessions of REST clients, as in DataSnap. A request without a session gets a new one. A session expires if it
  is not used for its lifetime. A client that never sends its session back creates one with each call. }

{$mode objfpc}{$H+}
// The library's own classes, specialised here, are what the compiler would warn of: abstract methods that are overridden.
{$WARN 4046 OFF}{$WARN 6058 OFF}{$WARN 5062 OFF}{$WARN 5071 OFF}

interface

uses
  Classes, Generics.Collections, ServerMethods, SyncObjs, SysUtils;

type
  ESessionExpired = class(Exception);

  TRestSession = class
  private
    FId: string;
    FExpires, FDue: Int64;
    FData: TStringList;
    FMethods: IServerMethods;
  public
    constructor Create(const Id: string; const Methods: IServerMethods);
    destructor Destroy; override;
  end;

  TSessionTable = specialize TDictionary<string, TRestSession>;
  TSessionQueue = specialize TQueue<TRestSession>;

  TMakeMethods = function: IServerMethods of object;

  TSessions = class
  private
    FLock: TCriticalSection;
    FStopping: TEvent;
    FTable: TSessionTable;
    FQueue: TSessionQueue;
    FLifetimeMs: Int64;
    FMake: TMakeMethods;
    FSweeper: TThread;
    function FreshId: string;
  public
    { Make creates the server object of a session, or returns nil if sessions have none. }
    constructor Create(LifetimeMs: Int64; Make: TMakeMethods);
    destructor Destroy; override;
    { Finds the session Id, or creates one if Id is ''. Its lifetime begins again. Returns its id and its server
      object. Raises ESessionExpired if there is no such session. }
    procedure Enter(var Id: string; out Methods: IServerMethods);
    { Drops expired sessions. }
    procedure Sweep;
    property LifetimeMs: Int64 read FLifetimeMs;
  end;

implementation

uses
  Math, Monotonic;

const
  Millisecond = 1000000;
  LongestPauseMs = 1000;
  // The maximum number of sessions that are dropped at once, because calls wait meanwhile.
  MostAtOnce = 1000;

type
  TSweeper = class(TThread)
  private
    FSessions: TSessions;
  public
    constructor Create(Sessions: TSessions);
    procedure Execute; override;
  end;

constructor TSweeper.Create(Sessions: TSessions);
begin
  FSessions := Sessions;
  inherited Create(False);
end;

procedure TSweeper.Execute;
var
  Pause: Cardinal;
begin
  Pause := Max(1, Min(LongestPauseMs, FSessions.LifetimeMs div 4));
  while FSessions.FStopping.WaitFor(Pause) = wrTimeout do
    FSessions.Sweep;
end;

constructor TRestSession.Create(const Id: string; const Methods: IServerMethods);
begin
  FId := Id;
  FData := TStringList.Create; // What a user's code would keep in its session.
  FMethods := Methods;
end;

destructor TRestSession.Destroy;
begin
  FData.Free;
  inherited Destroy;
end;

constructor TSessions.Create(LifetimeMs: Int64; Make: TMakeMethods);
begin
  FLifetimeMs := LifetimeMs;
  FMake := Make;
  FLock := TCriticalSection.Create;
  FStopping := TEvent.Create(nil, True, False, '');
  FTable := TSessionTable.Create;
  FQueue := TSessionQueue.Create;
  FSweeper := TSweeper.Create(Self);
end;

destructor TSessions.Destroy;
begin
  FStopping.SetEvent;
  FSweeper.WaitFor;
  FSweeper.Free;
  while FQueue.Count > 0 do
    FQueue.Dequeue.Free;
  FQueue.Free;
  FTable.Free;
  FStopping.Free;
  FLock.Free;
  inherited Destroy;
end;

function TSessions.FreshId: string;
begin
  repeat
    Result := Format('%d.%d.%d', [Random(1000000), Random(1000000), Random(1000000)]);
  until not FTable.ContainsKey(Result);
end;

procedure TSessions.Enter(var Id: string; out Methods: IServerMethods);
var
  Found: TRestSession;
  Ends: Int64;
begin
  Ends := Monotonic.Now + FLifetimeMs * Millisecond;
  FLock.Enter;
  try
    if Id = '' then
    begin
      Id := FreshId;
      Found := TRestSession.Create(Id, FMake());
      Found.FDue := Ends;
      FTable.Add(Id, Found);
      FQueue.Enqueue(Found);
    end
    else if not FTable.TryGetValue(Id, Found) then
      raise ESessionExpired.Create('The specified session has expired due to inactivity or was an invalid Session ID');
    Found.FExpires := Ends;
    Methods := Found.FMethods;
  finally
    FLock.Leave;
  end;
end;

procedure TSessions.Sweep;
var
  First: TRestSession;
  Moment: Int64;
  Left: Integer;
begin
  repeat
    FLock.Enter;
    try
      // All lifetimes are equal, so the queue is ordered by expiry. A session that was used meanwhile moves to the
      // end.
      Moment := Monotonic.Now;
      Left := MostAtOnce;
      while (Left > 0) and (FQueue.Count > 0) and (FQueue.Peek.FDue <= Moment) do
      begin
        First := FQueue.Dequeue;
        Dec(Left);
        if First.FExpires > Moment then
        begin
          First.FDue := First.FExpires;
          FQueue.Enqueue(First);
        end
        else
        begin
          FTable.Remove(First.FId);
          First.Free;
        end;
      end;
    finally
      FLock.Leave;
    end;
  until Left > 0;
end;

end.
