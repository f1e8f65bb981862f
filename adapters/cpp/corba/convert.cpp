#include "convert.hpp"

#include <algorithm>

#include "../kit/failure.hpp"

namespace corba {
namespace {

callbench::MaybeString maybe(const std::optional<kit::Text>& value) {
    callbench::MaybeString made;
    if (value) {
        made.there(wide(*value));
    } else {
        made._default();
    }
    return made;
}

/// An optional of another type: its union has the same two states.
template <typename Union, typename T>
Union maybe(const std::optional<T>& value) {
    Union made;
    if (value) {
        made.there(*value);
    } else {
        made._default();
    }
    return made;
}

template <typename T, typename Union>
std::optional<T> own_maybe(const Union& value) {
    return value._d() ? std::optional<T>{value.there()} : std::nullopt;
}

std::optional<kit::Text> own_maybe(const callbench::MaybeString& value) {
    return value._d() ? std::optional{text(value.there())} : std::nullopt;
}

callbench::UserDetails idl(const kit::UserDetails& it) {
    callbench::UserDetails made;
    made.userName = wide(it.user_name);
    made.fullName = wide(it.full_name);
    made.email = wide(it.email);
    made.age = it.age;
    made.active = it.active;
    made.created = it.created;
    return made;
}

kit::UserDetails own(const callbench::UserDetails& it) {
    return {text(it.userName), text(it.fullName), text(it.email), it.age, it.active, it.created};
}

constexpr auto AS_IT_IS = [](const auto& value) { return value; };

callbench::TestStructureBean idl(const kit::TestStructureBean& it) {
    callbench::TestStructureBean made;
    made.id = it.id;
    made.name = wide(it.name);
    made.description = wide(it.description);
    made.amount = it.amount;
    made.flag = it.flag;
    made.related = sequence<callbench::Ints>(it.related, AS_IT_IS);
    return made;
}

kit::TestStructureBean own(const callbench::TestStructureBean& it) {
    return {it.id, text(it.name), text(it.description), it.amount, it.flag, vector<std::int32_t>(it.related, AS_IT_IS)};
}

callbench::ShippingInfo idl(const kit::ShippingInfo& it) {
    callbench::ShippingInfo made;
    made.shippingServiceCost = maybe<callbench::MaybeFloat>(it.shipping_service_cost);
    made.shippingType = maybe(it.shipping_type);
    made.shipToLocations = maybe(it.ship_to_locations);
    made.expeditedShipping = maybe<callbench::MaybeBoolean>(it.expedited_shipping);
    made.oneDayShippingAvailable = maybe<callbench::MaybeBoolean>(it.one_day_shipping_available);
    made.handlingTime = maybe(it.handling_time);
    return made;
}

kit::ShippingInfo own(const callbench::ShippingInfo& it) {
    return {own_maybe<float>(it.shippingServiceCost),
            own_maybe(it.shippingType),
            own_maybe(it.shipToLocations),
            own_maybe<bool>(it.expeditedShipping),
            own_maybe<bool>(it.oneDayShippingAvailable),
            own_maybe(it.handlingTime)};
}

callbench::SellingStatus idl(const kit::SellingStatus& it) {
    callbench::SellingStatus made;
    made.currentPrice = it.current_price;
    made.convertedCurrentPrice = it.converted_current_price;
    made.bidCount = maybe<callbench::MaybeInt>(it.bid_count);
    made.sellingState = wide(it.selling_state);
    made.timeLeft = wide(it.time_left);
    return made;
}

kit::SellingStatus own(const callbench::SellingStatus& it) {
    return {it.currentPrice, it.convertedCurrentPrice, own_maybe<std::int32_t>(it.bidCount), text(it.sellingState), text(it.timeLeft)};
}

callbench::ListingInfo idl(const kit::ListingInfo& it) {
    callbench::ListingInfo made;
    made.bestOfferEnabled = maybe<callbench::MaybeBoolean>(it.best_offer_enabled);
    made.buyItNowAvailable = maybe<callbench::MaybeBoolean>(it.buy_it_now_available);
    made.buyItNowPrice = maybe<callbench::MaybeFloat>(it.buy_it_now_price);
    made.convertedBuyItNowPrice = maybe<callbench::MaybeFloat>(it.converted_buy_it_now_price);
    made.startTime = maybe(it.start_time);
    made.endTime = maybe(it.end_time);
    made.listingType = maybe(it.listing_type);
    made.gift = maybe<callbench::MaybeBoolean>(it.gift);
    return made;
}

kit::ListingInfo own(const callbench::ListingInfo& it) {
    return {own_maybe<bool>(it.bestOfferEnabled),
            own_maybe<bool>(it.buyItNowAvailable),
            own_maybe<float>(it.buyItNowPrice),
            own_maybe<float>(it.convertedBuyItNowPrice),
            own_maybe(it.startTime),
            own_maybe(it.endTime),
            own_maybe(it.listingType),
            own_maybe<bool>(it.gift)};
}

callbench::Item idl(const kit::Item& it) {
    callbench::Item made;
    made.itemId = wide(it.item_id);
    made.title = wide(it.title);
    made.globalId = wide(it.global_id);
    made.subtitle = maybe(it.subtitle);
    made.primaryCategory.categoryId = wide(it.primary_category.category_id);
    made.primaryCategory.categoryName = wide(it.primary_category.category_name);
    made.galleryURL = maybe(it.gallery_url);
    made.viewItemURL = maybe(it.view_item_url);
    made.productId = maybe(it.product_id);
    made.paymentMethod = wide(it.payment_method);
    made.autoPay = maybe<callbench::MaybeBoolean>(it.auto_pay);
    made.postalCode = maybe(it.postal_code);
    made.location = wide(it.location);
    made.country = wide(it.country);
    made.shippingInfo = idl(it.shipping_info);
    made.sellingStatus = idl(it.selling_status);
    made.listingInfo = idl(it.listing_info);
    made.returnsAccepted = it.returns_accepted;
    made.condition.conditionId = maybe(it.condition.condition_id);
    made.condition.conditionDisplayName = maybe(it.condition.condition_display_name);
    made.isMultiVariationListing = maybe<callbench::MaybeBoolean>(it.is_multi_variation_listing);
    return made;
}

kit::Item own(const callbench::Item& it) {
    return {text(it.itemId),
            text(it.title),
            text(it.globalId),
            own_maybe(it.subtitle),
            {text(it.primaryCategory.categoryId), text(it.primaryCategory.categoryName)},
            own_maybe(it.galleryURL),
            own_maybe(it.viewItemURL),
            own_maybe(it.productId),
            text(it.paymentMethod),
            own_maybe<bool>(it.autoPay),
            own_maybe(it.postalCode),
            text(it.location),
            text(it.country),
            own(it.shippingInfo),
            own(it.sellingStatus),
            own(it.listingInfo),
            it.returnsAccepted,
            {own_maybe(it.condition.conditionId), own_maybe(it.condition.conditionDisplayName)},
            own_maybe<bool>(it.isMultiVariationListing)};
}

} // namespace

CORBA::WChar* wide(std::u16string_view text) {
    if (text.find(u'\0') != std::u16string_view::npos) {
        throw kit::Failure{kit::Kind::cannot_carry, "a wide string of CORBA ends at U+0000 in C++, and this one has it inside"};
    }
    CORBA::WChar* const made = CORBA::wstring_alloc(static_cast<CORBA::ULong>(text.size()));
    *std::copy(text.begin(), text.end(), made) = L'\0';
    return made;
}

kit::Text text(const CORBA::WChar* wide) {
    kit::Text made;
    while (*wide != L'\0') {
        made.push_back(static_cast<char16_t>(*wide++));
    }
    return made;
}

callbench::Person idl(const kit::Person& person) {
    callbench::Person made;
    made.ID = person.id;
    made.FirstName = wide(person.first_name);
    made.LastName = wide(person.last_name);
    return made;
}

kit::Person own(const callbench::Person& person) { return {person.ID, text(person.FirstName), text(person.LastName)}; }

callbench::Structure idl(const kit::Structure& structure) {
    callbench::Structure made;
    made.text = wide(structure.text);
    made.numbers = sequence<callbench::Ints>(structure.numbers, AS_IT_IS);
    made.users = sequence<callbench::Users>(structure.users, [](const kit::UserDetails& it) { return idl(it); });
    made.beans = sequence<callbench::Beans>(structure.beans, [](const kit::TestStructureBean& it) { return idl(it); });
    return made;
}

kit::Structure own(const callbench::Structure& structure) {
    return {text(structure.text), vector<std::int32_t>(structure.numbers, AS_IT_IS),
            vector<kit::UserDetails>(structure.users, [](const callbench::UserDetails& it) { return own(it); }),
            vector<kit::TestStructureBean>(structure.beans, [](const callbench::TestStructureBean& it) { return own(it); })};
}

callbench::SearchResponse idl(const kit::SearchResponse& response) {
    callbench::SearchResponse made;
    made.ack = wide(response.ack);
    made.version = wide(response.version);
    made.timestamp = wide(response.timestamp);
    made.searchResult.item = sequence<callbench::Items>(response.items, [](const kit::Item& it) { return idl(it); });
    const auto& pages = response.pagination_output;
    made.paginationOutput = {pages.page_number, pages.entries_per_page, pages.total_pages, pages.total_entries};
    made.itemSearchURL = wide(response.item_search_url);
    return made;
}

kit::SearchResponse own(const callbench::SearchResponse& response) {
    const auto& pages = response.paginationOutput;
    return {text(response.ack),
            text(response.version),
            text(response.timestamp),
            vector<kit::Item>(response.searchResult.item, [](const callbench::Item& it) { return own(it); }),
            {pages.pageNumber, pages.entriesPerPage, pages.totalPages, pages.totalEntries},
            text(response.itemSearchURL)};
}

} // namespace corba
