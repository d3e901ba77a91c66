import type { Command } from 'commander';
import { explainedSignature } from '../../auth/signature/signature.js';
import { profileName } from '../credentials/profiles.js';
import { collectValues, choice } from '../parsing.js';
import type { Terminal } from '../terminal.js';
import { type BaseUrls, baseUrlsOf, consumerOf, findCredentials, tokenOf } from '../credentials/credentials.js';
import { draft, freshly, REQUEST_METHODS, type Method, pairOf } from './draft.js';

interface SignOptions {
  credentials?: string[];
  profile?: string;
  token?: string | false;
  oauth?: string[];
}

/** `marquee sign`: shows step by step how a request is signed, for developers of clients. */
export function addSignCommand(program: Command, terminal: Terminal): void {
  program
    .command('sign')
    .summary('show how a request is signed')
    .description(
      'Prints the base string of a request, the shape of the key and the Authorization header, and sends nothing. Credentials ' +
        'are found as by `request`.',
    )
    .argument('<method>', REQUEST_METHODS.join(', '), choice(REQUEST_METHODS))
    .argument('<url>', 'a URL, with or without http:// or https://, or a path')
    .argument('[name=value...]', 'parameters: in the query, for POST, PUT and PATCH in a form body')
    .option(
      '-c, --credentials <file>',
      'sign with these credentials; may be repeated, later files override earlier ones',
      collectValues,
    )
    .option('-p, --profile <name>', 'sign with this login', profileName)
    .option(
      '--token <file>',
      'sign with the token in this file: JSON, or a response of oauth/request_token or oauth/access_token',
    )
    .option('--no-token', 'sign without an access token, as for oauth/request_token')
    .option('--oauth <name=value>', 'an additional header parameter, such as oauth_callback=oob', collectValues)
    .addHelpText('after', '\nExample:\n  $ marquee sign GET http://localhost:3000/12/accounts count=10')
    .action((method: Method, url: string, params: string[], options: SignOptions) => {
      const found = findCredentials(options);
      const spec = { method, path: url, params: params.map(pairOf), headers: [], sandbox: false };
      const bases = baseUrlsOf(found.credentials);
      const request = draft(spec, found.credentials, bases);
      const consumer = consumerOf(found);
      const token = tokenOf(found, options.token);
      const { base, header } = explainedSignature({
        method,
        url: request.url,
        params: request.form,
        consumer,
        token,
        ...freshly(),
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
      const other = otherScheme(request.url, bases);
      if (other) terminal.err(`${other}\n`);
    });
}

/** A sentence that the service uses the other scheme, if it does. */
function otherScheme(url: string, bases: BaseUrls): string | undefined {
  const { host, protocol } = new URL(url);
  const base = [bases.auth(), bases.ads(), bases.sandbox()]
    .map((each) => new URL(each))
    .find((each) => each.host === host && each.protocol !== protocol);
  return (
    base &&
    `The base URL of ${host} begins with ${base.protocol}// and this URL with ${protocol}//: a signature covers the scheme, so the service will refuse it.`
  );
}

const shapeOf = (name: string, secret: string) => `<${name}, ${secret.length} chars>`;
