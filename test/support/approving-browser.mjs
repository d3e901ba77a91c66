/** A browser that opens the page of OAuth 2.0 in its argument: the user of the demo signs in and approves. */
import { readFileSync } from 'node:fs';

const [page] = process.argv.slice(2);
const { username, password } = JSON.parse(readFileSync('data/demo-credentials.json', 'utf8'));
const { origin, pathname, search } = new URL(page);
let cookie = '';

async function visit(path, form) {
  const answer = await fetch(new URL(path, origin), {
    method: form ? 'POST' : 'GET',
    headers: { cookie },
    body: form && new URLSearchParams(form),
    redirect: 'manual',
  });
  cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  const next = answer.headers.get('location');
  return next ? visit(next) : answer.text();
}
const csrfOf = (html) => /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';

const next = pathname + search;
const question = await visit('/oauth/sign_in', { csrf: csrfOf(await visit(next)), next, username, password });
await visit(next, { csrf: csrfOf(question), decision: 'approve' });
