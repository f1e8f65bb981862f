struct Line {
  1: required string sku;
  2: required i32 count;
  3: required double price;
}

struct Order {
  1: required i64 id;
  2: required string customer;
  3: required list<Line> lines;
  5: optional string note;
  7: required map<string, i32> tags;
  8: required list<list<double>> grid;
  30: required bool paid;
  31: required binary picture;
}

service Shop {
  Order place(1: Order order);
}
