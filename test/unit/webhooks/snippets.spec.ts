import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { signatureHeaders } from '../../../src/webhooks/deliveries/signatures.js';

const SECRET = 'consumer-secret Été';
const BODY = '{"event_id":"3k8f0q2m4x7zt","text":"Été “50 %”"}';
const NOW = Math.floor(Date.now() / 1_000);
const HEADERS = signatureHeaders(SECRET, '3k8f0q2m4x7zt', NOW, BODY);
const CHALLENGE = `sha256=${createHmac('sha256', SECRET).update('a token').digest('base64')}`;

/** The snippets of docs/webhooks.md in a language, in their order. */
const snippets = (language: string) =>
  [...readFileSync('docs/webhooks.md', 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text]) => text,
  );

describe('the snippets of docs/webhooks.md', () => {
  // inside the project, so that they find what they import
  const folder = mkdtempSync(join(process.cwd(), 'test', '.snippets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const node = (text: string, tried: string): unknown => {
    const path = join(folder, `snippet-${Math.random()}.mjs`);
    writeFileSync(path, text);
    const given = JSON.stringify({ SECRET, BODY, HEADERS });
    const script = `const { SECRET, BODY, HEADERS } = ${given};
      const own = await import(${JSON.stringify(pathToFileURL(path).href)}); console.log(JSON.stringify(${tried}));`;
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return JSON.parse(told);
  };

  it('Node: tells what is genuine, and answers a challenge', () => {
    const [text] = snippets('js');
    const tried = `[own.isGenuine(SECRET, BODY, HEADERS['x-platform-webhooks-signature']), own.isGenuine('another', BODY,
      HEADERS['x-platform-webhooks-signature']), own.isGenuine(SECRET, BODY + ' ', HEADERS['x-platform-webhooks-signature']),
      own.isGenuine(SECRET, BODY, undefined), own.challengeAnswer(SECRET, 'a token')]`;
    expect(node(text, tried)).toEqual([true, false, false, false, { response_token: CHALLENGE }]);
  });

  it('Python: the same', () => {
    const [text] = snippets('python');
    const header = HEADERS['x-platform-webhooks-signature'];
    const literal = (value: string) => JSON.stringify(value);
    writeFileSync(
      join(folder, 'snippet.py'),
      `${text}
import json
secret, body, header = json.loads(${literal(JSON.stringify([SECRET, BODY, header]))})
print(json.dumps([is_genuine(secret, body.encode(), header), is_genuine("another", body.encode(), header),
  is_genuine(secret, body.encode() + b" ", header), is_genuine(secret, body.encode(), None), challenge_answer(secret, "a token")]))
`,
    );
    const told = execFileSync('python3', [join(folder, 'snippet.py')], { encoding: 'utf8' });
    expect(JSON.parse(told)).toEqual([true, false, false, false, { response_token: CHALLENGE }]);
  });

  it('a library of Standard Webhooks: gives the event, and refuses what was changed', () => {
    const [, text] = snippets('js');
    expect(node(text, 'own.verified(SECRET, BODY, HEADERS)')).toEqual(JSON.parse(BODY));
    expect(() => node(text, `own.verified(SECRET, BODY + ' ', HEADERS)`)).toThrow(/No matching signature/);
  });
});
