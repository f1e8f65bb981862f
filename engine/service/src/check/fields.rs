//! Compares two values in constant time: `callbench_own::same` has the rule, and the records are here.

use callbench_own::same;

use crate::records::{
    Category, Condition, Item, ListingInfo, Pagination, Person, SearchResponse, SearchResult, SellingStatus, ShippingInfo, Structure,
    TestStructureBean, UserDetails,
};

/// Compares the length, the first, the last, and the element for `turn`.
pub(super) fn same_octets(right: &[u8], found: &[u8], turn: u64) -> bool {
    let Some(last) = right.len().checked_sub(1) else { return found.is_empty() };
    let place = (turn % right.len() as u64) as usize;
    right.len() == found.len() && right[0] == found[0] && right[last] == found[last] && right[place] == found[place]
}

same! {
    Person { id, first_name, last_name }
    UserDetails { user_name, full_name, email, age, active, created }
    TestStructureBean { id, name, description, amount, flag, related }
    Structure { text, numbers, users, beans }
    SearchResponse { ack, version, timestamp, search_result, pagination_output, item_search_url }
    SearchResult { item }
    Pagination { page_number, entries_per_page, total_pages, total_entries }
    Category { category_id, category_name }
    Condition { condition_id, condition_display_name }
    ShippingInfo {
        shipping_service_cost, shipping_type, ship_to_locations, expedited_shipping, one_day_shipping_available, handling_time
    }
    SellingStatus { current_price, converted_current_price, bid_count, selling_state, time_left }
    ListingInfo {
        best_offer_enabled, buy_it_now_available, buy_it_now_price, converted_buy_it_now_price, start_time, end_time, listing_type, gift
    }
    Item {
        item_id, title, global_id, subtitle, primary_category, gallery_url, view_item_url, product_id, payment_method, auto_pay, postal_code,
        location, country, shipping_info, selling_status, listing_info, returns_accepted, condition, is_multi_variation_listing
    }
}
