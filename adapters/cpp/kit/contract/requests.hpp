/// What the core asks, read member by member, and what a drive came to, as the core is told.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../drive/drive.hpp"

namespace kit::requests {

/// A line as JSON. Throws bad_request where it is none.
Json parsed(const std::string& line);

/// The request's id, a whole number from 1 on.
std::uint64_t id_of(const Json& request);

/// A member that has to be a string.
std::string text(const Json& request, const std::string& name);

/// A member that has to be an object; empty where it is not there.
Json object(const Json& request, const std::string& name);

/// A member that has to be a whole number in a range; `otherwise` where it is not there or null, if given.
std::int64_t whole(const Json& request, const std::string& name, std::int64_t least, std::int64_t most,
                   std::optional<std::int64_t> otherwise = std::nullopt);

/// Refuses options that are not known.
void refuse_unknown(const Json& options, std::span<const std::string_view> known);

/// What a drive and a golden trace say in the same words: calls, timing, think_ns, burn_ns, ramp_up_ns.
Plan paced(const Json& request);

/// The drive that is asked for, but for its call and clients.
Plan plan(const Json& request);

Json done(const Outcome& outcome, bool open);

/// CPU of the contract.
Json cpu(const Usage& usage);

} // namespace kit::requests
