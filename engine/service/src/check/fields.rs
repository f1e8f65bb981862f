//! Whether two values are the same, as far as constant time allows to see: every member of a record, and of what is long some elements.

use crate::records::{
    Category, Condition, Item, ListingInfo, Pagination, Person, SearchResponse, SearchResult, SellingStatus, ShippingInfo, Structure,
    TestStructureBean, UserDetails,
};

/// Texts up to so many octets are compared as a whole.
const WHOLE: usize = 64;

pub(super) trait Same {
    /// `turn` says which elements of what is long are looked at.
    fn same(&self, found: &Self, turn: u64) -> bool;
}

/// Values of which there is but one.
macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Same for $type {
            #[inline]
            fn same(&self, found: &Self, _: u64) -> bool {
                self == found
            }
        })*
    };
}
plain!(bool, i32, i64);

impl Same for f32 {
    #[inline]
    fn same(&self, found: &Self, _: u64) -> bool {
        self.to_bits() == found.to_bits()
    }
}

impl Same for f64 {
    #[inline]
    fn same(&self, found: &Self, _: u64) -> bool {
        self.to_bits() == found.to_bits()
    }
}

impl Same for String {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        let (right, found) = (self.as_bytes(), found.as_bytes());
        if right.len() <= WHOLE {
            return right == found;
        }
        let (length, place) = (right.len(), place(turn, right.len()));
        // A character has at most four octets.
        length == found.len() && right[length - 4..] == found[length - 4..] && right[place] == found[place]
    }
}

/// The length, the first, the last, and the one at `turn`.
pub(super) fn same_octets(right: &[u8], found: &[u8], turn: u64) -> bool {
    let Some(last) = right.len().checked_sub(1) else { return found.is_empty() };
    let place = place(turn, right.len());
    right.len() == found.len() && right[0] == found[0] && right[last] == found[last] && right[place] == found[place]
}

impl<T: Same> Same for Vec<T> {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        let Some(last) = self.len().checked_sub(1) else { return found.is_empty() };
        let place = place(turn, self.len());
        self.len() == found.len() && self[last].same(&found[last], turn) && self[place].same(&found[place], turn)
    }
}

impl<T: Same> Same for Option<T> {
    #[inline]
    fn same(&self, found: &Self, turn: u64) -> bool {
        match (self, found) {
            (None, None) => true,
            (Some(right), Some(found)) => right.same(found, turn),
            _ => false,
        }
    }
}

/// The element that a turn looks at.
#[inline]
fn place(turn: u64, length: usize) -> usize {
    (turn % length as u64) as usize
}

/// Records, all their members. A member that is missing here does not compile.
macro_rules! records {
    ($($record:ident { $($field:ident),* })*) => {
        $(impl Same for $record {
            fn same(&self, found: &Self, turn: u64) -> bool {
                let $record { $($field),* } = self;
                $($field.same(&found.$field, turn))&&*
            }
        })*
    };
}
records! {
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
