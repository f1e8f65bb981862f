// A shop by Node's http2: `node session_h2.mjs [KEY CERTIFICATE]`. It prints its port, and on SIGTERM its counts.
// Requests without what the login gave are refused: the cookie, a header, and the token in the path.

import { readFileSync } from 'node:fs';
import { createSecureServer, createServer } from 'node:http2';

const [key, certificate] = process.argv.slice(2);
const counts = {};

function answered({ url, headers }, body) {
  const [, kind, rest] = url.split('/');
  if (kind === 'login') {
    const { user } = JSON.parse(body);
    const given = { 'set-cookie': ['theme=dark', `sid=s-${user}; Path=/; HttpOnly`], 'x-csrf': `c-${user}` };
    return ['login', 200, given, JSON.stringify({ user: { token: `t-${user}` } })];
  }
  if (kind === 'cart') {
    const user = rest.slice(2);
    const right = headers.cookie === `sid=s-${user}` && headers['x-csrf'] === `c-${user}` && body === `{"of":"t-${user}"}`;
    return ['cart', right ? 200 : 403, {}, ''];
  }
  return [kind === 'orders' ? `orders ${JSON.parse(body).item}` : kind, 200, {}, '{}'];
}

function answer(request, response) {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const [name, status, given, text] = answered(request, body);
    counts[name] = (counts[name] ?? 0) + 1;
    response.writeHead(status, given).end(text);
  });
}

const server = key
  ? createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer)
  : createServer(answer);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  console.log(JSON.stringify(counts));
  process.exit(0);
});
