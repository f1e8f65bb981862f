// The backend: canned answers, each made once and then given from memory, by path: POST /items/50.xml, .protobuf or .json.

import { createServer } from 'node:http';
import { searchResponse } from './items.mjs';
import * as json from './wire/json.mjs';
import * as protobuf from './wire/protobuf.mjs';
import * as xml from './wire/xml.mjs';

const PATH = /^\/items\/(\d{1,5})\.(xml|protobuf|json)$/;
/** @type {Record<string, { type: string, written: (response: import('./items.mjs').Members) => Buffer }>} */
const FORMATS = {
  xml: { type: 'text/xml;charset=UTF-8', written: xml.written },
  protobuf: { type: 'application/octet-stream', written: protobuf.written },
  json: { type: 'application/json;charset=UTF-8', written: json.written },
};

/**
 * A server of canned answers, not listening yet.
 * @param {import('./serving.mjs').Service} service counts what is answered, and may delay it
 */
export function backend(service) {
  /** @type {Map<string, Buffer>} */
  const canned = new Map();
  return createServer((request, response) => {
    const [path, n, format] = PATH.exec(request.url ?? '') ?? [];
    const known = format ? FORMATS[format] : undefined;
    if (request.method !== 'POST' || !path || !known) {
      request.resume();
      response.writeHead(404).end();
      return;
    }
    let octets = canned.get(path);
    if (!octets) {
      octets = known.written(searchResponse(Number(n)));
      canned.set(path, octets);
    }
    const answer = octets;
    // The query is read completely before it is answered. Its content is ignored.
    request.resume().on('end', () =>
      service.answer(() => {
        response.writeHead(200, { 'Content-Type': known.type, 'Content-Length': answer.length }).end(answer);
      }),
    );
  });
}
