using System.Text;

namespace Callbench.Service
{
    /// <summary>The gateway study's search result. Statements stand in the order of the draws.</summary>
    public sealed class Search
    {
        private readonly SplitMix64 draws = new SplitMix64(7);

        private Search()
        {
        }

        /// <summary>The response with n items.</summary>
        public static SearchResponse Response(int n)
        {
            return new SearchResponse
            {
                ack = "Success",
                version = "1.12.0",
                timestamp = "2012-06-01T17:24:39.000Z",
                searchResult = new SearchResult { item = new Search().Items(n) },
                paginationOutput = new Pagination { pageNumber = 1, entriesPerPage = n, totalPages = 1, totalEntries = n },
                itemSearchURL = "http://www.example.org/search?_nkw=ipad"
            };
        }

        private Item[] Items(int n)
        {
            var items = new Item[n];
            for (int i = 0; i < n; i++)
            {
                items[i] = One(i);
            }
            return items;
        }

        private bool Flag()
        {
            return draws.Draw(2) == 1;
        }

        private char Letter()
        {
            return (char)('a' + draws.Draw(26));
        }

        private string Letters(int count)
        {
            var text = new StringBuilder(count);
            for (int at = 0; at < count; at++)
            {
                text.Append(at % 7 == 6 ? ' ' : Letter());
            }
            return text.ToString();
        }

        private string Unspaced(int count)
        {
            var text = new StringBuilder(count);
            for (int at = 0; at < count; at++)
            {
                text.Append(Letter());
            }
            return text.ToString();
        }

        private string Digits(int count)
        {
            var text = new StringBuilder(count);
            for (int at = 0; at < count; at++)
            {
                text.Append((char)('0' + draws.Draw(10)));
            }
            return text.ToString();
        }

        private float Price()
        {
            return (float)(draws.Draw(100000) / 100.0);
        }

        private Item One(int i)
        {
            var item = new Item();
            item.itemId = Digits(12);
            item.title = Letters(30 + draws.Draw(55));
            item.globalId = "EBAY-US";
            item.subtitle = i % 6 == 0 ? Letters(46) : null;
            item.primaryCategory = new Category();
            item.primaryCategory.categoryId = Digits(6);
            item.primaryCategory.categoryName = Letters(33);
            item.galleryURL = "http://thumbs.example.org/m/" + Unspaced(25) + ".jpg";
            item.viewItemURL = "http://www.example.org/itm/" + Unspaced(52 + draws.Draw(64));
            item.productId = i % 10 == 9 ? null : Digits(9);
            item.paymentMethod = "PayPal";
            item.autoPay = Flag();
            item.postalCode = i % 4 == 3 ? null : Digits(5);
            item.location = Letters(3 + draws.Draw(18));
            item.country = "US";
            item.shippingInfo = Shipping(i);
            item.sellingStatus = Selling(i);
            item.listingInfo = Listing(i);
            item.returnsAccepted = Flag();
            item.condition = new Condition { conditionId = "1000", conditionDisplayName = "New" };
            item.isMultiVariationListing = false;
            return item;
        }

        private ShippingInfo Shipping(int i)
        {
            var shipping = new ShippingInfo();
            if (i % 12 != 11)
            {
                shipping.shippingServiceCost = Price();
            }
            shipping.shippingType = "FlatWithinCountryCalculatedOutsideOfIt";
            shipping.shipToLocations = "Worldwide";
            shipping.expeditedShipping = Flag();
            shipping.oneDayShippingAvailable = Flag();
            shipping.handlingTime = Digits(1);
            return shipping;
        }

        private SellingStatus Selling(int i)
        {
            var selling = new SellingStatus();
            selling.currentPrice = Price();
            selling.convertedCurrentPrice = selling.currentPrice;
            if (i % 8 == 0)
            {
                selling.bidCount = draws.Draw(40);
            }
            selling.sellingState = "Active";
            selling.timeLeft = "P0DT" + Digits(2) + "H" + Digits(2) + "M" + Digits(2) + "S";
            return selling;
        }

        private ListingInfo Listing(int i)
        {
            var listing = new ListingInfo();
            listing.bestOfferEnabled = Flag();
            listing.buyItNowAvailable = Flag();
            if (i % 50 == 1)
            {
                listing.buyItNowPrice = Price();
                listing.convertedBuyItNowPrice = listing.buyItNowPrice;
            }
            listing.startTime = "2012-05-" + TwoDigits(10 + draws.Draw(20)) + "T12:00:00.000Z";
            listing.endTime = "2012-06-" + TwoDigits(10 + draws.Draw(20)) + "T12:00:00.000Z";
            listing.listingType = "FixedPrice";
            listing.gift = false;
            return listing;
        }

        private static string TwoDigits(int number)
        {
            return new string(new[] { (char)('0' + number / 10), (char)('0' + number % 10) });
        }
    }
}
