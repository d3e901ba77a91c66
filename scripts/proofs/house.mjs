/** What proofs share: a service of their own on an embedded store in a temporary folder, its demo, and a browser without a screen. */
import 'reflect-metadata';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Calls `work` with the service's URL and the demo's credentials; PORT says where it listens. `prepare` is handed the
 * application before it serves; then there is no demo.
 */
export async function withService(env, work, prepare) {
  execFileSync(process.execPath, ['scripts/build-if-stale.mjs'], { cwd: root, stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'marquee-proof-'));
  const port = process.env.PORT ?? '3290';
  if (prepare) await prepared(folder, prepare);
  const service = spawn(process.execPath, ['--max-semi-space-size=64', join(root, 'dist/src/main.js')], {
    env: { ...process.env, PORT: port, DATA_DIR: folder, DEMO: 'true', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://localhost:${port}`;
  try {
    for (let i = 0; ; i++) {
      const ready = await fetch(`${url}/health/ready`).then(
        (answer) => answer.ok,
        () => false,
      );
      if (ready) break;
      if (i > 300) throw new Error('the service did not start');
      await pause(100);
    }
    await pause(1_100);
    return await work(
      url,
      prepare ? undefined : JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8')),
    );
  } finally {
    const over = new Promise((done) => service.once('exit', done));
    service.kill('SIGTERM');
    await over;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepared(folder, prepare) {
  const { openService } = await import('../../dist/src/service.js');
  const { readConfig } = await import('../../dist/src/config.js');
  const service = await openService(readConfig({ DATA_DIR: folder, DEMO: 'false', LOG_LEVEL: 'error' }));
  await prepare(service.app);
  await service.close();
}

/** Opens the sign-in page and sends its form; answers status, headers, body without the form's token, and milliseconds. */
export async function signIn(url, address, username, password) {
  const headers = { 'x-forwarded-for': address };
  const page = await fetch(`${url}/oauth/sign_in`, { headers });
  const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())[1];
  const cookie = page.headers.getSetCookie().at(-1).split(';')[0];
  const started = performance.now();
  const answer = await fetch(`${url}/oauth/sign_in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...headers, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf, username, password }),
  });
  const body = (await answer.text()).replaceAll(csrf, '').replaceAll(username, '');
  const ms = performance.now() - started;
  return { status: answer.status, headers: [...answer.headers.keys()].sort().join(' '), body, ms };
}

export const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
