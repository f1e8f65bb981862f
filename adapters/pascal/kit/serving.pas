unit Serving;

{ The interface of a stack for the kit: an object that serves until it is freed. }

{$mode objfpc}{$H+}

interface

uses
  fpjson, Service, Sockets, SysUtils;

type
  TServing = class
  public
    { A full URL: what the load driver calls. }
    function Endpoint: string; virtual; abstract;
  end;

  { Starts to serve on Host, a numeric address, and Port, 0 for any free one. Options are the stack's own; unknown
    ones are refused before. Raises ERefusal, or ESocketError if the port cannot be used. }
  TServe = function(Calls: TService; const Host: string; Port: Word; Options: TJSONObject): TServing;

  TStack = record
    Name: string;
    Serve: TServe;
    Options: TStringArray;
  end;

{ Gives the port that a listening socket has got. }
function PortOf(Socket: LongInt): Word;

implementation

function PortOf(Socket: LongInt): Word;
var
  Address: TInetSockAddr;
  Length: TSockLen;
begin
  Address := Default(TInetSockAddr);
  Length := SizeOf(Address);
  fpGetSockName(Socket, @Address, @Length);
  Result := ntohs(Address.sin_port);
end;

end.
