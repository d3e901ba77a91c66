/** The keys that requests are signed with: in the form, and in this tab's session storage. */

const STORED = 'marquee-keys';
const APPLICATION = ['consumer_key', 'consumer_secret'];
const USER = [...APPLICATION, 'access_token', 'access_token_secret'];

const panel = document.getElementById('keys');
const standing = document.getElementById('standing');
const fields = [...panel.querySelectorAll('input[name]')];

/** What is filled in, by name. Besides the fields it may hold ids that the demo told us. */
let known = {};

export const keys = () => known;
export const canSign = () => APPLICATION.every((name) => known[name]);

export function say(text) {
  standing.textContent = text;
}

/** Fills the panel from this tab's storage, or with the demo's keys where the service hands them out; tells of changes. */
export async function openPanel(onChange) {
  const stored = sessionStorage.getItem(STORED);
  if (stored) known = JSON.parse(stored);
  else if (await takeDemoKeys()) say('The demo’s keys are filled in.');
  show();

  panel.addEventListener('change', ({ target }) => {
    if (!target.name) return;
    known = { ...known, [target.name]: target.value.trim() };
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

async function takeDemoKeys() {
  const answer = await fetch('docs/keys', { headers: { 'x-marquee-docs': 'keys' } });
  if (!answer.ok) return false;
  known = await answer.json();
  keep();
  return true;
}

function keep() {
  sessionStorage.setItem(STORED, JSON.stringify(known));
}

function show() {
  for (const field of fields) field.value = known[field.name] ?? '';
  if (!USER.every((name) => known[name])) say('Without all four keys most requests are refused.');
}
