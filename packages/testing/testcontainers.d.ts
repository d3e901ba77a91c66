import { AbstractStartedContainer, GenericContainer, type StartedTestContainer } from 'testcontainers';
import type { ClockOption, Credentials, Handle, Namespace, NamespaceOptions, Requesting, TestClock } from './index.js';

/** A container of Marquee with the embedded store and the workbench. */
export class MarqueeContainer extends GenericContainer {
  /** `image`: an image of Marquee, such as `marquee` after `docker build -t marquee .`. */
  constructor(image: string);
  /** `demo`, the default, has the demo's data; `empty` has a user with an application and nothing else. */
  withSeed(seed: 'demo' | 'empty'): this;
  /** The time at which the sandbox accounts are frozen; or `{ startsAt }`, the time at which the clock of the service starts. */
  withClock(clock: ClockOption): this;
  override start(): Promise<StartedMarqueeContainer>;
}

/** A running container of Marquee. */
export class StartedMarqueeContainer extends AbstractStartedContainer {
  constructor(started: StartedTestContainer, handle: Handle);
  /** The port of the service, as this machine reaches it. */
  getPort(): number;
  /** The base URL of the service, as this machine reaches it. */
  getBaseUrl(): string;
  /** What signs requests. */
  getCredentials(): Credentials;
  /** The clock of the demo's sandbox account; throws unless the container has `withClock` and the data of the demo. */
  getClock(): TestClock;
  /** Sends a signed request. `:account_id` in the path is that of the credentials. */
  request: Requesting['request'];
  /** Creates a namespace. */
  namespace(options?: NamespaceOptions): Promise<Namespace>;
  /** Tokens of OAuth 2.0 with which the application acts for the user. */
  oauth2Tokens: Requesting['oauth2Tokens'];
  /** Creates a token with which a server sends conversions to the pixel of the sandbox account. */
  pixelToken: Requesting['pixelToken'];
  /** Makes a user of the directory click on what a line item of the sandbox account shows, or view it. */
  engagement: Requesting['engagement'];
  /** Sends a conversion to the pixel of the sandbox account. */
  conversion: Requesting['conversion'];
}
