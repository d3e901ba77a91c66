import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { explained } from '../../auth/oauth1/signature.js';
import { Clock } from '../../common/clock.js';
import { oneOf } from '../parsing.js';
import type { Terminal } from '../terminal.js';
import { baseUrlsOf, findCredentials, requiredCredential } from './credentials.js';
import { draft, METHODS, type Method, pairOf } from './draft.js';

interface SignOptions {
  credentials?: string[];
  token: boolean;
  oauth?: string[];
}

const collect = (given: string, before: string[] = []) => [...before, given];

/** `marquee sign`: how a request is signed, step by step, for whoever writes a client. */
export function addSignCommand(program: Command, terminal: Terminal): void {
  program
    .command('sign')
    .summary('show how a request is signed')
    .description(
      'Prints the base string of a request, the shape of the key and the Authorization header, and sends nothing. Credentials ' +
        'are found as for `request`.',
    )
    .argument('<method>', METHODS.join(', '), oneOf(METHODS))
    .argument('<url>', 'a whole URL, or a path')
    .argument('[name=value...]', 'parameters: in the query, for POST, PUT and PATCH in a form body')
    .option('-c, --credentials <file>', 'sign with these; may be repeated, later files add to earlier ones', collect)
    .option('--no-token', 'sign without the access token, as for oauth/request_token')
    .option('--oauth <name=value>', 'one more parameter of the header, such as oauth_callback=oob', collect)
    .addHelpText('after', '\nExample:\n  $ marquee sign GET http://localhost:3000/12/accounts count=10')
    .action((method: Method, url: string, params: string[], options: SignOptions) => {
      const found = findCredentials(options.credentials ?? []);
      const spec = { method, path: url, params: params.map(pairOf), headers: [], sandbox: false };
      const request = draft(spec, found.credentials, baseUrlsOf(found.credentials));
      const consumer = {
        key: requiredCredential(found, 'consumer_key'),
        secret: requiredCredential(found, 'consumer_secret'),
      };
      const token = options.token
        ? { key: requiredCredential(found, 'access_token'), secret: requiredCredential(found, 'access_token_secret') }
        : undefined;
      const { base, header } = explained({
        method,
        url: request.url,
        params: request.form,
        consumer,
        token,
        timestamp: new Clock().seconds(),
        nonce: randomBytes(16).toString('hex'),
        extra: Object.fromEntries((options.oauth ?? []).map(pairOf)),
      });
      const sections = {
        Request: `${method} ${request.url}${request.body === undefined ? '' : `\n${request.body}`}`,
        'Base string': base,
        Key: `${shapeOf('consumer secret', consumer.secret)}&${token ? shapeOf('token secret', token.secret) : ''}`,
        Authorization: header,
      };
      terminal.out(
        `${Object.entries(sections)
          .map(([name, value]) => `${name}\n${value}`)
          .join('\n\n')}\n`,
      );
    });
}

const shapeOf = (name: string, secret: string) => `<${name}, ${secret.length} chars>`;
