/// The members of each record of the IDL with their names. Functions that read, write and compare records use them.
#pragma once

#include <string_view>
#include <tuple>

#include "service.hh"

namespace corba {

template <typename Record, typename Value>
struct Member {
    const char* name;
    Value Record::*at;
};

/// A tuple of `Member`; empty if the type is not a record.
template <typename T>
inline constexpr auto members = nullptr;

template <typename T>
concept Record = !std::is_null_pointer_v<std::remove_const_t<decltype(members<T>)>>;

using callbench::Category, callbench::Condition, callbench::Item, callbench::ListingInfo, callbench::Pagination, callbench::Person,
    callbench::SearchResponse, callbench::SearchResult, callbench::SellingStatus, callbench::ShippingInfo, callbench::Structure,
    callbench::TestStructureBean, callbench::UserDetails;

template <>
inline constexpr auto members<Person> =
    std::tuple{Member{"ID", &Person::ID}, Member{"FirstName", &Person::FirstName}, Member{"LastName", &Person::LastName}};

template <>
inline constexpr auto members<UserDetails> =
    std::tuple{Member{"userName", &UserDetails::userName}, Member{"fullName", &UserDetails::fullName},
               Member{"email", &UserDetails::email},       Member{"age", &UserDetails::age},
               Member{"active", &UserDetails::active},     Member{"created", &UserDetails::created}};

template <>
inline constexpr auto members<TestStructureBean> = std::tuple{Member{"id", &TestStructureBean::id},
                                                              Member{"name", &TestStructureBean::name},
                                                              Member{"description", &TestStructureBean::description},
                                                              Member{"amount", &TestStructureBean::amount},
                                                              Member{"flag", &TestStructureBean::flag},
                                                              Member{"related", &TestStructureBean::related}};

template <>
inline constexpr auto members<Structure> = std::tuple{Member{"text", &Structure::text}, Member{"numbers", &Structure::numbers},
                                                      Member{"users", &Structure::users}, Member{"beans", &Structure::beans}};

template <>
inline constexpr auto members<Category> =
    std::tuple{Member{"categoryId", &Category::categoryId}, Member{"categoryName", &Category::categoryName}};

template <>
inline constexpr auto members<Condition> =
    std::tuple{Member{"conditionId", &Condition::conditionId}, Member{"conditionDisplayName", &Condition::conditionDisplayName}};

template <>
inline constexpr auto members<ShippingInfo> = std::tuple{Member{"shippingServiceCost", &ShippingInfo::shippingServiceCost},
                                                         Member{"shippingType", &ShippingInfo::shippingType},
                                                         Member{"shipToLocations", &ShippingInfo::shipToLocations},
                                                         Member{"expeditedShipping", &ShippingInfo::expeditedShipping},
                                                         Member{"oneDayShippingAvailable", &ShippingInfo::oneDayShippingAvailable},
                                                         Member{"handlingTime", &ShippingInfo::handlingTime}};

template <>
inline constexpr auto members<SellingStatus> =
    std::tuple{Member{"currentPrice", &SellingStatus::currentPrice}, Member{"convertedCurrentPrice", &SellingStatus::convertedCurrentPrice},
               Member{"bidCount", &SellingStatus::bidCount}, Member{"sellingState", &SellingStatus::sellingState},
               Member{"timeLeft", &SellingStatus::timeLeft}};

template <>
inline constexpr auto members<ListingInfo> = std::tuple{Member{"bestOfferEnabled", &ListingInfo::bestOfferEnabled},
                                                        Member{"buyItNowAvailable", &ListingInfo::buyItNowAvailable},
                                                        Member{"buyItNowPrice", &ListingInfo::buyItNowPrice},
                                                        Member{"convertedBuyItNowPrice", &ListingInfo::convertedBuyItNowPrice},
                                                        Member{"startTime", &ListingInfo::startTime},
                                                        Member{"endTime", &ListingInfo::endTime},
                                                        Member{"listingType", &ListingInfo::listingType},
                                                        Member{"gift", &ListingInfo::gift}};

template <>
inline constexpr auto members<Item> = std::tuple{Member{"itemId", &Item::itemId},
                                                 Member{"title", &Item::title},
                                                 Member{"globalId", &Item::globalId},
                                                 Member{"subtitle", &Item::subtitle},
                                                 Member{"primaryCategory", &Item::primaryCategory},
                                                 Member{"galleryURL", &Item::galleryURL},
                                                 Member{"viewItemURL", &Item::viewItemURL},
                                                 Member{"productId", &Item::productId},
                                                 Member{"paymentMethod", &Item::paymentMethod},
                                                 Member{"autoPay", &Item::autoPay},
                                                 Member{"postalCode", &Item::postalCode},
                                                 Member{"location", &Item::location},
                                                 Member{"country", &Item::country},
                                                 Member{"shippingInfo", &Item::shippingInfo},
                                                 Member{"sellingStatus", &Item::sellingStatus},
                                                 Member{"listingInfo", &Item::listingInfo},
                                                 Member{"returnsAccepted", &Item::returnsAccepted},
                                                 Member{"condition", &Item::condition},
                                                 Member{"isMultiVariationListing", &Item::isMultiVariationListing}};

template <>
inline constexpr auto members<Pagination> =
    std::tuple{Member{"pageNumber", &Pagination::pageNumber}, Member{"entriesPerPage", &Pagination::entriesPerPage},
               Member{"totalPages", &Pagination::totalPages}, Member{"totalEntries", &Pagination::totalEntries}};

template <>
inline constexpr auto members<SearchResult> = std::tuple{Member{"item", &SearchResult::item}};

template <>
inline constexpr auto members<SearchResponse> = std::tuple{Member{"ack", &SearchResponse::ack},
                                                           Member{"version", &SearchResponse::version},
                                                           Member{"timestamp", &SearchResponse::timestamp},
                                                           Member{"searchResult", &SearchResponse::searchResult},
                                                           Member{"paginationOutput", &SearchResponse::paginationOutput},
                                                           Member{"itemSearchURL", &SearchResponse::itemSearchURL}};

} // namespace corba
