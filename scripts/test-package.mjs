#!/usr/bin/env node
/**
 * Packs Marquee, its client and its testing library, installs them in an empty folder as a user does, and uses them there:
 * `npm run test:package [-- --results <file>]`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { check, expect, havePassed, writeResults } from './checklist.mjs';
import { freePort } from './image/free-port.mjs';
import { readManifest } from './packages.mjs';

const MAX_MB = 120;
const START_MS = 120_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({ options: { results: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'marquee-package-'));

const environment = { PATH: process.env.PATH, HOME: process.env.HOME };

/** Packing gives package.json other content for a while. What reads it meanwhile finds that of the checkout. */
function copyOfCheckout() {
  const copy = join(folder, 'checkout');
  const shared = new Set(['.git', 'node_modules', 'data']);
  mkdirSync(copy);
  // with its times, by which it counts as built
  const entries = readdirSync(root).filter((name) => !shared.has(name));
  execFileSync('cp', ['-a', ...entries, copy], { cwd: root });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

const runIn = (cwd, env, file, ...args) =>
  execFileSync(file, args, {
    cwd,
    env: { ...environment, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const bytesOf = (path) => {
  const about = statSync(path);
  if (!about.isDirectory()) return about.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
};

const TEST = `
import { createMarqueeClient, optionsFrom } from '@marquee/client';
import { startMarquee } from '@marquee/testing';
for (const inProcess of [false, true]) {
  const marquee = await startMarquee({ inProcess });
  const client = createMarqueeClient(optionsFrom(marquee.credentials));
  const { data } = await client.GET('/12/accounts');
  if (data.data.length === 0) throw new Error('no account');
  await marquee.stop();
}
process.exit(0);
`;

async function main() {
  const tarballs = join(folder, 'packed');
  await check('is packed, with the client and the testing library', () => {
    const checkout = copyOfCheckout();
    mkdirSync(tarballs);
    for (const path of ['.', './packages/client', './packages/testing'])
      runIn(checkout, {}, 'npm', 'pack', '--silent', path, '--pack-destination', tarballs);
    expect(readManifest(checkout).scripts !== undefined, 'package.json was not put back');
    return readdirSync(tarballs)
      .map((name) => `${name} ${(statSync(join(tarballs, name)).size / 1e6).toFixed(1)} MB`)
      .join(', ');
  });
  const packed = readdirSync(tarballs).map((name) => join(tarballs, name));
  const project = join(folder, 'project');
  await check(`is installed in an empty folder, with at most ${MAX_MB} MB`, () => {
    mkdirSync(project);
    runIn(project, {}, 'npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packed);
    const megabytes = bytesOf(join(project, 'node_modules')) / 1e6;
    expect(megabytes <= MAX_MB, `${megabytes.toFixed(0)} MB`);
    return `${megabytes.toFixed(0)} MB`;
  });
  await check('serves, and answers a signed request of its command', async () => {
    const env = { PORT: String(await freePort()) };
    const service = spawn('npx', ['marquee', 'serve'], {
      cwd: project,
      env: { ...environment, ...env },
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const began = performance.now();
    const isReady = () =>
      fetch(`http://127.0.0.1:${env.PORT}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (service.exitCode === null && performance.now() - began < START_MS && !(await isReady())) await pause(20);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    try {
      const { data } = JSON.parse(runIn(project, env, 'npx', 'marquee', 'request', 'GET', '/12/accounts'));
      expect(data.length > 0, 'no account');
    } finally {
      process.kill(-service.pid, 'SIGTERM');
      if (service.exitCode === null) await once(service, 'exit');
    }
    return `ready after ${seconds} s`;
  });
  await check('starts in a step of GitHub Actions', async () => {
    const output = join(folder, 'output');
    const env = { PORT: String(await freePort()), DATA_DIR: join(folder, 'data'), GITHUB_OUTPUT: output };
    runIn(root, env, join(root, 'scripts/start-in-ci.sh'));
    const { url, credentials } = Object.fromEntries(
      readFileSync(output, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    const { pid } = JSON.parse(readFileSync(join(folder, 'data/store.lock'), 'utf8'));
    try {
      const request = ['request', 'GET', '/12/accounts', '--credentials', credentials];
      const { data } = JSON.parse(runIn(root, {}, process.execPath, 'bin/marquee.mjs', ...request));
      expect(data.length > 0 && url.endsWith(env.PORT), 'no account');
    } finally {
      process.kill(pid, 'SIGTERM');
    }
  });
  await check('is started by the testing library, as a process and in the process', () => {
    writeFileSync(join(project, 'use.mjs'), TEST);
    runIn(project, {}, process.execPath, 'use.mjs');
  });
}

await main();
rmSync(folder, { recursive: true, force: true });
writeResults(options.results);
process.exitCode = havePassed() ? 0 : 1;
