/** The answer of `/version`. */
export interface ServiceVersion {
  name: string;
  version: string;
  base_url?: string;
  ads_base_url?: string;
  ads_sandbox_base_url?: string;
}

const PATIENCE_MS = 3_000;

/** Headers of every answer of the service. */
const OURS = ['x-request-id', 'x-response-time'];

/** True if the service that answered is in doubt: it refused the credentials, or it does not look like Marquee. */
export const isSuspicious = ({ status, headers }: Response): boolean =>
  status === 401 || OURS.some((name) => !headers.has(name));

/** A sentence about the service that answered; `from` is the source of the credentials and base URLs. */
export async function whoAnswers(url: string, from: string, ask: typeof fetch = fetch): Promise<string> {
  const { origin } = new URL(url);
  const answer = await ask(`${origin}/version`, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => undefined,
  );
  if (!answer) return `The program at ${origin} does not identify itself (${origin}/version).`;
  const found = (await answer.json().catch(() => undefined)) as ServiceVersion | undefined;
  if (answer.status === 503) return `The service at ${origin} is not ready; try again in a moment.`;
  if (found?.name !== 'marquee')
    return `The program at ${origin} is not Marquee: check which program uses that port, or correct the base URLs in ${from}.`;
  const bases = [found.base_url, found.ads_base_url, found.ads_sandbox_base_url].filter((base) => base !== undefined);
  const [one, other] = [new URL(url), new URL(bases[0] ?? url)];
  if (one.host === other.host && one.protocol !== other.protocol)
    return `Marquee ${found.version} answers at ${origin}, and its base URL is ${bases[0]}: a signature covers the scheme, so sign for ${other.protocol.slice(0, -1)}, not ${one.protocol.slice(0, -1)}.`;
  const isOurs =
    bases.length === 0 || bases.some((base) => `${url}/`.startsWith(base) && new URL(base).origin === origin);
  return isOurs
    ? `Marquee ${found.version} answers at ${origin}, so the credentials in ${from} belong to another store, or were revoked.`
    : `Marquee ${found.version} answers at ${origin}, and its base URL is ${bases[0]}: sign requests for that URL, and send them there.`;
}
