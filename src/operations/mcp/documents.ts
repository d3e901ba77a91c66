import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shippedPath } from '../../common/asset.js';
import type { McpDocument } from '../../workbench/mcp/operation-tools.js';

/** The folder of the package. */
const ROOT = dirname(shippedPath('openapi.json')!);

/** Documents for readers who use the API. The image has none of them. */
const NAMES = [
  'README.md',
  'clients.md',
  'delivery.md',
  'gaps.md',
  'oauth2.md',
  'support.md',
  'webhooks.md',
  'workbench.md',
  'tutorials',
];

/** The OpenAPI document of the package. */
export const readOpenapi = (): Promise<string> => readFile(join(ROOT, 'openapi.json'), 'utf8');

/** The documents for assistants: the OpenAPI document, and the documentation if the package has it. */
export function mcpDocuments(openapi: () => Promise<string>): McpDocument[] {
  const folder = join(ROOT, 'docs');
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
  const names = files.map((name) => name.replaceAll('\\', '/')).filter((name) => name.endsWith('.md'));
  const present = names.filter((name) => NAMES.includes(name.split('/')[0]));
  return [
    {
      uri: 'marquee://openapi.json',
      name: 'openapi.json',
      title: 'The OpenAPI document',
      mimeType: 'application/json',
      read: openapi,
    },
    ...present.map((name) => {
      const path = join(folder, name);
      const [, title = name] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
      const read = () => readFile(path, 'utf8');
      return { uri: `marquee://docs/${name}`, name: `docs/${name}`, title, mimeType: 'text/markdown', read };
    }),
  ];
}
