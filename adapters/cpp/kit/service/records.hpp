/// The records of the service, as contract/SERVICE.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "text.hpp"

namespace kit {

using Octets = std::vector<std::uint8_t>;

struct Person {
    std::int32_t id = 0;
    Text first_name;
    Text last_name;
    bool operator==(const Person&) const = default;
};

struct UserDetails {
    Text user_name;
    Text full_name;
    Text email;
    std::int32_t age = 0;
    bool active = false;
    std::int64_t created = 0;
};

struct TestStructureBean {
    std::int32_t id = 0;
    Text name;
    Text description;
    double amount = 0;
    bool flag = false;
    std::vector<std::int32_t> related;
};

/// What EchoStructure sends and gets back.
struct Structure {
    Text text;
    std::vector<std::int32_t> numbers;
    std::vector<UserDetails> users;
    std::vector<TestStructureBean> beans;
};

struct Category {
    Text category_id;
    Text category_name;
};

struct Condition {
    std::optional<Text> condition_id;
    std::optional<Text> condition_display_name;
};

struct ShippingInfo {
    std::optional<float> shipping_service_cost;
    std::optional<Text> shipping_type;
    std::optional<Text> ship_to_locations;
    std::optional<bool> expedited_shipping;
    std::optional<bool> one_day_shipping_available;
    std::optional<Text> handling_time;
};

struct SellingStatus {
    float current_price = 0;
    float converted_current_price = 0;
    std::optional<std::int32_t> bid_count;
    Text selling_state;
    Text time_left;
};

struct ListingInfo {
    std::optional<bool> best_offer_enabled;
    std::optional<bool> buy_it_now_available;
    std::optional<float> buy_it_now_price;
    std::optional<float> converted_buy_it_now_price;
    std::optional<Text> start_time;
    std::optional<Text> end_time;
    std::optional<Text> listing_type;
    std::optional<bool> gift;
};

struct Item {
    Text item_id;
    Text title;
    Text global_id;
    std::optional<Text> subtitle;
    Category primary_category;
    std::optional<Text> gallery_url;
    std::optional<Text> view_item_url;
    std::optional<Text> product_id;
    Text payment_method;
    std::optional<bool> auto_pay;
    std::optional<Text> postal_code;
    Text location;
    Text country;
    ShippingInfo shipping_info;
    SellingStatus selling_status;
    ListingInfo listing_info;
    bool returns_accepted = false;
    Condition condition;
    std::optional<bool> is_multi_variation_listing;
};

struct Pagination {
    std::int32_t page_number = 0;
    std::int32_t entries_per_page = 0;
    std::int32_t total_pages = 0;
    std::int32_t total_entries = 0;
};

/// What FindItems answers: the gateway study's search result. The list of its items stands in `searchResult` on the wire.
struct SearchResponse {
    Text ack;
    Text version;
    Text timestamp;
    std::vector<Item> items;
    Pagination pagination_output;
    Text item_search_url;
};

} // namespace kit
