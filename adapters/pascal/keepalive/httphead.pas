unit HttpHead;

{ What of a request's head a small server needs. }

{$mode objfpc}{$H+}

interface

type
  THead = record
    Method, Path: string;
    KeepAlive: Boolean;   // whether the connection stays open after the answer
    BodyLength: Int64;
    Status: Integer;      // what is wrong with it, as a status of HTTP; 0: nothing
  end;

{ Reads a head, from the request line to the last header, without the empty line. }
function ReadHead(const Text: string): THead;

implementation

uses
  SysUtils;

const
  MostBody = 1 shl 20;

procedure TakeHeader(const Line: string; var Head: THead);
var
  Colon: Integer;
  Value: string;
begin
  Colon := Pos(':', Line);
  if Colon < 2 then
  begin
    Head.Status := 400;
    Exit;
  end;
  Value := Trim(Copy(Line, Colon + 1, Length(Line)));
  case LowerCase(Copy(Line, 1, Colon - 1)) of
    'connection':
      case LowerCase(Value) of
        'close': Head.KeepAlive := False;
        'keep-alive': Head.KeepAlive := True;
      end;
    'content-length':
      if not TryStrToInt64(Value, Head.BodyLength) or (Head.BodyLength < 0) then
        Head.Status := 400
      else if Head.BodyLength > MostBody then
        Head.Status := 413;
    'transfer-encoding': Head.Status := 501;
  end;
end;

function ReadHead(const Text: string): THead;
var
  Lines, Words: array of string;
  Index: Integer;
begin
  Result := Default(THead);
  Lines := Text.Split([#13#10]);
  Words := Lines[0].Split([' ']);
  if (Length(Words) <> 3) or not Words[2].StartsWith('HTTP/1.') then
  begin
    Result.Status := 400;
    Exit;
  end;
  Result.Method := Words[0];
  Result.Path := Words[1];
  Result.KeepAlive := Words[2] <> 'HTTP/1.0';
  for Index := 1 to High(Lines) do
    TakeHeader(Lines[Index], Result);
end;

end.
