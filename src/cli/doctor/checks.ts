import { Clock } from '../../common/time/clock.js';
import { trimTrailing } from '../../common/text/patterns.js';
import { WINDOW_SECONDS } from '../../auth/replay/signed-nonce.js';
import { type BaseUrls, type FoundCredentials, SIGNING_KEYS } from '../credentials/credentials.js';
import { CommandRefusal } from '../refusal.js';
import { authorizerOf } from '../request/authorize.js';
import { draft } from '../request/draft.js';
import { schemeProblemOf, send } from '../request/send.js';
import type { ServiceVersion } from '../request/who-answers.js';
import { type Finding, okFinding, skippedFinding, problemFinding, problemInMessage } from './finding.js';

const PATIENCE_MS = 10_000;
/** A clock that is further off needs correction, long before signatures fail. */
const MAX_SKEW_SECONDS = 60;

/** Which keys there are, and where they are from. With an access token of OAuth 2.0 requests need none. */
export function keysFinding({ credentials, from }: FoundCredentials): Finding {
  if (credentials.oauth2_access_token) return okFinding('keys', `oauth2_access_token is in ${from}`);
  const missing = SIGNING_KEYS.filter((name) => !credentials[name]);
  if (missing.length === 0) return okFinding('keys', `${SIGNING_KEYS.join(', ')} are in ${from}`);
  return problemFinding(
    'keys',
    missing.length === SIGNING_KEYS.length
      ? `there are no keys in ${from}`
      : `${missing.join(', ')} missing in ${from}`,
    'name a file that has them with --credentials, run `marquee login`, or set DATA_DIR to the folder of demo-credentials.json',
  );
}

const BASES = { base_url: 'auth', ads_base_url: 'ads', ads_sandbox_base_url: 'sandbox' } as const;

/** The first base URL that is none; undefined without such. */
export function malformedFinding(urls: BaseUrls, from: string): Finding | undefined {
  for (const [name, base] of Object.entries(BASES)) {
    const url = urls[base]();
    if (!/^https?:/i.test(url) || !URL.canParse(url))
      return problemFinding('URLs', `${name} is no http or https URL: ${url}`, `correct it in ${from}`);
  }
  return undefined;
}

/** What a service says about itself, and when. */
interface AskedService {
  finding: Finding;
  version?: ServiceVersion;
  /** How far the clock of this machine is ahead, in seconds; undefined if the answer has no date. */
  aheadSeconds?: number;
}

/** Asks the service at a base URL who it is. */
export async function askService(base: string, from: string): Promise<AskedService> {
  const url = `${trimTrailing(base, '/')}/version`;
  const clock = new Clock();
  const begun = clock.ms();
  let answer: Response;
  try {
    answer = await inTime(send({ method: 'GET', url, headers: [], form: [] }), base);
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
    return { finding: problemInMessage('service', error.message, `correct base_url in ${from}, or BASE_URL`) };
  }
  const here = (begun + clock.ms()) / 2;
  const date = Date.parse(answer.headers.get('date') ?? '');
  const schemeProblem = await schemeProblemOf(url, answer);
  if (schemeProblem !== undefined)
    return { finding: problemInMessage('service', schemeProblem, `correct base_url in ${from}`) };
  const version = (await answer.json().catch(() => undefined)) as ServiceVersion | undefined;
  if (version?.name !== 'marquee')
    return {
      finding: problemFinding(
        'service',
        `the program at ${base} is not Marquee: ${url} answers ${answer.status}`,
        `find out which program uses that address, or correct base_url in ${from}`,
      ),
    };
  return {
    finding: okFinding('service', `Marquee ${version.version} answers at ${base}`),
    version,
    // the header has whole seconds, cut off
    ...(!Number.isNaN(date) && { aheadSeconds: (here - date - 500) / 1_000 }),
  };
}

/** Whether the clock of this machine agrees with that of the service: signatures have the time. */
export function clockFinding(aheadSeconds: number | undefined): Finding {
  if (aheadSeconds === undefined) return skippedFinding('clock', 'the answer of the service has no date');
  const seconds = Math.round(Math.abs(aheadSeconds));
  const text = `the clock of this machine is ${seconds} seconds ${aheadSeconds < 0 ? 'behind' : 'ahead of'} the service`;
  if (seconds <= MAX_SKEW_SECONDS) return okFinding('clock', seconds <= 1 ? 'the clock agrees with the service' : text);
  return problemFinding(
    'clock',
    `${text}; it accepts signatures within ${WINDOW_SECONDS} seconds`,
    'set the clock of this machine, for example with NTP',
  );
}

/** The answer to a signed request, or to one with an access token of OAuth 2.0. */
interface SignedCall {
  finding: Finding;
  isAccepted: boolean;
  /** Messages and hints of the errors. */
  said: string;
}

/** Sends one request as the other commands do: signed, or with the access token of OAuth 2.0. */
export async function signedCall(found: FoundCredentials, urls: BaseUrls): Promise<SignedCall> {
  const { credentials, from } = found;
  const spec = { method: 'GET' as const, path: '/12/accounts', params: [], headers: [], sandbox: false };
  const request = draft(spec, credentials, urls);
  let answer: Response;
  try {
    answer = await inTime(send(await authorizerOf(found)(request)), request.url);
  } catch (error) {
    if (!(error instanceof CommandRefusal)) throw error;
    const finding = problemInMessage(
      'signed request',
      error.message,
      `correct ads_base_url in ${from}, or ADS_BASE_URL`,
    );
    return { finding, isAccepted: false, said: '' };
  }
  const body = (await answer.json().catch(() => undefined)) as AnswerBody | undefined;
  if (answer.ok && Array.isArray(body?.data)) {
    const count = body.data.length;
    const accounts = `${count} account${count === 1 ? '' : 's'}`;
    return {
      finding: okFinding('signed request', `GET ${request.url} returns ${accounts}`),
      isAccepted: true,
      said: '',
    };
  }
  const schemeProblem = await schemeProblemOf(request.url, answer);
  const errors = body?.errors ?? [];
  const said = errors.flatMap(({ message, hint }) => [message, hint].filter((text) => text !== undefined)).join(' ');
  const answered = `GET ${request.url} answers ${answer.status}${said && `: ${said}`}`;
  return {
    finding: problemFinding(
      'signed request',
      answered,
      schemeProblem ?? remedyOf(answer.status, errors[0]?.code, found),
    ),
    isAccepted: false,
    said: schemeProblem ?? said,
  };
}

interface AnswerBody {
  data?: unknown;
  errors?: { code?: string | number; message?: string; hint?: string }[];
}

function remedyOf(status: number, code: string | number | undefined, { credentials, from }: FoundCredentials): string {
  const isOAuth2 = Boolean(credentials.oauth2_access_token);
  if (isOAuth2 && (status === 401 || code === 'INSUFFICIENT_USER_AUTHORIZED_PERMISSION'))
    return 'sign in again with `marquee login --oauth2`: the access token belongs to another store, was revoked, or lacks the scope ads.read';
  if (status === 401)
    return `correct what the findings above name; otherwise the keys in ${from} belong to another store, or were revoked: \`marquee token issue\` creates a token`;
  if (code === 'UNAUTHORIZED_CLIENT_APPLICATION')
    return 'an operator grants access: `marquee app access <app> standard`';
  if (status === 429) return 'wait until the time in the header x-rate-limit-reset';
  return status >= 500
    ? 'try again in a moment; `GET /health/ready` says what is not available'
    : `correct ads_base_url in ${from}: the service does not have this path there`;
}

/** Whether requests are signed for the URLs that the service has. */
export function urlsFinding(urls: BaseUrls, version: ServiceVersion, isAccepted: boolean, from: string): Finding {
  const differing = Object.entries(BASES).flatMap(([name, base]) => {
    const [here, there] = [trimTrailing(urls[base](), '/'), version[name as keyof typeof BASES]];
    return there === undefined || here === there ? [] : [{ name, here, there }];
  });
  if (differing.length === 0) return okFinding('URLs', `requests are signed for ${urls.ads()}, the URL of the service`);
  const found = differing
    .map(({ name, here, there }) => `${name} is ${here}, that of the service is ${there}`)
    .join('; ');
  if (isAccepted) return okFinding('URLs', `${found}. Outside production mode it accepts both`);
  const [{ name, here, there }] = differing;
  return problemFinding(
    'URLs',
    found,
    `set ${name} in ${from} to ${there}, or ${name.toUpperCase()} of the service to ${here} if clients call that`,
  );
}

/** The settings of the service on this machine that concern proxies. */
export interface ProxySettings {
  BASE_URL: string;
  TRUST_PROXY: string[];
}

const PROXY_REMEDY =
  'set TRUST_PROXY of the service to the address of the proxy, and let the proxy send the Host of the client and X-Forwarded-Proto';

/** Whether a proxy changes what was signed: the host, or the scheme. */
export function proxyFinding({ isAccepted, said }: SignedCall, settings?: ProxySettings): Finding {
  if (/TRUST_PROXY|X-Forwarded|SSL is required|over plain http/i.test(said))
    return problemFinding('proxy', `the service does not see the URL that was signed: ${said}`, PROXY_REMEDY);
  if (settings && settings.BASE_URL.startsWith('https:') && settings.TRUST_PROXY.length === 0)
    return problemFinding(
      'proxy',
      `BASE_URL is ${settings.BASE_URL}, so a proxy ends TLS, and TRUST_PROXY is not set`,
      PROXY_REMEDY,
    );
  return isAccepted
    ? okFinding('proxy', 'the service sees the host and the scheme that were signed')
    : skippedFinding('proxy', 'the signed request was rejected for another reason');
}

/** Rejects with a CommandRefusal if the service does not answer. */
async function inTime(answer: Promise<Response>, url: string): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const { origin } = new URL(url);
    timer = setTimeout(() => {
      reject(
        new CommandRefusal(
          `${origin} does not answer within ${PATIENCE_MS / 1_000} seconds; check address and firewall`,
        ),
      );
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
