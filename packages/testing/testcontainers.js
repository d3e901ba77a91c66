/** Marquee as a module of Testcontainers: an image of it, started for tests. */
import { randomBytes } from 'node:crypto';
import {
  AbstractStartedContainer,
  BoundPorts,
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
} from 'testcontainers';
import { clockOptions } from './clock.js';
import { handleOf, newCredentials, urlsOf } from './handle.js';

const PORT = 3000;
const START_MS = 120_000;
const CREDENTIALS = '/var/lib/marquee/demo-credentials.json';
/** The file that has the base URL, which nobody knows before the container has its port. */
const URL_FILE = '/tmp/marquee-base-url';
/** Starts the service once it has its base URL. */
const COMMAND = `until [ -s ${URL_FILE} ]; do sleep 0.05; done; BASE_URL=\${BASE_URL:-$(cat ${URL_FILE})} exec marquee serve`;

const baseUrl = (host, port) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** A container of Marquee with the embedded store, the workbench, and the demo's data. */
export class MarqueeContainer extends GenericContainer {
  #seed = 'demo';
  #clock = {};
  #offset = 0;
  #id;

  constructor(image) {
    super(image);
    this.withExposedPorts(PORT)
      .withEnvironment({ NODE_ENV: 'development', WORKBENCH: 'true', LOG_LEVEL: 'warn' })
      .withCommand(['sh', '-c', COMMAND])
      .withWaitStrategy(Wait.forHttp('/health/ready', PORT))
      .withStartupTimeout(START_MS);
  }

  withSeed(seed) {
    if (seed !== 'demo' && seed !== 'empty') throw new TypeError(`seed must be demo or empty, not ${String(seed)}`);
    this.#seed = seed;
    return this;
  }

  withClock(clock) {
    this.#clock = clockOptions(clock);
    return this;
  }

  async beforeContainerCreated() {
    const { startsAt } = this.#clock;
    if (startsAt && this.reuse) throw new Error('A container that is reused has a clock already: leave out startsAt');
    this.withEnvironment({ DEMO: `${this.#seed === 'demo'}`, ...(startsAt && { CLOCK_STARTS_AT: startsAt }) });
  }

  async containerCreated(id) {
    this.#id = id;
  }

  async containerStarting(inspected) {
    const { container, info } = await getContainerRuntimeClient();
    const { host, hostIps } = info.containerRuntime;
    const url = baseUrl(host, BoundPorts.fromInspectResult(hostIps, inspected).getBinding(PORT));
    // through another name, so that the service never reads a part of it
    const write = `printf %s '${url}' > ${URL_FILE}.new && mv ${URL_FILE}.new ${URL_FILE}`;
    const { exitCode, output } = await container.exec(container.getById(this.#id), ['sh', '-c', write]);
    if (exitCode !== 0) throw new Error(`The container does not take its base URL: ${output}`);
    if (this.#clock.startsAt) this.#offset = Date.parse(this.#clock.startsAt) - Date.now();
  }

  async start() {
    const started = await super.start();
    const url = baseUrl(started.getHost(), started.getMappedPort(PORT));
    const marquee = (...argv) => run(started, 'marquee', ...argv);
    try {
      const credentials =
        this.#seed === 'demo'
          ? { ...JSON.parse(await run(started, 'cat', CREDENTIALS)), ...urlsOf(url) }
          : await newCredentials(marquee, url, `tester_${randomBytes(4).toString('hex')}`);
      const handle = await handleOf(credentials, {
        offset: this.#offset,
        frozenAt: this.#clock.frozenAt,
        run: marquee,
      });
      return new StartedMarqueeContainer(started, handle);
    } catch (error) {
      if (!this.reuse) await started.stop();
      throw error;
    }
  }
}

/** Runs a command in a container and returns its standard output. */
async function run(container, ...command) {
  const { exitCode, stdout, stderr } = await container.exec(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: exit code ${exitCode}: ${stderr || stdout}`);
  return stdout;
}

/** A running container of Marquee. */
export class StartedMarqueeContainer extends AbstractStartedContainer {
  #handle;

  constructor(started, handle) {
    super(started);
    this.#handle = handle;
  }

  getPort() {
    return this.getMappedPort(PORT);
  }

  getBaseUrl() {
    return baseUrl(this.getHost(), this.getPort());
  }

  getCredentials() {
    return this.#handle.credentials;
  }

  getClock() {
    return this.#handle.clock;
  }

  request(...args) {
    return this.#handle.request(...args);
  }

  namespace(options) {
    return this.#handle.namespace(options);
  }

  oauth2Tokens(options) {
    return this.#handle.oauth2Tokens(options);
  }

  pixelToken(name) {
    return this.#handle.pixelToken(name);
  }

  engagement(params) {
    return this.#handle.engagement(params);
  }

  conversion(params) {
    return this.#handle.conversion(params);
  }
}
