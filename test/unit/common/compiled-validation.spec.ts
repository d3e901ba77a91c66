import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import fc from 'fast-check';
import { exampleOf, declaredFields } from '../../../src/common/http/params/dto-metadata.js';
import { propertiesOf } from '../../../src/common/http/params/compiled-validation.js';
import { expectAgreement } from '../../support/reading.js';

const src = join(import.meta.dirname, '../../../src');

async function dtos(): Promise<Type<object>[]> {
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((file) => file.endsWith('.dto.ts'));
  const exported: unknown[] = [];
  // one after the other: Jest loads no two at a time
  for (const file of files) exported.push(...Object.values((await import(join(src, file))) as object));
  return exported.filter(
    (each): each is Type<object> =>
      typeof each === 'function' && declaredFields((each.prototype ?? {}) as object).length > 0,
  );
}

/** What clients send rightly and wrongly, words of closed sets among it. */
const valuesOf = (kind: Type<object>, name: string) => {
  const words = (propertiesOf(kind).get(name)?.constraints ?? []).flatMap(({ args }) =>
    (args.constraints ?? []).flat().filter((each) => typeof each === 'string' || typeof each === 'number'),
  );
  const example = exampleOf(kind)?.[name];
  const texts = [
    '',
    ' ',
    'true',
    'F',
    '1',
    '0',
    '7',
    '-3',
    '12,13',
    'a,,b',
    'abc1',
    'A!',
    'x\0y',
    'ab\ud800',
    '😀',
    '#tag',
  ];
  const urls = [
    'https://example.com',
    'shop://x',
    'javascript:x',
    '3_123',
    'card://123',
    'en',
    'US',
    'us',
    'USD',
    'usd',
  ];
  const times = ['2026-10-01T00:00:00Z', '2026-10-01T00:30:00.5+02', '2026-02-30', 'now', '202601010000'];
  const plain = fc.oneof(
    fc.constantFrom(...texts, ...urls, ...times),
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
  );
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    ...(words.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...words) }] : []),
    ...(example === undefined ? [] : [{ weight: 3, arbitrary: fc.constant(example) }]),
    {
      weight: 1,
      arbitrary: fc.constantFrom(null, undefined, {}, [], { constructor: 1 }, { toString: null }, [{ then: null }]),
    },
    { weight: 1, arbitrary: fc.array(plain, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );
};

it('class-validator and class-transformer make the same of every DTO as their compiled metadata', async () => {
  const kinds = await dtos();
  expect(kinds.length).toBeGreaterThan(90);
  for (const kind of kinds) {
    const fields = declaredFields(kind.prototype as object).map(({ name }) => [name, valuesOf(kind, name)] as const);
    const raw = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    fc.assert(
      fc.property(raw, fc.boolean(), (given, hasRepeats) => expectAgreement(kind, given, hasRepeats)),
      { numRuns: 10 },
    );
  }
});
