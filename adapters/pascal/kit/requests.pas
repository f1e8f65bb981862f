unit Requests;

{ Members of a request, read as what they must be. Each raises ERefusal in the contract's words. }

{$mode objfpc}{$H+}

interface

uses
  fpjson;

{ Parses a line; the caller frees what comes. }
function Parsed(const Line: RawByteString): TJSONObject;

{ Returns the request's id, 0 if it has no valid one. }
function IdOf(Request: TJSONObject): Int64;

function Text(Request: TJSONObject; const Name: string): string;
function Whole(Request: TJSONObject; const Name: string; Least, Most, Usual: Int64): Int64;

{ Returns the member Name, an object. If it is missing, an empty object, which the caller must not free. }
function Members(Request: TJSONObject; const Name: string): TJSONObject;

{ Refuses members that are not among Known. }
procedure RefuseUnknown(Options: TJSONObject; const Known: array of string);

{ Reads microseconds as nanoseconds; 0 where the member is missing. Fraction: whether they may have one. }
function Microseconds(Options: TJSONObject; const Name: string; Fraction: Boolean): Int64;

implementation

uses
  jsonparser, Refusal, StrUtils, SysUtils;

const
  Deepest = 64;
  MostMicroseconds = 1000000000;
  Exact = Int64(1) shl 53;

var
  NoMembers: TJSONObject;

{ Whether brackets are nested too deeply for the recursive parser. }
function TooDeep(const Line: RawByteString): Boolean;
var
  Depth, Index: Integer;
  Quoted: Boolean;
begin
  Depth := 0;
  Quoted := False;
  Index := 1;
  while Index <= Length(Line) do
  begin
    case Line[Index] of
      '"': Quoted := not Quoted;
      '\': if Quoted then
        Inc(Index);
      '{', '[': if not Quoted then
        Inc(Depth);
      '}', ']': if not Quoted then
        Dec(Depth);
    end;
    if Depth > Deepest then
      Exit(True);
    Inc(Index);
  end;
  Result := False;
end;

function Parsed(const Line: RawByteString): TJSONObject;
var
  Data: TJSONData;
begin
  if TooDeep(Line) then
    raise ERefusal.Create(BadRequest, 'the line is nested too deep');
  try
    Data := GetJSON(Line);
  except
    on Failure: Exception do
      raise ERefusal.Create(BadRequest, 'the line is no JSON: ' + Failure.Message);
  end;
  if Data is TJSONObject then
    Exit(TJSONObject(Data));
  Data.Free;
  raise ERefusal.Create(BadRequest, 'the line is no JSON object');
end;

function IdOf(Request: TJSONObject): Int64;
var
  Given: TJSONData;
begin
  Given := Request.Find('id');
  if (Given is TJSONIntegerNumber) or (Given is TJSONInt64Number) then
    Result := Given.AsInt64
  else
    Result := 0;
  if (Result < 1) or (Result > Exact) then
    Result := 0;
end;

procedure Refuse(const Name: string; Given: TJSONData; const MustBe: string);
begin
  if Given = nil then
    raise ERefusal.Create(BadRequest, Name + ' is missing: it must be ' + MustBe);
  raise ERefusal.Create(BadRequest, Name + ' is ' + Shown(Given.AsJSON) + ': it must be ' + MustBe);
end;

function Text(Request: TJSONObject; const Name: string): string;
var
  Given: TJSONData;
begin
  Given := Request.Find(Name);
  if not (Given is TJSONString) then
    Refuse(Name, Given, 'a string');
  Result := Given.AsString;
end;

function Whole(Request: TJSONObject; const Name: string; Least, Most, Usual: Int64): Int64;
var
  Given: TJSONData;
begin
  Given := Request.Find(Name);
  if Given = nil then
    Exit(Usual);
  Result := Least - 1;
  if (Given is TJSONIntegerNumber) or (Given is TJSONInt64Number) then
    Result := Given.AsInt64;
  if (Result < Least) or (Result > Most) then
    Refuse(Name, Given, Format('a whole number from %d to %d', [Least, Most]));
end;

function Members(Request: TJSONObject; const Name: string): TJSONObject;
var
  Given: TJSONData;
begin
  Given := Request.Find(Name);
  if Given = nil then
    Exit(NoMembers);
  if not (Given is TJSONObject) then
    Refuse(Name, Given, 'an object');
  Result := TJSONObject(Given);
end;

procedure RefuseUnknown(Options: TJSONObject; const Known: array of string);
var
  Index: Integer;
  List, One: string;
begin
  for Index := 0 to Options.Count - 1 do
    if AnsiIndexStr(Options.Names[Index], Known) < 0 then
    begin
      List := '';
      for One in Known do
        List := List + IfThen(List = '', '', ', ') + One;
      raise ERefusal.Create(BadRequest, Format('the option %s is unknown: known are %s', [Shown(Options.Names[Index]), List]));
    end;
end;

function Microseconds(Options: TJSONObject; const Name: string; Fraction: Boolean): Int64;
var
  Given: TJSONData;
  Value: Double;
begin
  Given := Options.Find(Name);
  if Given = nil then
    Exit(0);
  Value := -1;
  if (Given is TJSONNumber) and (Fraction or not (Given is TJSONFloatNumber)) then
    Value := Given.AsFloat;
  if not ((Value >= 0) and (Value <= MostMicroseconds)) then
    Refuse(Name, Given, Format('a %snumber of microseconds from 0 to %d', [IfThen(Fraction, '', 'whole '), MostMicroseconds]));
  Result := Round(Value * 1000);
end;

initialization
  NoMembers := TJSONObject.Create;

finalization
  NoMembers.Free;

end.
