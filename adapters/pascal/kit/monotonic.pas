unit Monotonic;

{ The monotonic clock, waiting on it and spinning on it; and the processor time of this process. Nanoseconds all. }

{$mode objfpc}{$H+}

interface

function Now: Int64;
function ResolutionNs: Int64;

{ Measures what one reading of the clock costs. }
function ReadingNs: Double;

{ Sleeps until the clock shows at least Time. }
procedure WaitUntil(Time: Int64);

{ Keeps a processor busy for this time without sleeping. }
procedure Burn(Length: Int64);

{ Gives the processor time of all threads of this process, those that have ended among them. }
procedure ProcessorTime(out User, System: Int64);

implementation

uses
  BaseUnix, Linux;

const
  Second = Int64(1000000000);
  Readings = 10000;

type
  { struct rusage of getrusage(2), which the RTL lacks. Only the two times are used. }
  TUsage = record
    UserTime, SystemTime: TTimeVal;
    Rest: array[0..13] of clong;
  end;

function getrusage(Who: cint; out Usage: TUsage): cint; cdecl; external 'c';

function Now: Int64;
var
  Time: TTimeSpec;
begin
  Time := Default(TTimeSpec);
  clock_gettime(CLOCK_MONOTONIC, @Time);
  Result := Time.tv_sec * Second + Time.tv_nsec;
end;

function ResolutionNs: Int64;
var
  Time: TTimeSpec;
begin
  Time := Default(TTimeSpec);
  clock_getres(CLOCK_MONOTONIC, @Time);
  Result := Time.tv_sec * Second + Time.tv_nsec;
end;

function ReadingNs: Double;
var
  Began, Last: Int64;
  Index: Integer;
begin
  Began := Now;
  Last := Began;
  for Index := 1 to Readings do
    Last := Now;
  Result := (Last - Began) / Readings;
end;

procedure WaitUntil(Time: Int64);
var
  Left: Int64;
  Wanted: TTimeSpec;
begin
  Left := Time - Now;
  while Left > 0 do
  begin
    Wanted.tv_sec := Left div Second;
    Wanted.tv_nsec := Left mod Second;
    FpNanoSleep(@Wanted, nil);
    Left := Time - Now;
  end;
end;

procedure Burn(Length: Int64);
var
  Until_: Int64;
begin
  Until_ := Now + Length;
  while Now < Until_ do ;
end;

procedure ProcessorTime(out User, System: Int64);
var
  Usage: TUsage;
begin
  getrusage(0, Usage);
  User := Usage.UserTime.tv_sec * Second + Usage.UserTime.tv_usec * 1000;
  System := Usage.SystemTime.tv_sec * Second + Usage.SystemTime.tv_usec * 1000;
end;

end.
