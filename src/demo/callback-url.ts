import { type Config, withoutSlash } from '../config.js';

/** Where the flows of the demo application end: a page of the service itself. */
export const demoCallbackUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  `${withoutSlash(baseUrl)}/demo/callback`;
