/// Holds the kit's service against contract/golden/service.json: callbench-cpp-golden FILE. Prints what differs; exits with 1 where
/// anything does.
#include <cstdio>
#include <fstream>

#include "service/canonical.hpp"
#include "service/service.hpp"

namespace {

/// What the kit makes of one vector, in the vector's own form.
kit::Json worked_out(const kit::Json& vector) {
    kit::Json made{{"call", vector.at("call")}, {"arguments", vector.at("arguments")}};
    const auto call = kit::arguments::call(vector.at("call"), vector.at("arguments"));
    if (const auto* const send = std::get_if<kit::Send>(&call)) {
        made["sent"] = kit::canonical::digest_if_large(kit::canonical::sent(send->value));
    }
    try {
        made["value"] = kit::canonical::digest_if_large(kit::canonical::answer(kit::Service{kit::Json::object()}.answer(call)));
    } catch (const kit::Fault& fault) {
        made["fault"] = {{"message", kit::to_utf8(fault.message).value_or("")}};
    }
    return made;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: callbench-cpp-golden FILE\n", stderr);
        return 2;
    }
    std::ifstream file{arguments[1]};
    const auto vectors = kit::Json::parse(file);
    int wrong = 0;
    for (const auto& vector : vectors) {
        if (const auto made = worked_out(vector); made != vector) {
            std::printf("%s\n  is not %s\n", made.dump().c_str(), vector.dump().c_str());
            ++wrong;
        }
    }
    std::printf("%zu vectors, %d wrong\n", vectors.size(), wrong);
    return wrong == 0 && !vectors.empty() ? 0 : 1;
}
