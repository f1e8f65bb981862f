unit Lines;

{ Lines from the core and to it. The process's own standard output is pointed at standard error before anything else, so
  that nothing a library prints can come between. }

{$mode objfpc}{$H+}

interface

uses
  BaseUnix, fpjson;

const
  Longest = 16 * 1024 * 1024;

type
  TLines = class
  private
    FOut: cint;
    FChunk: array[0..65535] of Char;
    FFilled, FTaken: Integer;
    FTooLong: Boolean;
    function Fill: Boolean;
  public
    constructor Create;
    { Reads one line without its end; False at the end of the input. }
    function Next(out Line: RawByteString): Boolean;
    { Writes an object as one line, and frees it. }
    procedure Say(What: TJSONObject);
    { Whether the last line was longer than the contract allows: it was dropped. }
    property TooLong: Boolean read FTooLong;
  end;

implementation

constructor TLines.Create;
begin
  FOut := FpDup(1);
  FpDup2(2, 1);
  TJSONData.CompressedJSON := True;
end;

function TLines.Fill: Boolean;
var
  Count: TsSize;
begin
  repeat
    Count := FpRead(0, FChunk[0], SizeOf(FChunk));
  until (Count >= 0) or (fpgeterrno <> ESysEINTR);
  FTaken := 0;
  FFilled := Count;
  Result := Count > 0;
  if not Result then
    FFilled := 0;
end;

function TLines.Next(out Line: RawByteString): Boolean;
var
  Found: Integer;
  Piece: RawByteString;
begin
  Line := '';
  FTooLong := False;
  repeat
    if (FTaken >= FFilled) and not Fill then
      Exit((Line <> '') or FTooLong);
    Found := IndexByte(FChunk[FTaken], FFilled - FTaken, 10);
    if Found < 0 then
      SetString(Piece, @FChunk[FTaken], FFilled - FTaken)
    else
      SetString(Piece, @FChunk[FTaken], Found);
    Inc(FTaken, Length(Piece));
    if FTooLong or (Length(Line) + Length(Piece) > Longest) then
    begin
      FTooLong := True;
      Line := '';
    end
    else
      Line := Line + Piece;
  until Found >= 0;
  Inc(FTaken);
  Result := True;
end;

procedure TLines.Say(What: TJSONObject);
var
  Text: RawByteString;
  Written: Integer;
  Count: TsSize;
begin
  Text := What.AsJSON + #10;
  What.Free;
  Written := 0;
  while Written < Length(Text) do
  begin
    Count := FpWrite(FOut, Text[Written + 1], Length(Text) - Written);
    if Count > 0 then
      Inc(Written, Count)
    else if fpgeterrno <> ESysEINTR then
      Halt(0); // Nobody listens any more: that is the end of the input too.
  end;
end;

end.
