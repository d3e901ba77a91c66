import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';

interface Resolve {
  resolveSubtree(document: object, path: string[]): { spec: unknown; errors: unknown[] };
}
const { resolveSubtree } = (await import(
  new URL('../../../assets/docs/resolve.js', import.meta.url).pathname
)) as Resolve;

/** What contains itself stays a reference. */
const TREES = { type: 'array', items: { $ref: '#/components/schemas/Tree' } };

describe('What the page resolves', () => {
  const document = {
    paths: { '/trees/{id}': { get: { schema: { $ref: '#/components/schemas/Tree', description: 'the root' } } } },
    components: {
      schemas: {
        Tree: { type: 'object', properties: { leaf: { $ref: '#/components/schemas/a~1b' }, branches: TREES } },
        'a/b': { type: 'string', enum: ['a', null] },
      },
    },
  };

  it('is in its place, with what was said beside the reference', () => {
    expect(resolveSubtree(document, ['paths', '/trees/{id}', 'get', 'schema'])).toEqual({
      errors: [],
      spec: {
        type: 'object',
        description: 'the root',
        $$ref: '#/components/schemas/Tree',
        properties: {
          leaf: { type: 'string', enum: ['a', null], $$ref: '#/components/schemas/a~1b' },
          branches: TREES,
        },
      },
    });
  });

  it('is nothing where nothing is', () => {
    expect(resolveSubtree(document, ['paths', '/none', 'get'])).toEqual({ spec: undefined, errors: [] });
  });

  it('leaves no reference in any operation of ours, but those within what contains itself', () => {
    const ours = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
    const whole = JSON.stringify(resolveSubtree(ours, ['paths']).spec);
    expect(whole).toContain('"$$ref":"#/components/schemas/');
    // segments have segments inside of them
    const left = [...whole.matchAll(/"\$ref":"([^"]*)"/g)].map(([, name]) => name);
    expect(new Set(left)).toEqual(new Set(['#/components/schemas/SegmentView']));
  });
});
