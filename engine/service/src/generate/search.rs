//! The answer of `FindItems`: the search result of the gateway study.

use crate::generate::SplitMix64;
use crate::records::{Category, Condition, Item, ListingInfo, Pagination, SearchResponse, SearchResult, SellingStatus, ShippingInfo};

const SEED: u64 = 7;

/// The search response with `n` items.
#[must_use]
pub fn search_response(n: usize) -> SearchResponse {
    search_response_seeded(n, SEED)
}

/// The same with any seed.
#[must_use]
pub fn search_response_seeded(n: usize, seed: u64) -> SearchResponse {
    let count = n as i32;
    SearchResponse {
        ack: "Success".to_owned(),
        version: "1.12.0".to_owned(),
        timestamp: "2012-06-01T17:24:39.000Z".to_owned(),
        search_result: SearchResult { item: items_seeded(n, seed).collect() },
        pagination_output: Pagination { page_number: 1, entries_per_page: count, total_pages: 1, total_entries: count },
        item_search_url: "http://www.example.org/search?_nkw=ipad".to_owned(),
    }
}

/// The items of the response, one at a time.
pub fn items(n: usize) -> impl Iterator<Item = Item> {
    items_seeded(n, SEED)
}

fn items_seeded(n: usize, seed: u64) -> impl Iterator<Item = Item> {
    let mut draws = Draws(SplitMix64::new(seed));
    (0..n).map(move |i| item(i, &mut draws))
}

/// The random values of the items.
struct Draws(SplitMix64);

impl Draws {
    fn below(&mut self, below: u64) -> u64 {
        self.0.draw(below)
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn letter(&mut self) -> char {
        char::from(b'a' + self.below(26) as u8)
    }

    fn letters(&mut self, count: u64) -> String {
        (0..count).map(|position| if position % 7 == 6 { ' ' } else { self.letter() }).collect()
    }

    fn unspaced(&mut self, count: u64) -> String {
        (0..count).map(|_| self.letter()).collect()
    }

    fn digits(&mut self, count: u64) -> String {
        (0..count).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }

    fn price(&mut self) -> f32 {
        (self.below(100_000) as f64 / 100.0) as f32
    }

    /// A day of the month from 10 to 29.
    fn day(&mut self) -> u64 {
        10 + self.below(20)
    }
}

/// Struct expressions are evaluated in the written order, which is the order of the random values.
fn item(i: usize, draws: &mut Draws) -> Item {
    Item {
        item_id: draws.digits(12),
        title: {
            let length = 30 + draws.below(55);
            draws.letters(length)
        },
        global_id: "EBAY-US".to_owned(),
        subtitle: i.is_multiple_of(6).then(|| draws.letters(46)),
        primary_category: Category { category_id: draws.digits(6), category_name: draws.letters(33) },
        gallery_url: Some(format!("http://thumbs.example.org/m/{}.jpg", draws.unspaced(25))),
        view_item_url: {
            let length = 52 + draws.below(64);
            Some(format!("http://www.example.org/itm/{}", draws.unspaced(length)))
        },
        product_id: (i % 10 != 9).then(|| draws.digits(9)),
        payment_method: "PayPal".to_owned(),
        auto_pay: Some(draws.flag()),
        postal_code: (i % 4 != 3).then(|| draws.digits(5)),
        location: {
            let length = 3 + draws.below(18);
            draws.letters(length)
        },
        country: "US".to_owned(),
        shipping_info: shipping(i, draws),
        selling_status: selling(i, draws),
        listing_info: listing(i, draws),
        returns_accepted: draws.flag(),
        condition: Condition { condition_id: Some("1000".to_owned()), condition_display_name: Some("New".to_owned()) },
        is_multi_variation_listing: Some(false),
    }
}

fn shipping(i: usize, draws: &mut Draws) -> ShippingInfo {
    ShippingInfo {
        shipping_service_cost: (i % 12 != 11).then(|| draws.price()),
        shipping_type: Some("FlatWithinCountryCalculatedOutsideOfIt".to_owned()),
        ship_to_locations: Some("Worldwide".to_owned()),
        expedited_shipping: Some(draws.flag()),
        one_day_shipping_available: Some(draws.flag()),
        handling_time: Some(draws.digits(1)),
    }
}

fn selling(i: usize, draws: &mut Draws) -> SellingStatus {
    let current_price = draws.price();
    SellingStatus {
        current_price,
        converted_current_price: current_price,
        bid_count: i.is_multiple_of(8).then(|| draws.below(40) as i32),
        selling_state: "Active".to_owned(),
        time_left: format!("P0DT{}H{}M{}S", draws.digits(2), draws.digits(2), draws.digits(2)),
    }
}

fn listing(i: usize, draws: &mut Draws) -> ListingInfo {
    let best_offer_enabled = Some(draws.flag());
    let buy_it_now_available = Some(draws.flag());
    let price = (i % 50 == 1).then(|| draws.price());
    ListingInfo {
        best_offer_enabled,
        buy_it_now_available,
        buy_it_now_price: price,
        converted_buy_it_now_price: price,
        start_time: Some(format!("2012-05-{}T12:00:00.000Z", draws.day())),
        end_time: Some(format!("2012-06-{}T12:00:00.000Z", draws.day())),
        listing_type: Some("FixedPrice".to_owned()),
        gift: Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_a_shorter_response_begin_a_longer_one() {
        let long = search_response(60).search_result.item;
        assert_eq!(long[..25], search_response(25).search_result.item);
        assert_eq!(long, items(60).collect::<Vec<_>>());
    }
}
