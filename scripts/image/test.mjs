#!/usr/bin/env node
/**
 * Builds the image with buildah and runs it without a container runtime (container.mjs). As root, on Debian:
 *
 *   node scripts/image/test.mjs [--results <file>] [--image <name>]
 *
 * `--image` tests an image that buildah has already. The base of the image comes from the image that IMAGE_BASE names, as buildah
 * names images (docker://, docker-archive:, oci:), else from the registry, else from the packages of this machine (base.sh). With
 * TEST_DATABASE_URL and TEST_REDIS_URL the image also runs on PostgreSQL and Redis. Exit code 77: it cannot run here.
 */
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { check, expect, havePassed, writeResults } from '../checklist.mjs';
import { Image } from './container.mjs';

const MOST_MB = 150;
const SKIPPED = 77;
const IMAGE = 'localhost/marquee-image-test';
const { values: options } = parseArgs({ options: { results: { type: 'string' }, image: { type: 'string' } } });
const root = fileURLToPath(new URL('../..', import.meta.url));
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const [, NODE_IMAGE, NODE_VERSION] = /^ARG NODE_IMAGE=(\S+:([\d.]+)\S*)$/m.exec(dockerfile);

// the only isolation that works within containers
process.env.BUILDAH_ISOLATION ??= 'chroot';

const folders = [];

function skip(why) {
  console.log(`Skipped: ${why}`);
  process.exit(SKIPPED);
}

const isDone = (command, ...args) => spawnSync(command, args, { stdio: ['ignore', 'ignore', 'ignore'] }).status === 0;

/** Ends this script if a command fails. */
function must(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], timeout: 600_000 });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed`);
}

function skipUnlessPossible() {
  if (process.getuid?.() !== 0) skip('it needs root, to make file systems read-only');
  if (!isDone('buildah', '--version')) skip('buildah is not installed');
  if (!isDone('unshare', '--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/'))
    skip('it may not make namespaces');
  // an overlay on an overlay is not possible everywhere; copies are
  if (!isDone('buildah', 'info')) process.env.STORAGE_DRIVER = 'vfs';
}

/** The name of a base that buildah has afterwards. */
function base() {
  const given = process.env.IMAGE_BASE;
  if (given) {
    const { status, stdout } = spawnSync('buildah', ['pull', '-q', given], { encoding: 'utf8' });
    expect(status === 0, `IMAGE_BASE: buildah cannot pull ${given}`);
    return stdout.trim().split('\n').at(-1);
  }
  if (isDone('timeout', '60', 'buildah', 'pull', '-q', '--policy', 'missing', NODE_IMAGE)) return NODE_IMAGE;
  const made = `localhost/marquee-image-base:${NODE_VERSION}`;
  if (!isDone('buildah', 'inspect', '--type', 'image', made)) {
    if (!existsSync('/etc/debian_version'))
      skip('no registry answers, IMAGE_BASE names no image, and this is not Debian');
    must(join(root, 'scripts/image/base.sh'), made, NODE_VERSION);
  }
  return made;
}

/** What npm in the build needs of this machine: the address of its registry, and what npm has fetched already. */
function npmOfThisMachine() {
  const setting = (name) => spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
  const userconfig = setting('userconfig');
  const cache = setting('cache');
  return [
    ...(existsSync(userconfig) ? ['--volume', `${userconfig}:/root/.npmrc:ro`] : []),
    ...(existsSync(cache) ? ['--volume', `${cache}:/root/.npm`] : []),
  ];
}

function buildImage() {
  const name = base();
  const flags = ['--pull-never', '--layers=false', '--format', 'docker', '--network', 'host', '--quiet'];
  must('buildah', 'bud', ...flags, ...npmOfThisMachine(), '--build-arg', `NODE_IMAGE=${name}`, '--tag', IMAGE, '.');
  return `on ${name}`;
}

/** An empty volume. */
function volume({ user }) {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-image-volume-'));
  chownSync(folder, user.uid, user.gid);
  folders.push(folder);
  return folder;
}

/** An HTTP server that keeps what is sent to it, by path, and gives it back. */
async function keeper() {
  const kept = new Map();
  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    const body = Buffer.concat(await request.toArray());
    if (request.method === 'PUT') kept.set(path, body);
    if (request.method === 'POST') kept.set(path, Buffer.concat([kept.get(path) ?? Buffer.alloc(0), body]));
    const content = request.method === 'GET' ? (kept.get(path) ?? '') : '';
    response.writeHead(200, { etag: '"1"', 'content-length': content.length }).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { kept, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function runs(container, ...command) {
  const { code, stdout, stderr } = await container.exec(...command);
  expect(code === 0, `${command.join(' ')}: exit code ${code}: ${stderr}${stdout}`);
  return stdout;
}

const requests = async (container, ...args) => JSON.parse(await runs(container, 'marquee', 'request', ...args));

/** Uploads a picture, which a process of its own reads; returns its media key. */
async function uploads(container, ...credentials) {
  const file = 'media=@/app/assets/demo/banner.jpg';
  const { media_key: key } = await requests(
    ...[container, 'POST', '/1.1/media/upload.json', file, 'media_category=post_image', ...credentials],
  );
  expect(key !== undefined, 'no media key');
  return key;
}

const resident = (container) => `${Math.round(container.figure('VmRSS') / 1024)} MiB resident`;

async function testEmbedded(image) {
  const data = volume(image);
  const collector = await keeper();
  const settings = { NODE_ENV: 'development', SHUTDOWN_DELAY_MS: '1000' };
  let service;
  let campaign;
  await check('starts on the embedded store, with its root file system read-only', async () => {
    service = await image.start(data, {
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    return `ready after ${service.readySeconds.toFixed(2)} s on an empty volume`;
  });
  if (!service) return;
  await check('does not run as root', () => {
    expect(service.figure('Uid') === image.user.uid && image.user.uid !== 0, `user id ${service.figure('Uid')}`);
  });
  await check('cannot write outside the volume and /tmp', async () => {
    for (const folder of ['/', '/app', '/app/dist', '/home/node'])
      expect((await service.exec('touch', `${folder}/written`)).code !== 0, `${folder} is writable`);
    await runs(service, 'touch', '/tmp/written', '/var/lib/marquee/written');
  });
  await check('passes its HEALTHCHECK', async () => {
    const [kind, ...command] = image.config.Healthcheck.Test;
    expect(kind === 'CMD', `the health check is ${kind}`);
    await runs(service, ...command);
  });
  await check('answers a signed request of `marquee request` inside', async () => {
    const { data: accounts } = await requests(service, 'GET', '/12/accounts');
    expect(accounts.length > 0, 'no account');
  });
  await check('stores a campaign', async () => {
    const funding = 'funding_instrument_id={funding_instrument_id}';
    const fields = ['name=Image', funding, 'daily_budget_amount_local_micro=1000000', 'entity_status=PAUSED'];
    ({ data: campaign } = await requests(service, 'POST', '/12/accounts/:account_id/campaigns', ...fields));
  });
  await check('reads an uploaded picture in a process of its own', () => uploads(service));
  await check('serves Swagger UI', async () => {
    for (const path of ['', '/openapi.json', '/assets/swagger-ui/swagger-ui-bundle.js', '/assets/noble/hmac.js'])
      expect((await service.status(`/docs${path}`)) === 200, `/docs${path}: ${await service.status(`/docs${path}`)}`);
  });
  await check('sends spans to a collector', async () => {
    const hasStatement = () => collector.kept.get('/v1/traces')?.includes('SELECT');
    for (let left = 50; left > 0 && !hasStatement(); left--) await pause(100);
    expect(hasStatement(), `no span of a statement came:\n${service.log}`);
  });
  await check('starts again on its volume after SIGKILL, with what it stored', async () => {
    await service.stop('SIGKILL');
    service = await image.start(data, settings);
    const { data: again } = await requests(service, 'GET', `/12/accounts/:account_id/campaigns/${campaign.id}`);
    expect(again.name === 'Image', JSON.stringify(again));
    return `ready after ${service.readySeconds.toFixed(2)} s, ${resident(service)}`;
  });
  await check('answers while it stops, and ends by itself', () => stopsGracefully(service));
  collector.close();
}

/** SIGTERM: not ready at once, answers for SHUTDOWN_DELAY_MS, ends with 0. */
async function stopsGracefully(service) {
  const stopped = service.stop('SIGTERM');
  await pause(300);
  expect((await service.status('/health/ready')) === 503, 'it is still ready');
  expect((await service.status('/version')) === 200, 'it does not answer any more');
  const code = await stopped;
  expect(code === 0, `exit code ${code}:\n${service.log}`);
}

/** Calls `work` with the URL of a new database beside the named one. */
async function withDatabase(server, work) {
  const name = `marquee_image_${process.pid}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    await work(url.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}

async function testServers(image, databaseUrl, redisUrl) {
  const data = volume(image);
  const bucket = await keeper();
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: `marquee_image_${process.pid}:`,
    MASTER_KEY: randomBytes(32).toString('base64'),
    SHUTDOWN_DELAY_MS: '1000',
    BLOB_STORE: 's3',
    S3_ENDPOINT: bucket.url,
    S3_BUCKET: 'marquee',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  let service;
  await check('migrates a PostgreSQL database', async () => {
    const { code, stdout, stderr } = await image.run(data, settings, ['marquee', 'migrate']);
    expect(code === 0, stderr || stdout);
  });
  await check('starts on PostgreSQL and Redis, in production', async () => {
    service = await image.start(data, settings);
    return `ready after ${service.readySeconds.toFixed(2)} s`;
  });
  if (!service) return;
  const own = ['app', 'token', 'account'].flatMap((name) => ['--credentials', `/tmp/${name}.json`]);
  await check('its commands create what a signed request needs', async () => {
    const script = `set -e
      marquee user create alice --no-password
      marquee app create --name Tool --owner alice --json > /tmp/app.json
      marquee token issue --user alice --app Tool --json > /tmp/token.json
      marquee account create --owner alice --name Shoes --json > /tmp/account.json`;
    await runs(service, 'sh', '-c', script);
    const { data: account } = await requests(service, 'GET', '/12/accounts/:account_id', ...own, '-H', 'X-Test: image');
    expect(account.name === 'Shoes', JSON.stringify(account));
  });
  await check('stores files in a bucket', async () => {
    await uploads(service, ...own);
    expect(
      [...bucket.kept.keys()].some((path) => path.startsWith('/marquee/')),
      'nothing came',
    );
  });
  await check('stops on SIGTERM on PostgreSQL', async () => {
    const said = resident(service);
    await stopsGracefully(service);
    return said;
  });
  bucket.close();
}

async function main() {
  skipUnlessPossible();
  if (!options.image) await check('is built', buildImage);
  if (!havePassed()) return;
  const image = new Image(options.image ?? IMAGE);
  try {
    await check(`/app has at most ${MOST_MB} MB`, () => {
      const size = image.sizeOf('app');
      expect(size <= MOST_MB, `${size.toFixed(0)} MB`);
      return `${size.toFixed(0)} MB`;
    });
    await testEmbedded(image);
    const { TEST_DATABASE_URL: database, TEST_REDIS_URL: redis } = process.env;
    if (database && redis) await withDatabase(database, (url) => testServers(image, url, redis));
    else console.log('Not on PostgreSQL and Redis: TEST_DATABASE_URL and TEST_REDIS_URL name none.');
  } finally {
    image.remove();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    if (!options.image) isDone('buildah', 'rmi', IMAGE);
  }
}

await main();
writeResults(options.results);
process.exit(havePassed() ? 0 : 1);
