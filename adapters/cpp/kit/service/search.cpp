/// What FindItems answers. Statements stand in the order of the draws.
#include <string>

#include "generate.hpp"

namespace kit::generate {
namespace {

/// The draws that items are made of.
class Draws {
  public:
    std::uint64_t below(std::uint64_t bound) { return generator_.draw(bound); }

    bool flag() { return below(2) == 1; }

    Text letters(std::size_t count) {
        Text text(count, u' ');
        for (std::size_t at = 0; at < count; ++at) {
            if (at % 7 != 6) {
                text[at] = static_cast<char16_t>(u'a' + below(26));
            }
        }
        return text;
    }

    Text unspaced(std::size_t count) {
        Text text(count, u'a');
        for (auto& unit : text) {
            unit = static_cast<char16_t>(u'a' + below(26));
        }
        return text;
    }

    Text digits(std::size_t count) {
        Text text(count, u'0');
        for (auto& unit : text) {
            unit = static_cast<char16_t>(u'0' + below(10));
        }
        return text;
    }

    Text day() { return from_ascii(std::to_string(10 + below(20))); }

    float price() { return static_cast<float>(static_cast<double>(below(100'000)) / 100); }

  private:
    SplitMix64 generator_{7};
};

ShippingInfo shipping(std::size_t i, Draws& draws) {
    ShippingInfo info;
    if (i % 12 != 11) {
        info.shipping_service_cost = draws.price();
    }
    info.shipping_type = u"FlatWithinCountryCalculatedOutsideOfIt";
    info.ship_to_locations = u"Worldwide";
    info.expedited_shipping = draws.flag();
    info.one_day_shipping_available = draws.flag();
    info.handling_time = draws.digits(1);
    return info;
}

SellingStatus selling(std::size_t i, Draws& draws) {
    SellingStatus status;
    status.current_price = draws.price();
    status.converted_current_price = status.current_price;
    if (i % 8 == 0) {
        status.bid_count = static_cast<std::int32_t>(draws.below(40));
    }
    status.selling_state = u"Active";
    status.time_left = u"P0DT" + draws.digits(2);
    status.time_left += u"H" + draws.digits(2);
    status.time_left += u"M" + draws.digits(2) + u"S";
    return status;
}

ListingInfo listing(std::size_t i, Draws& draws) {
    ListingInfo info;
    info.best_offer_enabled = draws.flag();
    info.buy_it_now_available = draws.flag();
    if (i % 50 == 1) {
        info.buy_it_now_price = draws.price();
        info.converted_buy_it_now_price = info.buy_it_now_price;
    }
    info.start_time = u"2012-05-" + draws.day() + u"T12:00:00.000Z";
    info.end_time = u"2012-06-" + draws.day() + u"T12:00:00.000Z";
    info.listing_type = u"FixedPrice";
    info.gift = false;
    return info;
}

Item item(std::size_t i, Draws& draws) {
    Item made;
    made.item_id = draws.digits(12);
    made.title = draws.letters(30 + draws.below(55));
    made.global_id = u"EBAY-US";
    if (i % 6 == 0) {
        made.subtitle = draws.letters(46);
    }
    made.primary_category.category_id = draws.digits(6);
    made.primary_category.category_name = draws.letters(33);
    made.gallery_url = u"http://thumbs.example.org/m/" + draws.unspaced(25) + u".jpg";
    made.view_item_url = u"http://www.example.org/itm/" + draws.unspaced(52 + draws.below(64));
    if (i % 10 != 9) {
        made.product_id = draws.digits(9);
    }
    made.payment_method = u"PayPal";
    made.auto_pay = draws.flag();
    if (i % 4 != 3) {
        made.postal_code = draws.digits(5);
    }
    made.location = draws.letters(3 + draws.below(18));
    made.country = u"US";
    made.shipping_info = shipping(i, draws);
    made.selling_status = selling(i, draws);
    made.listing_info = listing(i, draws);
    made.returns_accepted = draws.flag();
    made.condition = {u"1000", u"New"};
    made.is_multi_variation_listing = false;
    return made;
}

} // namespace

SearchResponse search_response(std::size_t n) {
    const auto count = static_cast<std::int32_t>(n);
    SearchResponse response{
        u"Success", u"1.12.0", u"2012-06-01T17:24:39.000Z", {}, {1, count, 1, count}, u"http://www.example.org/search?_nkw=ipad"};
    response.items.reserve(n);
    Draws draws;
    for (std::size_t i = 0; i < n; ++i) {
        response.items.push_back(item(i, draws));
    }
    return response;
}

} // namespace kit::generate
