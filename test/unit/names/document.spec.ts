import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { foreignWords, type Names } from '../../e2e/names/foreign-words.js';
import type { Json } from '../../support/http.js';

interface Part {
  name?: string;
  properties?: Record<string, unknown>;
  required?: unknown;
  enum?: unknown[];
  example?: Json;
  examples?: unknown;
}

/** Accepted under both names, and the methods of HTTP. */
const IN_BOTH = ['x_auth_access_type', 'enum: POST', 'examples: POST', 'method: POST'];

/** The names, words and examples of a document that belong into the other vocabulary. */
function foreignIn(names: Names, part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap((each) => foreignIn(names, each));
  if (typeof part !== 'object' || part === null) return [];
  const { name, properties = {}, required, enum: words, example, examples, ...rest } = part as Part;
  const keys = [name, ...Object.keys(properties), ...(Array.isArray(required) ? (required as string[]) : [])];
  return [
    ...keys.flatMap((key) => (typeof key === 'string' ? foreignWords(names, { [key]: null }) : [])),
    ...foreignWords(names, { enum: words as Json, example, examples: examples as Json }),
    ...foreignIn(names, Object.values(properties)),
    ...foreignIn(names, Object.values(rest)),
  ];
}

it.each([
  ['marquee', 'openapi.json'],
  ['x', 'openapi.x.json'],
] as const)('the document with the names of %s has no word of the other vocabulary', (names, file) => {
  const { paths, webhooks = {}, components } = JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
  const segments = Object.keys(paths).flatMap((path) => path.match(/\w+/g) ?? []);
  const foreign = [
    ...[...segments, ...Object.keys(webhooks)].flatMap((segment) => foreignWords(names, { [segment]: null })),
    ...foreignIn(names, [paths, webhooks, components?.schemas]),
  ];
  expect([...new Set(foreign)].filter((word) => !IN_BOTH.includes(word))).toEqual([]);
  expect(segments).toContain(names === 'x' ? 'scheduled_tweets' : 'scheduled_posts');
});
