import { Injectable } from '@nestjs/common';
import { isPlaceholder } from '../../common/errors/placeholder.js';
import { Config } from '../../config/config.js';
import { MistakenKeys, type IntendedKeys } from '../credentials/mistaken-keys.service.js';
import { charactersAround, trimmedKey, mistakeOfSecrets } from './secret-mistakes.js';
import { baseStringOf, normalizeParameters } from './signature.js';
import type { SignedRequest } from './signed-request.js';

/** Explains unknown keys: those with something around them, in the place of another, or never set. None in production. */
@Injectable()
export class KeyHints {
  constructor(
    private readonly config: Config,
    private readonly keys: MistakenKeys,
  ) {}

  /** The hint for a request whose consumer key or token is unknown; undefined where nothing explains it. */
  async of(signed: SignedRequest): Promise<string | undefined> {
    if (this.config.production) return undefined;
    const sent = [
      { name: 'oauth_consumer_key', text: signed.consumerKey, wanted: 'the consumer key' },
      { name: 'oauth_token', text: signed.token, wanted: 'the access token' },
    ].filter(({ text }) => text !== '');
    const unset = sent.find(({ text }) => isPlaceholder(text));
    if (unset)
      return `${unset.name} is ${unset.text.slice(0, 50)}: the client has no value for ${unset.wanted}. Check the names of its settings and environment variables.`;
    const intended = await this.keys.find(sent.map(({ text }) => trimmedKey(text)));
    if (!intended) return undefined;
    const mistakes = sent.flatMap(({ name, text, wanted }) => {
      const kind = kindOf(trimmedKey(text), intended);
      const around = kind && charactersAround(text);
      return [
        ...(kind && kind !== wanted ? [`${name} has ${kind}`] : []),
        ...(around === undefined ? [] : [`${name} has ${around}`]),
      ];
    });
    if (mistakes.length === 0) return undefined;
    const places = sent.map(({ name, wanted }) => `${wanted} as ${name}`).join(' and ');
    return `${mistakes.join(', and ')}. Send ${places}.${aboutSecrets(signed, intended)}`;
  }
}

/** The kind of a text among the intended keys and secrets. */
function kindOf(text: string, intended: IntendedKeys): string | undefined {
  switch (text) {
    case intended.consumerKey:
      return 'the consumer key';
    case intended.consumerSecret:
      return 'the consumer secret';
    case intended.token:
      return 'the access token';
    case intended.tokenSecret:
      return 'the token secret';
  }
  return undefined;
}

/** The finding about the signature if the keys were right. */
function aboutSecrets({ method, uris, pairs, signature, token: sent }: SignedRequest, intended: IntendedKeys): string {
  const { token, tokenSecret } = sent === '' ? { token: '', tokenSecret: '' } : intended;
  if (token === undefined || tokenSecret === undefined) return ' The token is unknown, too.';
  const parameters = normalizeParameters(pairs);
  const bases = uris.map((uri) => baseStringOf(method, uri, parameters));
  const mistake = mistakeOfSecrets(bases, signature, { ...intended, token, tokenSecret });
  if (mistake === undefined) return ' The signature does not match their secrets either.';
  return mistake === '' ? ' The secrets are right: they sign this request.' : ` And the secrets: ${mistake}.`;
}
