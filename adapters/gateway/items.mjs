// What FindItems answers: the search response of contract/SERVICE.md, written down once more, so that the core's own can judge it.

import { Draws } from './draws.mjs';

/** @typedef {string | number | boolean | Members | Members[]} Value */
/** @typedef {{ [member: string]: any }} Members whose members are Values */

const SEED = 7n;

/**
 * The search response with `n` items.
 * @param {number} n
 * @returns {Members}
 */
export function searchResponse(n) {
  const draws = new Draws(SEED);
  return {
    ack: 'Success',
    version: '1.12.0',
    timestamp: '2012-06-01T17:24:39.000Z',
    searchResult: { item: Array.from({ length: n }, (_, i) => item(i, draws)) },
    paginationOutput: { pageNumber: 1, entriesPerPage: n, totalPages: 1, totalEntries: n },
    itemSearchURL: 'http://www.example.org/search?_nkw=ipad',
  };
}

/**
 * Members stand in the order of their draws.
 * @param {number} i
 * @param {Draws} draws
 * @returns {Members}
 */
function item(i, draws) {
  return {
    itemId: draws.digits(12),
    title: draws.letters(30 + draws.below(55)),
    globalId: 'EBAY-US',
    ...(i % 6 === 0 && { subtitle: draws.letters(46) }),
    primaryCategory: { categoryId: draws.digits(6), categoryName: draws.letters(33) },
    galleryURL: `http://thumbs.example.org/m/${draws.unspaced(25)}.jpg`,
    viewItemURL: `http://www.example.org/itm/${draws.unspaced(52 + draws.below(64))}`,
    ...(i % 10 !== 9 && { productId: draws.digits(9) }),
    paymentMethod: 'PayPal',
    autoPay: draws.flag(),
    ...(i % 4 !== 3 && { postalCode: draws.digits(5) }),
    location: draws.letters(3 + draws.below(18)),
    country: 'US',
    shippingInfo: shipping(i, draws),
    sellingStatus: selling(i, draws),
    listingInfo: listing(i, draws),
    returnsAccepted: draws.flag(),
    condition: { conditionId: '1000', conditionDisplayName: 'New' },
    isMultiVariationListing: false,
  };
}

/** @param {number} i @param {Draws} draws @returns {Members} */
function shipping(i, draws) {
  return {
    ...(i % 12 !== 11 && { shippingServiceCost: draws.price() }),
    shippingType: 'FlatWithinCountryCalculatedOutsideOfIt',
    shipToLocations: 'Worldwide',
    expeditedShipping: draws.flag(),
    oneDayShippingAvailable: draws.flag(),
    handlingTime: draws.digits(1),
  };
}

/** @param {number} i @param {Draws} draws @returns {Members} */
function selling(i, draws) {
  const price = draws.price();
  return {
    currentPrice: price,
    convertedCurrentPrice: price,
    ...(i % 8 === 0 && { bidCount: draws.below(40) }),
    sellingState: 'Active',
    timeLeft: `P0DT${draws.digits(2)}H${draws.digits(2)}M${draws.digits(2)}S`,
  };
}

/** @param {number} i @param {Draws} draws @returns {Members} */
function listing(i, draws) {
  const flags = { bestOfferEnabled: draws.flag(), buyItNowAvailable: draws.flag() };
  const price = i % 50 === 1 ? draws.price() : null;
  return {
    ...flags,
    ...(price !== null && { buyItNowPrice: price, convertedBuyItNowPrice: price }),
    startTime: `2012-05-${10 + draws.below(20)}T12:00:00.000Z`,
    endTime: `2012-06-${10 + draws.below(20)}T12:00:00.000Z`,
    listingType: 'FixedPrice',
    gift: false,
  };
}
