@0xbf5147cbbecf40c2;
struct Guest { name @0 :Text; age @1 :UInt8; }
struct Date { year @0 :Int16; month @1 :UInt8; day @2 :UInt8; }
