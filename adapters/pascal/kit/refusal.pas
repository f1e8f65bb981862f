unit Refusal;

{ What cannot be done, as the contract has it: a kind and one sentence that a person can act on. }

{$mode objfpc}{$H+}

interface

uses
  SysUtils;

const
  BadRequest = 'bad-request';
  OutOfResources = 'out-of-resources';
  Unsupported = 'unsupported';

type
  ERefusal = class(Exception)
  private
    FKind: string;
  public
    constructor Create(const Kind, Sentence: string);
    property Kind: string read FKind;
  end;

{ Formats an external text for a message. }
function Shown(const Text: string): string;

implementation

const
  MostShown = 64;

constructor ERefusal.Create(const Kind, Sentence: string);
begin
  inherited Create(Sentence);
  FKind := Kind;
end;

function Shown(const Text: string): string;
begin
  Result := Copy(Text, 1, MostShown);
end;

end.
