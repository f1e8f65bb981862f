//! The records of the service as structures, member by member in the order of `contract/SERVICE.md`.

use callbench_service::Structure;
use callbench_service::records::{
    Category, Condition, Item, ListingInfo, Pagination, Person, SearchResponse, SearchResult, SellingStatus, ShippingInfo,
    TestStructureBean, UserDetails,
};

use crate::ndr::record;

record! {
    Person { id: i32, first_name: String, last_name: String }
    UserDetails { user_name: String, full_name: String, email: String, age: i32, active: bool, created: i64 }
    TestStructureBean { id: i32, name: String, description: String, amount: f64, flag: bool, related: Vec<i32> }
    Structure { text: String, numbers: Vec<i32>, users: Vec<UserDetails>, beans: Vec<TestStructureBean> }
    SearchResponse {
        ack: String, version: String, timestamp: String, search_result: SearchResult, pagination_output: Pagination,
        item_search_url: String,
    }
    SearchResult { item: Vec<Item> }
    Pagination { page_number: i32, entries_per_page: i32, total_pages: i32, total_entries: i32 }
    Category { category_id: String, category_name: String }
    Condition { condition_id: Option<String>, condition_display_name: Option<String> }
    ShippingInfo {
        shipping_service_cost: Option<f32>, shipping_type: Option<String>, ship_to_locations: Option<String>,
        expedited_shipping: Option<bool>, one_day_shipping_available: Option<bool>, handling_time: Option<String>,
    }
    SellingStatus {
        current_price: f32, converted_current_price: f32, bid_count: Option<i32>, selling_state: String, time_left: String,
    }
    ListingInfo {
        best_offer_enabled: Option<bool>, buy_it_now_available: Option<bool>, buy_it_now_price: Option<f32>,
        converted_buy_it_now_price: Option<f32>, start_time: Option<String>, end_time: Option<String>,
        listing_type: Option<String>, gift: Option<bool>,
    }
    Item {
        item_id: String, title: String, global_id: String, subtitle: Option<String>, primary_category: Category,
        gallery_url: Option<String>, view_item_url: Option<String>, product_id: Option<String>, payment_method: String,
        auto_pay: Option<bool>, postal_code: Option<String>, location: String, country: String, shipping_info: ShippingInfo,
        selling_status: SellingStatus, listing_info: ListingInfo, returns_accepted: bool, condition: Condition,
        is_multi_variation_listing: Option<bool>,
    }
}
