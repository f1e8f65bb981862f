using System;

namespace Callbench.Service
{
    // The records of contract/SERVICE.md, members in its order and by its names, since serializers send both. A member that is
    // absent is null.

    [Serializable]
    public sealed class Person
    {
        public int ID;
        public string FirstName;
        public string LastName;
    }

    [Serializable]
    public sealed class UserDetails
    {
        public string userName;
        public string fullName;
        public string email;
        public int age;
        public bool active;
        public long created;
    }

    [Serializable]
    public sealed class TestStructureBean
    {
        public int id;
        public string name;
        public string description;
        public double amount;
        public bool flag;
        public int[] related;
    }

    /// <summary>What EchoStructure carries both ways.</summary>
    [Serializable]
    public sealed class Structure
    {
        public string text;
        public int[] numbers;
        public UserDetails[] users;
        public TestStructureBean[] beans;
    }

    /// <summary>What FindItems answers.</summary>
    [Serializable]
    public sealed class SearchResponse
    {
        public string ack;
        public string version;
        public string timestamp;
        public SearchResult searchResult;
        public Pagination paginationOutput;
        public string itemSearchURL;
    }

    [Serializable]
    public sealed class SearchResult
    {
        public Item[] item;
    }

    [Serializable]
    public sealed class Pagination
    {
        public int pageNumber;
        public int entriesPerPage;
        public int totalPages;
        public int totalEntries;
    }

    [Serializable]
    public sealed class Category
    {
        public string categoryId;
        public string categoryName;
    }

    [Serializable]
    public sealed class Condition
    {
        public string conditionId;
        public string conditionDisplayName;
    }

    [Serializable]
    public sealed class ShippingInfo
    {
        public float? shippingServiceCost;
        public string shippingType;
        public string shipToLocations;
        public bool? expeditedShipping;
        public bool? oneDayShippingAvailable;
        public string handlingTime;
    }

    [Serializable]
    public sealed class SellingStatus
    {
        public float currentPrice;
        public float convertedCurrentPrice;
        public int? bidCount;
        public string sellingState;
        public string timeLeft;
    }

    [Serializable]
    public sealed class ListingInfo
    {
        public bool? bestOfferEnabled;
        public bool? buyItNowAvailable;
        public float? buyItNowPrice;
        public float? convertedBuyItNowPrice;
        public string startTime;
        public string endTime;
        public string listingType;
        public bool? gift;
    }

    [Serializable]
    public sealed class Item
    {
        public string itemId;
        public string title;
        public string globalId;
        public string subtitle;
        public Category primaryCategory;
        public string galleryURL;
        public string viewItemURL;
        public string productId;
        public string paymentMethod;
        public bool? autoPay;
        public string postalCode;
        public string location;
        public string country;
        public ShippingInfo shippingInfo;
        public SellingStatus sellingStatus;
        public ListingInfo listingInfo;
        public bool returnsAccepted;
        public Condition condition;
        public bool? isMultiVariationListing;
    }
}
