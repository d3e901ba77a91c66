import type { OpenAPIObject } from '@nestjs/swagger';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { type Config, withoutSlash } from '../../config/config.js';
import { operationsOf } from './operation.js';

/** Sets the servers of the document to the public URLs of this configuration. */
export function addServers(document: OpenAPIObject, { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Config): void {
  const production = { url: withoutSlash(adsBaseUrl), description: 'Production' };
  const sandbox = {
    url: withoutSlash(adsSandboxBaseUrl),
    description: 'Sandbox, with separate accounts',
    'x-sandbox': true,
  };
  const reference = `${withoutSlash(baseUrl)}/docs`;
  document.servers = [production, sandbox];
  document.info.contact = { name: 'The operator of this service', url: reference };
  document.externalDocs = { description: 'The API reference, which can send requests', url: reference };
  for (const { operation } of operationsOf(document)) if (operation['x-sandbox-only']) operation.servers = [sandbox];
  // When the authentication endpoints have a base URL of their own, they exist only there.
  const isApart = withoutSlash(baseUrl) !== withoutSlash(adsBaseUrl);
  for (const [path, item] of Object.entries(document.paths)) {
    if (familyOf(path) !== 'auth') continue;
    if (isApart) item.servers = [{ url: withoutSlash(baseUrl), description: 'Authentication' }];
    else delete item.servers;
  }
}
