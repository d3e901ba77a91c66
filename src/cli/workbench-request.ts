import type { Command } from 'commander';
import type { Pair } from '../auth/signature/signature.js';
import { VERSION } from '../operations/version.js';
import { baseUrlsOf, consumerOf, findCredentials, tokenOf, type NamedCredentials } from './credentials/credentials.js';
import { profileName } from './credentials/profiles.js';
import { collect } from './parsing.js';
import { Refusal } from './refusal.js';
import { messageOf } from './request/answer.js';
import { draft, freshly, signed, type Method } from './request/draft.js';
import { send } from './request/send.js';

/** Adds the options that select the credentials of an application and its owner. */
export const withCredentials = (command: Command): Command =>
  command
    .option(
      '-c, --credentials <file>',
      "a JSON file with the keys and secrets of the application and its owner's token; may be repeated (default: as for `request`)",
      collect,
    )
    .option('-p, --profile <name>', 'use the application and token of this login', profileName);

/** What a request to the workbench sends. */
interface Asked {
  method?: Method;
  /** Of a form, or of the query if there is a JSON body. */
  params?: Record<string, string>;
  /** The text of a JSON body. */
  json?: string;
}

/** Sends a signed request to the workbench and returns the body of its response; anything but a 2xx is a Refusal. */
export async function askWorkbench(
  named: NamedCredentials,
  path: string,
  { method = 'GET', params = {}, json }: Asked = {},
): Promise<unknown> {
  const found = findCredentials(named);
  const pairs: Pair[] = Object.entries(params);
  const spec = { method, path: `/workbench/${path}`, params: pairs, json, headers: [], sandbox: false, literal: true };
  const request = draft(spec, found.credentials, baseUrlsOf(found.credentials));
  request.headers.push(['user-agent', `marquee/${VERSION}`]);
  const answer = await send(signed(request, { consumer: consumerOf(found), token: tokenOf(found), ...freshly() }));
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  const isAbsent = answer.status === 404 && !path.includes('/');
  const hint = isAbsent ? '; in production mode, WORKBENCH=true enables the workbench' : '';
  throw new Refusal(`the service answers ${answer.status}: ${messageOf(text)}${hint}`);
}
