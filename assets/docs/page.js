import { hmac } from '../noble/hmac.js';
import { sha1 } from '../noble/legacy.js';
import { canSign, keys, openPanel, say } from './panel.js';
import { authorizationOf, skewOf } from './sign.js';
import { tailored } from './tailor.js';

const utf8 = (text) => new TextEncoder().encode(text);
const hmacSha1 = (key, text) => hmac(sha1, utf8(key), utf8(text));
const now = () => Math.floor(Date.now() / 1000);
const nonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** What our clock lacks to the server's, in seconds; learnt from the first refusal. */
let skew = 0;

function signed(request) {
  const type = request.headers['Content-Type'] ?? request.headers['content-type'] ?? '';
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  const form = isForm && request.body ? String(request.body) : '';
  const { method = 'GET', url } = request;
  // What asks for a first token has none to sign with.
  const begins = new URL(url).pathname.endsWith('/oauth/request_token');
  const own = begins ? { ...keys(), access_token: '', access_token_secret: '' } : keys();
  return authorizationOf({ method, url, form, keys: own, timestamp: now() + skew, nonce: nonce() }, hmacSha1);
}

/** Signs what goes to the API and does not bring credentials of its own. */
function signing(request) {
  if (request.loadSpec || request.headers.Authorization || !canSign()) return request;
  request.url = new URL(request.url, location.href).href;
  request.headers.Authorization = signed(request);
  request.userFetch = withServersTime;
  return request;
}

/** Once more with the server's time, where ours was why it refused. */
async function withServersTime(url, request) {
  const answer = await fetch(url, request);
  const learnt = skewOf(answer.status, answer.headers.get('date'), await answer.clone().text(), now());
  if (learnt === undefined) return answer;
  skew = learnt;
  say(
    `Your clock is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead'}; requests are signed with the server’s time.`,
  );
  return fetch(url, { ...request, headers: { ...request.headers, Authorization: signed(request) } });
}

const spec = await (await fetch('docs/openapi.json')).json();
let sandbox = false;
const forPage = () => tailored(spec, { href: location.href, known: keys(), sandbox });

/** The ids that are filled in are those of the server that is chosen. */
function refill() {
  ui.specActions.updateJsonSpec(forPage());
}

await openPanel(refill);
const ui = SwaggerUIBundle({
  dom_id: '#ui',
  spec: forPage(),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: signing,
});

ui.getStore().subscribe(() => {
  const chosen = ui.oas3Selectors.selectedServer();
  const isSandbox = forPage().servers.some((server) => server['x-sandbox'] && server.url === chosen);
  if (isSandbox === sandbox) return;
  sandbox = isSandbox;
  refill();
});
