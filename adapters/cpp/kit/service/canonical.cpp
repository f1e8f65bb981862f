#include "canonical.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstdio>
#include <type_traits>

namespace kit::canonical {
namespace {

constexpr std::size_t LONGEST = 4096;

std::string sha256(const void* bytes, std::size_t size) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_Digest(bytes, size, digest.data(), &length, EVP_sha256(), nullptr);
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (unsigned at = 0; at < length; ++at) {
        hex.push_back(digits[digest.at(at) >> 4U]);
        hex.push_back(digits[digest.at(at) & 0xFU]);
    }
    return hex;
}

// Known to the templates below before they are written.
Json form(const TestStructureBean& it);
Json form(const ShippingInfo& it);
Json form(const SellingStatus& it);
Json form(const ListingInfo& it);
Json form(const Item& it);

Json form(bool value) { return value; }
Json form(std::uint8_t value) { return value; }
Json form(char16_t value) { return static_cast<std::uint16_t>(value); }
Json form(std::int16_t value) { return value; }
Json form(std::int32_t value) { return value; }
Json form(std::int64_t value) { return std::to_string(value); }

template <typename T>
requires std::is_floating_point_v<T> Json form(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::array<char, 20> text{};
    const auto bits = static_cast<unsigned long long>(std::bit_cast<Bits>(value));
    const int length = std::snprintf(text.data(), text.size(), "0x%0*llx", static_cast<int>(2 * sizeof(T)), bits);
    return std::string{text.data(), static_cast<std::size_t>(length)};
}

Json form(const Text& value) {
    if (auto valid = to_utf8(value)) {
        return *std::move(valid);
    }
    Json units = Json::array();
    for (const auto unit : value) {
        units.push_back(static_cast<std::uint16_t>(unit));
    }
    return {{"utf16", std::move(units)}};
}

Json form(const Octets& value) { return {{"octets", value.size()}, {"sha256", sha256(value.data(), value.size())}}; }

Json form(const Person& it) { return {{"ID", it.id}, {"FirstName", form(it.first_name)}, {"LastName", form(it.last_name)}}; }

Json form(const UserDetails& it) {
    return {{"userName", form(it.user_name)},
            {"fullName", form(it.full_name)},
            {"email", form(it.email)},
            {"age", it.age},
            {"active", it.active},
            {"created", form(it.created)}};
}

template <typename T>
Json form(const std::vector<T>& values) {
    Json list = Json::array();
    for (const auto& value : values) {
        list.push_back(form(value));
    }
    return list;
}

Json form(const TestStructureBean& it) {
    return {{"id", it.id},     {"name", form(it.name)},      {"description", form(it.description)}, {"amount", form(it.amount)},
            {"flag", it.flag}, {"related", form(it.related)}};
}

Json form(const Structure& it) {
    return {{"text", form(it.text)}, {"numbers", form(it.numbers)}, {"users", form(it.users)}, {"beans", form(it.beans)}};
}

/// A record with those of its members that are there.
class Record {
  public:
    template <typename T>
    Record& with(const char* name, const T& value) {
        record_[name] = form(value);
        return *this;
    }

    Record& with_json(const char* name, Json value) {
        record_[name] = std::move(value);
        return *this;
    }

    template <typename T>
    Record& with(const char* name, const std::optional<T>& value) {
        if (value) {
            record_[name] = form(*value);
        }
        return *this;
    }

    Json take() { return std::move(record_); }

  private:
    Json record_ = Json::object();
};

Json form(const ShippingInfo& it) {
    return Record{}
        .with("shippingServiceCost", it.shipping_service_cost)
        .with("shippingType", it.shipping_type)
        .with("shipToLocations", it.ship_to_locations)
        .with("expeditedShipping", it.expedited_shipping)
        .with("oneDayShippingAvailable", it.one_day_shipping_available)
        .with("handlingTime", it.handling_time)
        .take();
}

Json form(const SellingStatus& it) {
    return Record{}
        .with("currentPrice", it.current_price)
        .with("convertedCurrentPrice", it.converted_current_price)
        .with("bidCount", it.bid_count)
        .with("sellingState", it.selling_state)
        .with("timeLeft", it.time_left)
        .take();
}

Json form(const ListingInfo& it) {
    return Record{}
        .with("bestOfferEnabled", it.best_offer_enabled)
        .with("buyItNowAvailable", it.buy_it_now_available)
        .with("buyItNowPrice", it.buy_it_now_price)
        .with("convertedBuyItNowPrice", it.converted_buy_it_now_price)
        .with("startTime", it.start_time)
        .with("endTime", it.end_time)
        .with("listingType", it.listing_type)
        .with("gift", it.gift)
        .take();
}

Json form(const Item& it) {
    return Record{}
        .with("itemId", it.item_id)
        .with("title", it.title)
        .with("globalId", it.global_id)
        .with("subtitle", it.subtitle)
        .with_json(
            "primaryCategory",
            Record{}.with("categoryId", it.primary_category.category_id).with("categoryName", it.primary_category.category_name).take())
        .with("galleryURL", it.gallery_url)
        .with("viewItemURL", it.view_item_url)
        .with("productId", it.product_id)
        .with("paymentMethod", it.payment_method)
        .with("autoPay", it.auto_pay)
        .with("postalCode", it.postal_code)
        .with("location", it.location)
        .with("country", it.country)
        .with("shippingInfo", it.shipping_info)
        .with("sellingStatus", it.selling_status)
        .with("listingInfo", it.listing_info)
        .with("returnsAccepted", it.returns_accepted)
        .with_json("condition", Record{}
                                    .with("conditionId", it.condition.condition_id)
                                    .with("conditionDisplayName", it.condition.condition_display_name)
                                    .take())
        .with("isMultiVariationListing", it.is_multi_variation_listing)
        .take();
}

Json form(const SearchResponse& it) {
    const auto& pages = it.pagination_output;
    return Record{}
        .with("ack", it.ack)
        .with("version", it.version)
        .with("timestamp", it.timestamp)
        .with_json("searchResult", Record{}.with("item", it.items).take())
        .with_json("paginationOutput", Record{}
                                           .with("pageNumber", pages.page_number)
                                           .with("entriesPerPage", pages.entries_per_page)
                                           .with("totalPages", pages.total_pages)
                                           .with("totalEntries", pages.total_entries)
                                           .take())
        .with("itemSearchURL", it.item_search_url)
        .take();
}

Json form(std::monostate) { return nullptr; }

} // namespace

Json answer(const Answer& answer) {
    return std::visit([](const auto& value) { return form(value); }, answer);
}

Json sent(const Value& value) {
    return std::visit([](const auto& it) { return form(it); }, value);
}

Json digest_if_large(Json value) {
    const auto text = value.dump();
    if (text.size() <= LONGEST) {
        return value;
    }
    return {{"sha256", sha256(text.data(), text.size())}, {"bytes", text.size()}};
}

} // namespace kit::canonical
