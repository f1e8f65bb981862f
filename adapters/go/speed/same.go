package speed

import "callbench.org/adapters/go/kit"

// sameStructure compares all members, the lists as the check of an answer does.
func sameStructure(its, right **Structure, call int) bool {
	one, other := *its, *right
	if one == nil || other == nil {
		return one == other
	}
	return one.Text == other.Text &&
		kit.SameList(one.Numbers, other.Numbers, call, kit.SameValue[int32]) &&
		kit.SameList(one.Users, other.Users, call, kit.SameValue[UserDetails]) &&
		kit.SameList(one.Beans, other.Beans, call, func(one, other *TestStructureBean) bool { return sameBean(one, other, call) })
}

func sameBean(one, other *TestStructureBean, call int) bool {
	return one.ID == other.ID && one.Name == other.Name && one.Description == other.Description && one.Amount == other.Amount &&
		one.Flag == other.Flag && kit.SameList(one.Related, other.Related, call, kit.SameValue[int32])
}

// sameResponse compares all members, the items as the check of an answer does.
func sameResponse(its, right **SearchResponse, call int) bool {
	one, other := *its, *right
	if one == nil || other == nil {
		return one == other
	}
	return one.Ack == other.Ack && one.Version == other.Version && one.Timestamp == other.Timestamp &&
		one.PaginationOutput == other.PaginationOutput && one.ItemSearchURL == other.ItemSearchURL &&
		kit.SameList(one.SearchResult.Item, other.SearchResult.Item, call, sameItem)
}

func sameItem(one, other *Item) bool {
	return one.ItemID == other.ItemID && one.Title == other.Title && one.GlobalID == other.GlobalID && same(one.Subtitle, other.Subtitle) &&
		one.PrimaryCategory == other.PrimaryCategory && same(one.GalleryURL, other.GalleryURL) && same(one.ViewItemURL, other.ViewItemURL) &&
		same(one.ProductID, other.ProductID) && one.PaymentMethod == other.PaymentMethod && same(one.AutoPay, other.AutoPay) &&
		same(one.PostalCode, other.PostalCode) && one.Location == other.Location && one.Country == other.Country &&
		sameShipping(&one.ShippingInfo, &other.ShippingInfo) && sameSelling(&one.SellingStatus, &other.SellingStatus) &&
		sameListing(&one.ListingInfo, &other.ListingInfo) && one.ReturnsAccepted == other.ReturnsAccepted &&
		same(one.Condition.ConditionID, other.Condition.ConditionID) &&
		same(one.Condition.ConditionDisplayName, other.Condition.ConditionDisplayName) &&
		same(one.IsMultiVariationListing, other.IsMultiVariationListing)
}

func sameShipping(one, other *ShippingInfo) bool {
	return same(one.ShippingServiceCost, other.ShippingServiceCost) && same(one.ShippingType, other.ShippingType) &&
		same(one.ShipToLocations, other.ShipToLocations) && same(one.ExpeditedShipping, other.ExpeditedShipping) &&
		same(one.OneDayShippingAvailable, other.OneDayShippingAvailable) && same(one.HandlingTime, other.HandlingTime)
}

func sameSelling(one, other *SellingStatus) bool {
	return one.CurrentPrice == other.CurrentPrice && one.ConvertedCurrentPrice == other.ConvertedCurrentPrice &&
		same(one.BidCount, other.BidCount) && one.SellingState == other.SellingState && one.TimeLeft == other.TimeLeft
}

func sameListing(one, other *ListingInfo) bool {
	return same(one.BestOfferEnabled, other.BestOfferEnabled) && same(one.BuyItNowAvailable, other.BuyItNowAvailable) &&
		same(one.BuyItNowPrice, other.BuyItNowPrice) && same(one.ConvertedBuyItNowPrice, other.ConvertedBuyItNowPrice) &&
		same(one.StartTime, other.StartTime) && same(one.EndTime, other.EndTime) && same(one.ListingType, other.ListingType) &&
		same(one.Gift, other.Gift)
}

// same compares two optional members.
func same[T comparable](one, other *T) bool {
	return (one == nil) == (other == nil) && (one == nil || *one == *other)
}
