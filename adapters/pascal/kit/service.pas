unit Service;

{ What is served, behind every stack: it counts its calls, and takes longer where the core wants to see that. }

{$mode objfpc}{$H+}

interface

type
  { Waits that the service is told to make, so that the instrument can be tested against a known answer. Nanoseconds. }
  TDelays = record
    Each: Int64;       // every call waits so long
    Stall: Int64;      // the whole service stands still so long at the end of every StallEvery; 0: never
    StallEvery: Int64;
    Burn: Int64;       // every call keeps a processor busy so long
  end;

  TService = class
  private
    FDelays: TDelays;
    FSince: Int64;
    FHellos: Int64;
  public
    constructor Create(const Delays: TDelays);
    { The call Hello of the service, counted. Threads may call it at once. }
    procedure Hello;
    { Gives the calls of Hello since last asked. }
    function TakeHellos: Int64;
  end;

implementation

uses
  Monotonic;

constructor TService.Create(const Delays: TDelays);
begin
  FDelays := Delays;
  FSince := Monotonic.Now;
end;

procedure TService.Hello;
var
  Moment, Left: Int64;
begin
  InterlockedIncrement64(FHellos);
  if FDelays.Burn > 0 then
    Monotonic.Burn(FDelays.Burn);
  if FDelays.Each > 0 then
    WaitUntil(Monotonic.Now + FDelays.Each);
  if FDelays.Stall > 0 then
  begin
    Moment := Monotonic.Now;
    Left := FDelays.StallEvery - (Moment - FSince) mod FDelays.StallEvery;
    if Left <= FDelays.Stall then
      WaitUntil(Moment + Left);
  end;
end;

function TService.TakeHellos: Int64;
begin
  Result := InterlockedExchange64(FHellos, 0);
end;

end.
