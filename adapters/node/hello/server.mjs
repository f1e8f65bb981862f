// The service as the DataSnap article's Node server has it: one path, one answer, on node:http and nothing else.

import { createServer } from 'node:http';

export const PATH = '/';
const BODY = '{"result":["Hello World!"]}';
const HEADERS = { 'Content-Type': 'application/json' };

/** A server that does not listen yet. @param {import('../kit/service.mjs').Service} service */
export function create(service) {
  return createServer((request, response) => {
    if (request.url !== PATH) return refuse(response, 404, `there is nothing at ${request.url}: ask for ${PATH}\n`);
    if (request.method !== 'GET') return refuse(response, 405, `${PATH} is asked with GET\n`);
    const slow = service.begin('Hello');
    if (slow === null) response.writeHead(200, HEADERS).end(BODY);
    else slow.then(() => response.writeHead(200, HEADERS).end(BODY));
  });
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} sentence */
function refuse(response, status, sentence) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(sentence);
}
