// The query that the gateway posts to its backend: an XML body made from a template.

import { escaped } from './wire/xml.mjs';

/**
 * @param {string} keywords what is searched for
 * @param {number} n how many items are wanted
 */
export function query(keywords, n) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<findItemsByKeywordsRequest xmlns="http://www.example.org/marketplace/search/v1/services">
  <keywords>${escaped(keywords)}</keywords>
  <paginationInput>
    <pageNumber>1</pageNumber>
    <entriesPerPage>${n}</entriesPerPage>
  </paginationInput>
</findItemsByKeywordsRequest>
`;
}
