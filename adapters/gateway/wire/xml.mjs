// The search response as XML, in a SOAP envelope: written by the backend, read by the gateway.

import { SaxesParser } from 'saxes';

/** @typedef {import('../items.mjs').Members} Members */
/** @typedef {import('../items.mjs').Value} Value */

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const SERVICE = 'http://www.example.org/marketplace/search/v1/services';
const OPERATION = 'findItemsByKeywordsResponse';
const PRICES = new Set([
  'shippingServiceCost',
  'currentPrice',
  'convertedCurrentPrice',
  'buyItNowPrice',
  'convertedBuyItNowPrice',
]);
const COUNTS = new Set(['pageNumber', 'entriesPerPage', 'totalPages', 'totalEntries', 'bidCount']);
const FLAGS = new Set([
  'autoPay',
  'expeditedShipping',
  'oneDayShippingAvailable',
  'bestOfferEnabled',
  'buyItNowAvailable',
  'gift',
  'returnsAccepted',
  'isMultiVariationListing',
]);
const LISTS = new Set(['item']);
/** An empty one of these would read like an empty text. */
const RECORDS = new Set(['searchResult']);

/**
 * @param {Members} response
 * @returns {Buffer}
 */
export function written(response) {
  const body = members(response);
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="${ENVELOPE}"><soapenv:Body>` +
      `<${OPERATION} xmlns="${SERVICE}">${body}</${OPERATION}></soapenv:Body></soapenv:Envelope>`,
  );
}

/** @param {Members} record @returns {string} */
function members(record) {
  return Object.entries(record)
    .map(([name, value]) =>
      Array.isArray(value) ? value.map((one) => element(name, one)).join('') : element(name, value),
    )
    .join('');
}

/** @param {string} name @param {Value} value @returns {string} */
function element(name, value) {
  const content = typeof value === 'object' && !Array.isArray(value) ? members(value) : escaped(String(value));
  return `<${name}${attributes(name)}>${content}</${name}>`;
}

/** @param {string} name */
function attributes(name) {
  if (PRICES.has(name)) return ' currencyId="USD"';
  return name === 'productId' ? ' type="ID"' : '';
}

/** @param {string} text */
export function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * The search response in an XML text: numbers and flags are converted, attributes are ignored.
 * @param {string} text
 * @returns {Members}
 * @throws {Error} if the text is not well formed, or not such a response.
 */
export function read(text) {
  const parser = new SaxesParser({ xmlns: true });
  /** @type {Members} */
  const root = {};
  const open = [root];
  let plain = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', () => {
    open.push({});
    plain = '';
  });
  parser.on('text', (piece) => {
    plain += piece;
  });
  parser.on('closetag', (tag) => {
    const own = /** @type {Members} */ (open.pop());
    const name = tag.local;
    put(/** @type {Members} */ (open[open.length - 1]), name, isRecord(name, own) ? own : typed(name, plain));
    plain = '';
  });
  parser.write(text).close();
  const response = at(at(at(root, 'Envelope'), 'Body'), OPERATION);
  const found = at(response, 'searchResult');
  found.item ??= [];
  return response;
}

/** @param {string} name @param {Members} own */
function isRecord(name, own) {
  for (const _ in own) return true;
  return RECORDS.has(name);
}

/** @param {Members} into @param {string} name @param {Value} value */
function put(into, name, value) {
  if (!LISTS.has(name)) {
    into[name] = value;
    return;
  }
  const list = into[name];
  if (Array.isArray(list)) list.push(value);
  else into[name] = [value];
}

/** @param {string} name @param {string} text @returns {Value} */
function typed(name, text) {
  if (FLAGS.has(name)) return text === 'true';
  return PRICES.has(name) || COUNTS.has(name) ? Number(text) : text;
}

/** @param {Members} record @param {string} name @returns {Members} */
function at(record, name) {
  const value = record[name];
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error(`the answer has no ${name}`);
  return value;
}
