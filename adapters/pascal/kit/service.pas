unit Service;

{ The service behind every stack: it counts its calls, and adds requested delays. }

{$mode objfpc}{$H+}

interface

type
  { The delays that the service is asked to add, to test Callbench with known values. In nanoseconds. }
  TDelays = record
    Each: Int64;       // the delay of every call
    Stall: Int64;      // how long the whole service stalls at the end of every StallEvery; 0: never
    StallEvery: Int64;
    Burn: Int64;       // how long every call keeps a processor busy
  end;

  TService = class
  private
    FDelays: TDelays;
    FSince: Int64;
    FHellos: Int64;
  public
    constructor Create(const Delays: TDelays);
    { The call Hello of the service, counted. Threads may call it at the same time. }
    procedure Hello;
    { Returns the calls of Hello since the last request. }
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
