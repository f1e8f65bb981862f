// Package speed has the records of contract/SERVICE.md for encoding/json, and compares them.
package speed

// Person is a record of the service.
type Person struct {
	ID        int32  `json:"ID"`
	FirstName string `json:"FirstName"`
	LastName  string `json:"LastName"`
}

// UserDetails is a record of the service.
type UserDetails struct {
	UserName string `json:"userName"`
	FullName string `json:"fullName"`
	Email    string `json:"email"`
	Age      int32  `json:"age"`
	Active   bool   `json:"active"`
	Created  int64  `json:"created"`
}

// TestStructureBean is a record of the service.
type TestStructureBean struct {
	ID          int32   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Amount      float64 `json:"amount"`
	Flag        bool    `json:"flag"`
	Related     []int32 `json:"related"`
}

// Structure is a record of the service.
type Structure struct {
	Text    string              `json:"text"`
	Numbers []int32             `json:"numbers"`
	Users   []UserDetails       `json:"users"`
	Beans   []TestStructureBean `json:"beans"`
}

// SearchResponse is a record of the service.
type SearchResponse struct {
	Ack              string       `json:"ack"`
	Version          string       `json:"version"`
	Timestamp        string       `json:"timestamp"`
	SearchResult     SearchResult `json:"searchResult"`
	PaginationOutput Pagination   `json:"paginationOutput"`
	ItemSearchURL    string       `json:"itemSearchURL"`
}

// SearchResult is a record of the service.
type SearchResult struct {
	Item []Item `json:"item"`
}

// Pagination is a record of the service.
type Pagination struct {
	PageNumber     int32 `json:"pageNumber"`
	EntriesPerPage int32 `json:"entriesPerPage"`
	TotalPages     int32 `json:"totalPages"`
	TotalEntries   int32 `json:"totalEntries"`
}

// Item is a record of the service.
type Item struct {
	ItemID                  string        `json:"itemId"`
	Title                   string        `json:"title"`
	GlobalID                string        `json:"globalId"`
	Subtitle                *string       `json:"subtitle,omitempty"`
	PrimaryCategory         Category      `json:"primaryCategory"`
	GalleryURL              *string       `json:"galleryURL,omitempty"`
	ViewItemURL             *string       `json:"viewItemURL,omitempty"`
	ProductID               *string       `json:"productId,omitempty"`
	PaymentMethod           string        `json:"paymentMethod"`
	AutoPay                 *bool         `json:"autoPay,omitempty"`
	PostalCode              *string       `json:"postalCode,omitempty"`
	Location                string        `json:"location"`
	Country                 string        `json:"country"`
	ShippingInfo            ShippingInfo  `json:"shippingInfo"`
	SellingStatus           SellingStatus `json:"sellingStatus"`
	ListingInfo             ListingInfo   `json:"listingInfo"`
	ReturnsAccepted         bool          `json:"returnsAccepted"`
	Condition               Condition     `json:"condition"`
	IsMultiVariationListing *bool         `json:"isMultiVariationListing,omitempty"`
}

// Category is a record of the service.
type Category struct {
	CategoryID   string `json:"categoryId"`
	CategoryName string `json:"categoryName"`
}

// Condition is a record of the service.
type Condition struct {
	ConditionID          *string `json:"conditionId,omitempty"`
	ConditionDisplayName *string `json:"conditionDisplayName,omitempty"`
}

// ShippingInfo is a record of the service.
type ShippingInfo struct {
	ShippingServiceCost     *float32 `json:"shippingServiceCost,omitempty"`
	ShippingType            *string  `json:"shippingType,omitempty"`
	ShipToLocations         *string  `json:"shipToLocations,omitempty"`
	ExpeditedShipping       *bool    `json:"expeditedShipping,omitempty"`
	OneDayShippingAvailable *bool    `json:"oneDayShippingAvailable,omitempty"`
	HandlingTime            *string  `json:"handlingTime,omitempty"`
}

// SellingStatus is a record of the service.
type SellingStatus struct {
	CurrentPrice          float32 `json:"currentPrice"`
	ConvertedCurrentPrice float32 `json:"convertedCurrentPrice"`
	BidCount              *int32  `json:"bidCount,omitempty"`
	SellingState          string  `json:"sellingState"`
	TimeLeft              string  `json:"timeLeft"`
}

// ListingInfo is a record of the service.
type ListingInfo struct {
	BestOfferEnabled       *bool    `json:"bestOfferEnabled,omitempty"`
	BuyItNowAvailable      *bool    `json:"buyItNowAvailable,omitempty"`
	BuyItNowPrice          *float32 `json:"buyItNowPrice,omitempty"`
	ConvertedBuyItNowPrice *float32 `json:"convertedBuyItNowPrice,omitempty"`
	StartTime              *string  `json:"startTime,omitempty"`
	EndTime                *string  `json:"endTime,omitempty"`
	ListingType            *string  `json:"listingType,omitempty"`
	Gift                   *bool    `json:"gift,omitempty"`
}
