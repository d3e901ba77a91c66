import { type Config, withoutSlash } from '../config/config.js';

/** The callback of the demo application: a page of the service itself. */
export const demoCallbackUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  `${withoutSlash(baseUrl)}/demo/callback`;
