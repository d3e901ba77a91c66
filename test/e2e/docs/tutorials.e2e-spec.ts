import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { jest } from '@jest/globals';
import { Served } from './served.js';
import { able, ReadersFolder } from './snippets.js';
import { missingIn, outputsOf, scriptOf, stepsOf, TUTORIALS } from '../../support/tutorials.js';

jest.setTimeout(180_000);

const PYTHON = able(['python3', '/usr/bin/python3'], '-c', 'import pytest, requests_oauthlib');

let served: Served;
let folder: ReadersFolder;
/** Where the programs are that the pages name. */
let path: string;
/** A browser in which the user of the demo signs in and approves. */
let browser: string;
let receiverPort: number;

beforeAll(async () => {
  served = await Served.start({ DELIVERY: 'simulated' });
  folder = new ReadersFolder(served);
  const programs = join(folder.path, 'programs');
  mkdirSync(programs);
  // npx itself takes a second
  program(
    programs,
    'npx',
    `name=$1; shift
case $name in
  marquee) exec "${process.execPath}" "${resolve('bin/marquee.mjs')}" "$@" ;;
  *) exec "${resolve('node_modules/.bin')}/$name" "$@" ;;
esac`,
  );
  if (PYTHON && PYTHON !== 'python3') program(programs, 'python3', `exec ${PYTHON} "$@"`);
  // programs do not wait for it, as for a browser that is open
  browser = program(
    programs,
    'browser',
    `"${process.execPath}" "${resolve('test/support/approving-browser.mjs')}" "$@" > /dev/null 2>&1 &`,
  );
  path = `${programs}:${process.env.PATH}`;
  receiverPort = await freePort();
}, 180_000);
afterAll(async () => {
  await Promise.all(Served.all.map((each) => each.stop()));
  folder?.remove();
}, 30_000);

function program(place: string, name: string, text: string): string {
  const file = join(place, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

const here = (text: string) =>
  text
    .replaceAll('http://localhost:3000', served.url)
    .replaceAll('http://localhost:4000', `http://localhost:${receiverPort}`);

async function carriedOut(script: string): Promise<string> {
  writeFileSync(join(folder.path, 'tutorial.sh'), here(script));
  // the limit is for loops that wait for what never comes
  const { status, stdout } = await folder.run('timeout', ['--kill-after=5', '120', 'sh', '-e', 'tutorial.sh'], {
    PATH: path,
    BROWSER: browser,
    XDG_CONFIG_HOME: join(folder.path, 'config'),
  });
  expect({ status, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stdout: '' });
  return stdout;
}

/** The last page is about machines that no test has. */
for (const tutorial of TUTORIALS.filter((each) => !each.name.startsWith('7-'))) {
  const isAble = PYTHON !== undefined || !tutorial.text.includes('python3');
  (isAble ? it : it.skip)(`${tutorial.name}${isAble ? '' : ' (skipped: no pytest)'}`, async () => {
    const steps = stepsOf(tutorial);
    const outputs = outputsOf(await carriedOut(scriptOf(steps)));
    expect(outputs).toHaveLength(steps.length);
    for (const [i, { printed }] of steps.entries()) {
      const missing = missingIn(outputs[i], printed.map(here));
      if (missing !== undefined) throw new Error(`step ${i} did not print "${missing}":\n${outputs[i]}`);
    }
  });
}

it('the first calls of the README', async () => {
  const [, section] = /^## Make the first call\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8'))!;
  const [, commands] = /^```sh\n(.*?)^```$/ms.exec(section)!;
  expect(await carriedOut(`exec 2>&1\n${commands}`)).toMatch(/^200 OK .*^200 OK .*^201 Created /ms);
});

it('llms.txt names this service', async () => {
  const { status, text, headers } = await served.ask('/llms.txt');
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
  expect(text).toMatch(/^# Marquee\n\n> /);
  expect(text).toContain(`${served.url}/docs/openapi.json`);
  expect(text).not.toContain('http://localhost:3000');
  for (const [, url] of text.matchAll(/\]\((http[^)]+)\)/g)) expect((await fetch(url)).status).toBe(200);
});
