/**
 * A request as it is sent from elsewhere: by the command line, Node and Python. A copy of what the browser sent would be a
 * replay, which is refused, so each of these signs anew; the keys come from where the service keeps them, never from the page.
 */

import { pairsOf } from './sign.js';

/**
 * @param request `{ method, url, headers, body }` as it was sent
 * @returns none where the body is no text
 * @param isDemo whether it was signed with the keys of the demo, which stand in a file; else they are taken from the environment
 */
export function snippetsOf(request, isDemo) {
  // A file has no text that could be copied.
  if (request.body && typeof request.body !== 'string') return [];
  const parts = partsOf(request);
  return [
    { id: 'marquee', title: 'marquee', text: marquee(parts, isDemo) },
    { id: 'node', title: 'Node', text: node(parts, isDemo) },
    { id: 'python', title: 'Python', text: python(parts, isDemo) },
  ];
}

const KEYS = ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret'];

function partsOf({ method, url, headers = {}, body }) {
  const find = (name) => headers[Object.keys(headers).find((each) => each.toLowerCase() === name)] ?? '';
  const authorization = find('authorization');
  const isForm = find('content-type').startsWith('application/x-www-form-urlencoded');
  return {
    method: method.toUpperCase(),
    url,
    form: body && isForm ? pairsOf(body) : undefined,
    json: body && !isForm ? body : undefined,
    by: signerOf(authorization),
    names: find('x-marquee-names'),
  };
}

/** Who says that they may: a user or an application that signs, or one that shows its password or its bearer token. */
function signerOf(authorization) {
  if (authorization.startsWith('Basic ')) return 'basic';
  if (authorization.startsWith('Bearer ')) return 'bearer';
  return authorization === '' || /\boauth_token="/.test(authorization) ? 'user' : 'application';
}

const BEARER = 'MARQUEE_BEARER_TOKEN';

const quoted = (text) => (/^[\w./:=,@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function marquee({ method, url, form = [], json, by, names }, isDemo) {
  const words = [
    'npx marquee request',
    method,
    quoted(url),
    ...form.map(([name, value]) => quoted(`${name}=${value}`)),
  ];
  if (json !== undefined) words.push('--json', quoted(json));
  if (by === 'basic') words.push(`-H "Authorization: Basic $(node -p '${basicInShell(isDemo)}')"`);
  if (by === 'bearer') words.push(`-H "Authorization: Bearer $${BEARER}"`);
  if (names) words.push(`-H 'x-marquee-names: ${names}'`);
  if (by === 'application') words.push('--no-token');
  const wanted = by === 'bearer' ? [BEARER] : isDemo ? [] : KEYS.map(variable);
  const where = wanted.length > 0 ? `, with ${wanted.join(', ')} set` : '';
  return `# Where the service is installed${where}:\n${words.join(' ')}\n`;
}

const variable = (name) => `MARQUEE_${name.toUpperCase()}`;

const basicInShell = (isDemo) =>
  isDemo
    ? 'k=JSON.parse(fs.readFileSync((process.env.DATA_DIR||"data")+"/demo-credentials.json"));btoa(k.consumer_key+":"+k.consumer_secret)'
    : 'btoa(process.env.MARQUEE_CONSUMER_KEY+":"+process.env.MARQUEE_CONSUMER_SECRET)';

/** Names and values as a literal that JavaScript and Python read alike; a name that comes twice needs pairs. */
function literalOf(pairs, indent) {
  const items = pairs.map((pair) => `${indent}[${pair.map((each) => JSON.stringify(each)).join(', ')}],\n`);
  return `[\n${items.join('')}]`;
}

function node({ method, url, form, json, by, names }, isDemo) {
  const hasBody = form !== undefined || json !== undefined;
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = form ? 'new URLSearchParams(form).toString()' : 'JSON.stringify(body)';
  const signs = by === 'user' || by === 'application';
  const hasFile = isDemo && by !== 'bearer';
  return linesOf([
    `// Needs Node 18 or newer and nothing else. Save it as request.mjs${whereOf(hasFile)}, then: node request.mjs`,
    signs && "import { createHmac, randomBytes } from 'node:crypto';",
    hasFile && "import { readFileSync } from 'node:fs';",
    (signs || hasFile) && '',
    by !== 'bearer' && keysInNode(isDemo),
    `const method = ${JSON.stringify(method)};`,
    `const url = ${JSON.stringify(url)};`,
    form && `const form = ${literalOf(form, '  ')};`,
    json !== undefined && `const body = ${json.trim()};`,
    '',
    by === 'basic' && 'const authorization = `Basic ${btoa(`${keys.consumer_key}:${keys.consumer_secret}`)}`;',
    by === 'bearer' && `const authorization = \`Bearer \${process.env.${BEARER}}\`;`,
    ...(signs ? signedInNode(form !== undefined, by === 'user') : []),
    '',
    `const headers = { ${['authorization', hasBody && `'content-type': '${type}'`, names && `'x-marquee-names': '${names}'`].filter(Boolean).join(', ')} };`,
    `const answer = await fetch(url, { method, headers${hasBody ? `, body: ${body}` : ''} });`,
    'console.log(answer.status, await answer.text());',
  ]);
}

const linesOf = (lines) => `${lines.filter((line) => typeof line === 'string').join('\n')}\n`;

const whereOf = (hasFile) => (hasFile ? ' where the service was started' : '');

const keysInNode = (isDemo) =>
  isDemo
    ? "const keys = JSON.parse(readFileSync(`${process.env.DATA_DIR ?? 'data'}/demo-credentials.json`, 'utf8'));"
    : `const keys = {\n${KEYS.map((name) => `  ${name}: process.env.${variable(name)},\n`).join('')}};`;

const signedInNode = (hasForm, hasToken) => [
  '// OAuth 1.0a (RFC 5849): query and form are signed, a JSON body is not.',
  'const escaped = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;',
  "const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, escaped);",
  'const oauth = {',
  '  oauth_consumer_key: keys.consumer_key,',
  ...(hasToken ? ['  oauth_token: keys.access_token,'] : []),
  "  oauth_nonce: randomBytes(16).toString('hex'),",
  '  oauth_timestamp: String(Math.floor(Date.now() / 1000)),',
  "  oauth_signature_method: 'HMAC-SHA1',",
  "  oauth_version: '1.0',",
  '};',
  'const { origin, pathname, searchParams } = new URL(url);',
  `const pairs = [...Object.entries(oauth), ...searchParams${hasForm ? ', ...form' : ''}].map((pair) => pair.map(encode));`,
  'pairs.sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1));',
  "const parameters = pairs.map((pair) => pair.join('=')).join('&');",
  "const base = [method, origin + pathname, parameters].map(encode).join('&');",
  `const secret = \`\${encode(keys.consumer_secret)}&${hasToken ? '${encode(keys.access_token_secret)}' : ''}\`;`,
  "oauth.oauth_signature = createHmac('sha1', secret).update(base).digest('base64');",
  'const parts = Object.entries(oauth).map(([name, value]) => `${name}="${encode(value)}"`);',
  "const authorization = `OAuth ${parts.join(', ')}`;",
];

function python({ method, url, form, json, by, names }, isDemo) {
  const signs = by === 'user' || by === 'application';
  const hasFile = isDemo && by !== 'bearer';
  const wanted = by === 'user' ? KEYS : KEYS.slice(0, 2);
  const values = wanted.map((name) => `keys["${name}"]`).join(', ');
  return linesOf([
    `# pip install ${signs ? 'requests-oauthlib' : 'requests'}; save it as request.py${whereOf(hasFile)}, then: python3 request.py`,
    hasFile && 'import json',
    'import os',
    '',
    signs ? 'from requests_oauthlib import OAuth1Session' : 'import requests',
    '',
    by !== 'bearer' && keysInPython(isDemo, wanted),
    signs ? `session = OAuth1Session(${values})` : 'session = requests.Session()',
    by === 'basic' && `session.auth = (${values})`,
    by === 'bearer' && `session.headers["Authorization"] = "Bearer " + os.environ["${BEARER}"]`,
    names && `session.headers["x-marquee-names"] = "${names}"`,
    form && `form = ${literalOf(form, '    ')}`,
    json !== undefined && `body = ${inPython(json.trim())}`,
    `answer = session.request(${JSON.stringify(method)}, ${JSON.stringify(url)}${form ? ', data=form' : ''}${json !== undefined ? ', json=body' : ''})`,
    'print(answer.status_code, answer.text)',
  ]);
}

const keysInPython = (isDemo, wanted) =>
  isDemo
    ? 'with open(os.environ.get("DATA_DIR", "data") + "/demo-credentials.json") as file:\n    keys = json.load(file)'
    : `keys = {name: os.environ["MARQUEE_" + name.upper()] for name in ${JSON.stringify(wanted)}}`;

const WORDS = { true: 'True', false: 'False', null: 'None' };

/** JSON as Python writes it: texts are alike but for some escapes, numbers stay as they are written. */
const inPython = (json) =>
  json.replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => WORDS[token] ?? JSON.stringify(JSON.parse(token)),
  );
