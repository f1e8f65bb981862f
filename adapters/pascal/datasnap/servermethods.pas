unit ServerMethods;

{ The server object, as the wizard of the time makes it: methods that text goes into and comes out of. }

{$mode objfpc}{$H+}

interface

uses
  Service, SysUtils;

type
  ENoMethod = class(Exception);

  { Reference-counted: it lives as long as its life cycle or a call uses it. }
  IServerMethods = interface
    { Calls a method by its name. The parts of a path after the name are its arguments. Raises ENoMethod. }
    function Call(const Method: string; const Arguments: array of string): string;
  end;

  TServerMethods1 = class(TInterfacedObject, IServerMethods)
  private
    FService: TService;
    FCalls: LongInt;
    function Call(const Method: string; const Arguments: array of string): string;
  public
    constructor Create(Calls: TService);
    function HelloWorld: string;
    function EchoString(const Value: string): string;
    function ReverseString(const Value: string): string;
    { How many calls were made to this very object: the life cycle, seen from outside. }
    function CallsOfThisObject: string;
  end;

implementation

uses
  StrUtils;

constructor TServerMethods1.Create(Calls: TService);
begin
  FService := Calls;
end;

function TServerMethods1.Call(const Method: string; const Arguments: array of string): string;
begin
  InterlockedIncrement(FCalls);
  case Format('%s/%d', [Method, Length(Arguments)]) of
    'HelloWorld/0': Result := HelloWorld;
    'EchoString/1': Result := EchoString(Arguments[0]);
    'ReverseString/1': Result := ReverseString(Arguments[0]);
    'CallsOfThisObject/0': Result := CallsOfThisObject;
    else
      raise ENoMethod.CreateFmt('TServerMethods1 has no method %s with %d parameters', [Method, Length(Arguments)]);
  end;
end;

function TServerMethods1.HelloWorld: string;
begin
  FService.Hello;
  Result := 'Hello World!';
end;

function TServerMethods1.EchoString(const Value: string): string;
begin
  Result := Value;
end;

function TServerMethods1.ReverseString(const Value: string): string;
begin
  Result := StrUtils.ReverseString(Value);
end;

function TServerMethods1.CallsOfThisObject: string;
begin
  Result := IntToStr(FCalls);
end;

end.
