// Written for Callbench's tests.
namespace java org.example.parcels
include "parcels_shared.thrift"
const i32 MOST = 0x10
const map<string, list<i32>> SIZES = {"small": [1, 2], 'large': [3]}
typedef i64 Id
typedef list<Id> Ids
enum State { NEW = 1, SENT, LOST = 0x10; }
struct Parcel {
  1: required Id id (key = "yes"),
  2: optional State state = State.NEW
  4: list<list<double>> sizes;
  5: map<string, Parcel> parts,
  6: map<i32, parcels_shared.Address> stops (old)
  7: set<string> tags
  9: optional binary label
  10: map<State, bool> marks
  11: Content content
  12: parcels_shared.Address to
}
union Content { 1: string note, 2: Ids ids, 3: double weight }
exception Refused { 1: string why }
service Base { void ping() }
service Parcels extends Base {
  Parcel get(1: Id id) throws (1: Refused refused),
  oneway void forget(1: Id id, 2: string reason = "none");
  list<Parcel> all(),
}
