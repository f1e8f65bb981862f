/// The C++ adapter: what it has.
#include "contract/run.hpp"
#include "corba/stack.hpp"
#include "direct.hpp"

int main() {
    return kit::run([] {
        kit::Adapter adapter{"cpp", "0.1.0", corba::libraries(), {}};
        adapter.stacks.push_back(corba::omniorb());
        adapter.stacks.push_back(kit::nothing());
        adapter.stacks.push_back(kit::direct());
        return adapter;
    });
}
