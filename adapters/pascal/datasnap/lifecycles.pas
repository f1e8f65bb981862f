unit LifeCycles;

{ When the server object is created and freed: once, once per session, or for each call. }

{$mode objfpc}{$H+}

interface

uses
  ServerMethods, Service, Sessions;

type
  TLifeCycle = (lcServer, lcSession, lcInvocation);

  TLifeCycles = class
  private
    FCycle: TLifeCycle;
    FService: TService;
    FSessions: TSessions;
    FOnly: IServerMethods;
    function ForSession: IServerMethods;
  public
    constructor Create(Cycle: TLifeCycle; Calls: TService; SessionsMs: Int64);
    destructor Destroy; override;
    { Returns the object for a call of the session Id. If Id is '', a new session is created and its id is returned
      in Id. Raises ESessionExpired. }
    function ObjectFor(var Id: string): IServerMethods;
    property Sessions: TSessions read FSessions;
  end;

implementation

constructor TLifeCycles.Create(Cycle: TLifeCycle; Calls: TService; SessionsMs: Int64);
begin
  FCycle := Cycle;
  FService := Calls;
  if Cycle = lcServer then
    FOnly := TServerMethods1.Create(Calls);
  FSessions := TSessions.Create(SessionsMs, @ForSession);
end;

destructor TLifeCycles.Destroy;
begin
  FSessions.Free;
  inherited Destroy;
end;

function TLifeCycles.ForSession: IServerMethods;
begin
  Result := nil;
  if FCycle = lcSession then
    Result := TServerMethods1.Create(FService);
end;

function TLifeCycles.ObjectFor(var Id: string): IServerMethods;
begin
  FSessions.Enter(Id, Result);
  case FCycle of
    lcServer: Result := FOnly;
    lcInvocation: Result := TServerMethods1.Create(FService);
    lcSession: ; // The session has it.
  end;
end;

end.
