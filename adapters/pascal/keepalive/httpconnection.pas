unit HttpConnection;

{ The requests of one connection, answered one after the other. }

{$mode objfpc}{$H+}

interface

uses
  Service, ssockets;

const
  HelloPath = '/service/helloworld';

{ Answers until the client closes the connection, requests its end, or sends something that is not HTTP. }
procedure AnswerAll(Stream: TSocketStream; Calls: TService);

implementation

uses
  HttpHead, Sockets, SysUtils;

const
  EndOfHead = #13#10#13#10;
  LongestHead = 65536;
  TcpNoDelay = 1;

type
  TConnection = class
  private
    FStream: TSocketStream;
    FService: TService;
    FPending: string;
    FChunk: array[0..4095] of Char;
    function Fill: Boolean;
    function NextHead(out Text: string): Boolean;
    function DropBody(Length_: Int64): Boolean;
    procedure Answer(Status: Integer; const Body: string; KeepAlive: Boolean);
    procedure AnswerHead(var Head: THead);
  end;

procedure AnswerAll(Stream: TSocketStream; Calls: TService);
var
  One: LongInt;
  Text: string;
  Head: THead;
  Connection: TConnection;
begin
  One := 1;
  fpSetSockOpt(Stream.Handle, IPPROTO_TCP, TcpNoDelay, @One, SizeOf(One));
  Stream.WriteFlags := MSG_NOSIGNAL;
  Connection := TConnection.Create;
  try
    Connection.FStream := Stream;
    Connection.FService := Calls;
    repeat
      if not Connection.NextHead(Text) then
        Exit;
      Head := ReadHead(Text);
      if (Head.Status = 0) and not Connection.DropBody(Head.BodyLength) then
        Exit;
      Connection.AnswerHead(Head);
    until not Head.KeepAlive;
  finally
    Connection.Free;
  end;
end;

function TConnection.Fill: Boolean;
var
  Count: Integer;
  Piece: string;
begin
  Count := FStream.Read(FChunk[0], SizeOf(FChunk));
  Result := Count > 0;
  if Result then
  begin
    SetString(Piece, @FChunk[0], Count);
    FPending := FPending + Piece;
  end;
end;

function TConnection.NextHead(out Text: string): Boolean;
var
  Found: Integer;
begin
  Found := Pos(EndOfHead, FPending);
  while Found = 0 do
  begin
    if (Length(FPending) > LongestHead) or not Fill then
      Exit(False);
    Found := Pos(EndOfHead, FPending);
  end;
  Text := Copy(FPending, 1, Found - 1);
  Delete(FPending, 1, Found + Length(EndOfHead) - 1);
  Result := True;
end;

function TConnection.DropBody(Length_: Int64): Boolean;
begin
  while Length(FPending) < Length_ do
    if not Fill then
      Exit(False);
  Delete(FPending, 1, Length_);
  Result := True;
end;

procedure TConnection.AnswerHead(var Head: THead);
begin
  if Head.Status <> 0 then
  begin
    // What follows cannot be distinguished from the rest of this request.
    Head.KeepAlive := False;
    Answer(Head.Status, '{"error":"the request cannot be understood"}', False);
  end
  else if Head.Path <> HelloPath then
    Answer(404, '{"error":"there is only GET ' + HelloPath + '"}', Head.KeepAlive)
  else if Head.Method <> 'GET' then
    Answer(405, '{"error":"there is only GET ' + HelloPath + '"}', Head.KeepAlive)
  else
  begin
    FService.Hello;
    Answer(200, '{"result":["Hello World!"]}', Head.KeepAlive);
  end;
end;

function Reason(Status: Integer): string;
begin
  case Status of
    200: Result := 'OK';
    400: Result := 'Bad Request';
    404: Result := 'Not Found';
    405: Result := 'Method Not Allowed';
    413: Result := 'Content Too Large';
    else
      Result := 'Not Implemented';
  end;
end;

procedure TConnection.Answer(Status: Integer; const Body: string; KeepAlive: Boolean);
const
  Says: array[Boolean] of string = ('close', 'keep-alive');
var
  Text: string;
begin
  Text := 'HTTP/1.1 ' + IntToStr(Status) + ' ' + Reason(Status) + #13#10 +
    'Content-Type: application/json; charset=UTF-8'#13#10 +
    'Content-Length: ' + IntToStr(Length(Body)) + #13#10 +
    'Connection: ' + Says[KeepAlive] + #13#10#13#10 + Body;
  FStream.WriteBuffer(Text[1], Length(Text));
end;

end.
