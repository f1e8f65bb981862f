# Written for Callbench's tests.
@0xbf5147cbbecf40c1;
using Common = import "rooms-common.capnp";
using import "rooms-common.capnp".Date;
const most :UInt32 = 12;
annotation shown @0xd5a4a3ef41a5f5e1 (field, struct) :Text;
struct Room @0xabcdabcdabcdabc1 $shown("a room") {
  name @0 :Text = "none" $shown("name");
  beds @1 :List(Bed);
  grid @2 :List(List(Float32));
  union {
    free @3 :Void;
    taken @4 :Common.Guest;
    waiting @5 :List(Text);
  }
  price :group {
    amount @6 :UInt64;
    currency @7 :Text;
  }
  view :union {
    sea @8 :Bool;
    yard @9 :Void;
  }
  kind @10 :Kind;
  open @11 :Date;
  enum Kind { single @0; double @1; suite @2; }
  struct Bed { width @0 :Int16; note @1 :Data; nothing @2 :Void; }
}
interface Rooms @0xabcdabcdabcdabc2 {
  get @0 (name :Text, day :Date) -> (room :Room);
  book @1 Room -> Common.Guest;
  watch @2 (name :Text = "x") -> stream;
  forget @3 ();
}
