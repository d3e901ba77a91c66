/** The keys that requests are signed with: in the form, and in this tab's session storage. */

const STORED = 'marquee-keys';
const APPLICATION = ['consumer_key', 'consumer_secret'];
const USER = [...APPLICATION, 'access_token', 'access_token_secret'];

const KEY = /^#key=([\w-]+)$/;
const KEY_HEADER = 'x-marquee-docs-key';
const ELSEWHERE =
  'To fill in the demo’s keys, open the link that “npx marquee docs” prints on the machine of the service.';

const panel = document.getElementById('keys');
const standing = document.getElementById('standing');
const fields = [...panel.querySelectorAll('input[name]')];

/** What is filled in, by name. Besides the fields it may hold ids that the demo told us. */
let known = {};

export const keys = () => known;
/** Whether they are the demo's, which the command line finds in a file. */
export const isDemo = () => known.demo === true;
export const canSign = () => APPLICATION.every((name) => known[name]);

export function say(text) {
  standing.textContent = text;
}

/**
 * Fills the panel from the link that opened the page, or from this tab's storage; tells of changes.
 *
 * @param page `{ hasDemo }`: whether the service has a demo whose keys this reader may ask for
 */
export async function openPanel(onChange, { hasDemo }) {
  const stored = sessionStorage.getItem(STORED);
  if (stored) known = JSON.parse(stored);
  const said = await takeDemoKeys(stored !== null || !hasDemo);
  show();
  if (said) say(said);
  await renewHandout();
  // The link may be opened in a tab that shows the page already.
  globalThis.addEventListener('hashchange', async () => {
    if (!KEY.test(location.hash)) return;
    const now = await takeDemoKeys(true);
    await renewHandout();
    show();
    say(now);
    onChange();
  });

  panel.addEventListener('change', ({ target }) => {
    if (!target.name) return;
    known = { ...known, [target.name]: target.value.trim() };
    if (USER.includes(target.name)) known = { ...known, demo: false, handout: undefined };
    keep();
    onChange();
  });
  document.getElementById('show').addEventListener('change', ({ target }) => {
    for (const field of fields) if (field.name.endsWith('_secret')) field.type = target.checked ? 'text' : 'password';
  });
  document.getElementById('clear').addEventListener('click', () => {
    known = {};
    keep();
    show();
    onChange();
  });
}

/** Asks for the demo's keys with the key of the link, if it has one; answers what there is to say about it. */
async function takeDemoKeys(isFilled) {
  const key = KEY.exec(location.hash)?.[1];
  // Not left in the address bar, from where it would be copied along.
  if (key) history.replaceState(null, '', location.pathname + location.search);
  // Nothing is asked without a key: the refusal would be an error in the console.
  if (!key) return isFilled ? '' : ELSEWHERE;
  const answer = await fetch('docs/keys', { headers: { [KEY_HEADER]: key } });
  if (answer.status === 403) return ELSEWHERE;
  if (!answer.ok) return '';
  known = { ...(await answer.json()), demo: true, docs_key: key };
  keep();
  return 'The demo’s keys are filled in.';
}

/**
 * What the demo's application has in hand in the middle of a flow: `request_token`, `request_token_secret`, `oauth_verifier` and
 * `bearer_token`. Each can be used once.
 */
export async function renewHandout() {
  if (!isDemo() || !known.docs_key) return;
  const answer = await fetch('docs/handout', { method: 'POST', headers: { [KEY_HEADER]: known.docs_key } });
  known = { ...known, handout: answer.ok ? await answer.json() : undefined };
  keep();
}

function keep() {
  sessionStorage.setItem(STORED, JSON.stringify(known));
}

function show() {
  for (const field of fields) field.value = known[field.name] ?? '';
  if (!USER.every((name) => known[name])) say('Most requests require all four keys.');
}
