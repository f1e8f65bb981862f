// A server of the tests' own, by Node's http2: POST /items/N.json with a query that asks for N items answers these.
// node find_items_h2.mjs PORT HOST

import { createServer } from 'node:http2';
import { searchResponse } from '../../adapters/gateway/items.mjs';

const [port, host] = process.argv.slice(2);
const server = createServer((request, response) => {
  let query = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => {
    query += piece;
  });
  request.on('end', () => {
    const wanted = /^\/items\/(\d+)\.json$/.exec(request.url)?.[1];
    const asked = /<entriesPerPage>(\d+)<\/entriesPerPage>/.exec(query)?.[1];
    if (request.method !== 'POST' || wanted === undefined || wanted !== asked) {
      response.writeHead(400).end(`${request.method} ${request.url} with the query ${query}`);
      return;
    }
    const body = Buffer.from(JSON.stringify(searchResponse(Number(wanted))));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
});
server.listen(Number(port), host);
