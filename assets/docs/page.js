import { hmac } from '../noble/hmac.js';
import { sha1 } from '../noble/legacy.js';
import { canSign, isDemo, keys, openPanel, renewHandout, say } from './panel.js';
import { plugin } from './plugin.js';
import { authorizationOf, basicOf, pairsOf, skewOf } from './sign.js';
import { filledIn, isHandedOut, tailored } from './tailor.js';

const utf8 = (text) => new TextEncoder().encode(text);
const hmacSha1 = (key, text) => hmac(sha1, utf8(key), utf8(text));
const now = () => Math.floor(Date.now() / 1000);
const nonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The vocabulary that the address chooses; null for that of the service. */
const names = new URLSearchParams(location.search).get('names');

/** What our clock lacks to the server's, in seconds; learnt from the first refusal. */
let skew = 0;

function signed(request) {
  const type = request.headers['Content-Type'] ?? request.headers['content-type'] ?? '';
  const isForm = type.startsWith('application/x-www-form-urlencoded');
  const form = isForm && request.body ? String(request.body) : '';
  const { method = 'GET', url } = request;
  const { pathname } = new URL(url);
  if (pathname.endsWith('/oauth2/token')) return basicOf(keys());
  if (isForApplications(pathname)) return `Bearer ${keys().handout.bearer_token}`;
  // What asks for a first token has none to sign with.
  const begins = pathname.endsWith('/oauth/request_token');
  const own = begins ? { access_token: '', access_token_secret: '' } : exchanged(pathname, form);
  return authorizationOf(
    { method, url, form, keys: { ...keys(), ...own }, timestamp: now() + skew, nonce: nonce() },
    hmacSha1,
  );
}

/** What an application calls for itself takes its bearer token, which the page only has of the demo's. */
const isForApplications = (pathname) => /\/2\/webhooks(\/|$)/.test(pathname);

/** The request token that is exchanged for this verifier, where it is the one that was handed out. */
function exchanged(pathname, form) {
  const { handout } = keys();
  const [, verifier] = pairsOf(form).find(([name]) => name === 'oauth_verifier') ?? [];
  if (!pathname.endsWith('/oauth/access_token') || !handout || verifier !== handout.oauth_verifier) return {};
  return { access_token: handout.request_token, access_token_secret: handout.request_token_secret };
}

/** A multipart form without what nobody filled in, its file last, as the service reads it. */
function inOrder(form) {
  const isFile = (value) => typeof value !== 'string';
  const filled = [...form].filter(([, value]) => (isFile(value) ? value.size > 0 : value !== ''));
  const ordered = new FormData();
  for (const [name, value] of filled.sort(([, one], [, other]) => isFile(one) - isFile(other)))
    ordered.append(name, value);
  return ordered;
}

/** Signs what goes to the API and does not bring credentials of its own. */
function signing(request) {
  if (request.body instanceof FormData) request.body = inOrder(request.body);
  if (request.loadSpec) return request;
  if (names) request.headers['x-marquee-names'] = names;
  const goesForTokens = new URL(request.url, location.href).pathname.endsWith('/2/oauth2/token');
  if (request.headers.Authorization || goesForTokens || !canSign()) return request;
  request.url = new URL(request.url, location.href).href;
  if (isForApplications(new URL(request.url).pathname) && !keys().handout) return request;
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

const described = await fetch(`docs/openapi.json${names ? `?names=${names}` : ''}`);
const spec = await described.json();
const shown = described.headers.get('x-marquee-names');
document.querySelector(`.names a[href$="=${shown}"]`)?.setAttribute('aria-current', 'true');
let sandbox = false;
const forPage = () => tailored(spec, { href: location.href, known: keys(), sandbox });

/** The ids that are filled in are those of the server that is chosen, in forms that are open, too. */
function refill(isMeant = () => true) {
  const document = forPage();
  ui.specActions.updateJsonSpec(document);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of Object.keys(item)) {
      if (!isMeant(item[method])) continue;
      const said = ui.oas3Selectors.requestBodyValue(path, method);
      if (!said?.clear) continue;
      const value = said.clear().merge(filledIn(document, path, method));
      ui.oas3Actions.setRequestBodyValue({ value, pathMethod: [path, method] });
    }
  }
}

/** What can be used once is replaced when it was. */
async function onDone(operation) {
  if (!isHandedOut(operation) || !keys().handout) return;
  await renewHandout();
  refill(isHandedOut);
}

await openPanel(() => refill(), { hasDemo: described.headers.has('x-marquee-demo') });
const ui = SwaggerUIBundle({
  dom_id: '#ui',
  spec: forPage(),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [plugin({ isDemo, onDone })],
  validatorUrl: null,
  requestInterceptor: signing,
  oauth2RedirectUrl: new URL('docs/assets/swagger-ui/oauth2-redirect.html', location.href).href,
});
ui.initOAuth({ clientId: keys().client_id ?? '', usePkceWithAuthorizationCodeGrant: true });

/** Asked at every keystroke, so nothing is made for it. */
const sandboxes = new Set(
  forPage()
    .servers.filter((server) => server['x-sandbox'])
    .map(({ url }) => url),
);
ui.getStore().subscribe(() => {
  const isSandbox = sandboxes.has(ui.oas3Selectors.selectedServer());
  if (isSandbox === sandbox) return;
  sandbox = isSandbox;
  refill();
});
