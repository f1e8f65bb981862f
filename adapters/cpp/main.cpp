/// The runner of C++: what it has.
#include "corba/stack.hpp"
#include "inprocess/stacks.hpp"

int main() {
    kit::run([] { return kit::Adapter{"0.1.0", corba::libraries(), {corba::omniorb(), inprocess::nothing(), inprocess::direct()}, {}}; });
}
